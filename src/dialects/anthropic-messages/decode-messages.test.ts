import { describe, expect, it } from 'vitest';
import type { JsonObject, TurnRequest } from '../../core/index.ts';
import { decodeRequest } from './decode-request.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';

function decode(body: JsonObject, headers: Record<string, string> = {}): TurnRequest {
  return decodeRequest({
    method: 'POST',
    path: '/v1/messages',
    query: new URLSearchParams('beta=true'),
    headers,
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
}

const minimal: JsonObject = { model: 'claude', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const withMessages = (...messages: JsonObject[]) => decode({ ...minimal, messages }).messages;

describe('reading the conversation of a Messages request', () => {
  it('takes the system prompt as text or as blocks with cache marks (case 11)', () => {
    expect(decode({ ...minimal, system: 'Be brief.' }).messages[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.' }],
    });
    const system = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    expect(decode({ ...minimal, system }).messages[0]?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache: { ttl: '1h' } },
    ]);
  });

  it('keeps system messages in the middle of the conversation in their place, as Claude Code sends them', () => {
    const roles = withMessages(
      { role: 'user', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'reminder' }] },
      { role: 'assistant', content: 'b' },
    ).map(({ role }) => role);
    expect(roles).toEqual(['user', 'system', 'assistant']);
  });

  it('reads pictures and documents from every kind of source', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
    const plain = { type: 'text', media_type: 'text/plain', data: 'words' };
    const [message] = withMessages({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        { type: 'document', source: pdf, title: 'a.pdf', citations: { enabled: true } },
        { type: 'document', source: plain, title: 'notes', cache_control: { type: 'ephemeral' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'part' }] } },
      ],
    });
    expect(message?.content).toEqual([
      { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } },
      { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
      { type: 'image', source: { type: 'id', id: 'file_1' } },
      {
        type: 'file',
        source: { type: 'base64', data: 'JVBERi0=', mediaType: 'application/pdf' },
        filename: 'a.pdf',
        extra: { [ANTHROPIC_MESSAGES]: { citations: { enabled: true } } },
      },
      {
        type: 'text',
        text: 'words',
        cache: {},
        extra: { [ANTHROPIC_MESSAGES]: { document: { type: 'document', source: plain, title: 'notes' } } },
      },
      expect.objectContaining({ type: 'text', text: 'part' }),
    ]);
  });

  it('takes thinking for Anthropic’s own only when it is signed (case 12)', () => {
    const [message] = withMessages({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'signed', signature: 'sig' },
        { type: 'thinking', thinking: 'foreign', signature: '' },
        { type: 'redacted_thinking', data: 'sealed' },
      ],
    });
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'signed', form: 'raw', signature: 'sig', origin: 'anthropic' },
      { type: 'reasoning', text: 'foreign', form: 'raw' },
      { type: 'reasoning', text: '', form: 'redacted', encrypted: 'sealed', origin: 'anthropic' },
    ]);
  });

  it('makes JSON text of a call’s input and keeps the order of text and calls (cases 6 and 7)', () => {
    const [message] = withMessages({
      role: 'assistant',
      content: [
        { type: 'text', text: 'before' },
        {
          type: 'tool_use',
          id: 't1',
          name: 'read',
          input: { b: 1, a: 'ü' },
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'after' },
        { type: 'tool_use', id: 't2', name: 'list', input: {}, caller: { type: 'direct' } },
      ],
    });
    expect(message?.content).toEqual([
      { type: 'text', text: 'before' },
      {
        type: 'tool-call',
        callId: 't1',
        name: 'read',
        kind: 'function',
        argumentsText: '{"b":1,"a":"ü"}',
        cache: {},
      },
      { type: 'text', text: 'after' },
      {
        type: 'tool-call',
        callId: 't2',
        name: 'list',
        kind: 'function',
        argumentsText: '{}',
        extra: { [ANTHROPIC_MESSAGES]: { caller: { type: 'direct' } } },
      },
    ]);
  });

  const calls = (...ids: string[]): JsonObject => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
  });

  it('puts tool results before the rest of their message and keeps the rest (cases 1, 2 and 3)', () => {
    const messages = withMessages(calls('t1', 't2'), {
      role: 'user',
      content: [
        { type: 'text', text: 'and now this' },
        { type: 'tool_result', tool_use_id: 't1', content: 'one' },
        { type: 'tool_result', tool_use_id: 't2', content: 'two', is_error: true },
        { type: 'image', source: { type: 'url', url: 'https://x/y' } },
      ],
    });
    expect(messages.slice(1)).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 't1', kind: 'function', content: [{ type: 'text', text: 'one' }] },
          {
            type: 'tool-result',
            callId: 't2',
            kind: 'function',
            content: [{ type: 'text', text: 'two' }],
            isError: true,
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and now this' },
          { type: 'image', source: { type: 'url', url: 'https://x/y' } },
        ],
      },
    ]);
  });

  it('reads a result’s content as text, blocks, picture, object or nothing (case 4)', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } };
    const contents = [
      'text',
      [{ type: 'text', text: 'a' }, image],
      { some: 'object' },
      null,
      [{ type: 'tool_reference', tool_name: 'x' }],
    ];
    const messages = withMessages(calls('t1'), {
      role: 'user',
      content: contents.map((content) => ({ type: 'tool_result', tool_use_id: 't1', content })),
    });
    const results = messages[1]?.content.map((part) => (part.type === 'tool-result' ? part.content : part));
    expect(results).toEqual([
      [{ type: 'text', text: 'text' }],
      [
        { type: 'text', text: 'a' },
        { type: 'image', source: { type: 'base64', data: 'AA', mediaType: 'image/png' } },
      ],
      [{ type: 'text', text: '{"some":"object"}' }],
      [],
      [{ type: 'opaque', dialect: ANTHROPIC_MESSAGES, value: { type: 'tool_reference', tool_name: 'x' } }],
    ]);
  });

  it('gives a result without an id to the one call that waits, and drops it otherwise (case 5)', () => {
    const nameless = { role: 'user', content: [{ type: 'tool_result', content: 'r' }] };
    expect(withMessages(calls('t1'), nameless)[1]).toMatchObject({
      role: 'tool',
      content: [{ callId: 't1' }],
    });
    const ambiguous = withMessages(calls('t1', 't2'), nameless);
    expect(ambiguous[1]).toEqual({ role: 'user', content: [] });
    expect(JSON.stringify(ambiguous)).not.toContain('undefined');
  });

  it('keeps server tools, their results and unknown blocks for an upstream of this dialect', () => {
    const blocks = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'mcp_tool_use', id: 'm', name: 'x', server_name: 'y', input: {} },
      { type: 'something_new', data: [1] },
    ];
    const [message] = withMessages({ role: 'assistant', content: blocks });
    expect(message?.content).toEqual(
      blocks.map((value) => ({ type: 'opaque', dialect: ANTHROPIC_MESSAGES, value })),
    );
  });
});
