import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, TurnRequest } from '../../core/index.ts';
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
const extraOf = (request: TurnRequest) => request.extra?.[ANTHROPIC_MESSAGES];

describe('reading a Messages request', () => {
  it('answers any JSON at all with a request or a refusal', () => {
    const keys = [
      'role',
      'content',
      'type',
      'text',
      'source',
      'id',
      'name',
      'input',
      'tool_use_id',
      'user',
      'tool_use',
    ];
    const words = fc.constantFrom(
      ...keys,
      'assistant',
      'tool_result',
      'image',
      'document',
      'thinking',
      'base64',
    );
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(words, fc.integer(), fc.constant(null), fc.boolean()),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(words, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    const fields = ['messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'metadata'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), tree), (body) => {
        try {
          decode({ ...minimal, ...body });
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'invalid-request' });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('reads the smallest one', () => {
    expect(decode(minimal)).toEqual({
      model: 'claude',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      tools: [],
      sampling: { maxOutputTokens: 100 },
      stream: false,
      extra: { [ANTHROPIC_MESSAGES]: {} },
    });
  });

  it('leaves the model to the router when none is named', () => {
    const { model: _model, ...nameless } = minimal;
    expect(decode(nameless).model).toBe('');
  });

  it('tells functions from tools that Anthropic runs (case 8)', () => {
    const bash = { type: 'bash_20250124', name: 'bash' };
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
    const { tools } = decode({
      ...minimal,
      tools: [
        { name: 'a', description: 'd', input_schema: { type: 'object' }, eager_input_streaming: true },
        {
          type: 'custom',
          name: 'b',
          input_schema: { anyOf: [] },
          strict: true,
          cache_control: { type: 'ephemeral' },
        },
        { name: 'c', defer_loading: true },
        bash,
        { ...search, cache_control: { type: 'ephemeral' } },
      ],
    });
    expect(tools).toEqual([
      {
        kind: 'function',
        name: 'a',
        description: 'd',
        parameters: { type: 'object' },
        extra: { [ANTHROPIC_MESSAGES]: { eager_input_streaming: true } },
      },
      { kind: 'function', name: 'b', parameters: { anyOf: [] }, strict: true, cache: {} },
      { kind: 'function', name: 'c', extra: { [ANTHROPIC_MESSAGES]: { defer_loading: true } } },
      {
        kind: 'hosted',
        name: 'bash',
        dialect: ANTHROPIC_MESSAGES,
        hostedType: 'bash_20250124',
        config: bash,
      },
      {
        kind: 'hosted',
        name: 'web_search',
        dialect: ANTHROPIC_MESSAGES,
        hostedType: 'web_search_20250305',
        config: search,
        cache: {},
      },
    ]);
  });

  it.each([
    [{ type: 'auto' }, { type: 'auto' }],
    [{ type: 'any' }, { type: 'required' }],
    [{ type: 'none' }, { type: 'none' }],
    [
      { type: 'tool', name: 'a' },
      { type: 'tool', kind: 'function', name: 'a' },
    ],
  ])('reads the tool choice %j (case 10)', (tool_choice, expected) => {
    expect(decode({ ...minimal, tools: [{ name: 'a' }], tool_choice }).toolChoice).toEqual(expected);
  });

  it('reads the wish for one call at a time (case 10)', () => {
    const tool_choice = { type: 'any', disable_parallel_tool_use: true };
    expect(decode({ ...minimal, tool_choice })).toMatchObject({
      toolChoice: { type: 'required' },
      parallelToolCalls: false,
    });
  });

  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { enabled: true, budgetTokens: 2000 }],
    [{ thinking: { type: 'disabled' } }, { enabled: false }],
    [
      { thinking: { type: 'adaptive', display: 'updates' }, output_config: { effort: 'high' } },
      { enabled: true, effort: 'high' },
    ],
  ])('reads %j (case 13) and keeps the client’s own words', (fields, reasoning) => {
    const request = decode({ ...minimal, ...fields });
    expect(request.reasoning).toEqual(reasoning);
    expect(extraOf(request)).toEqual(fields);
  });

  it('reads a schema for the answer from both places', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const output = { type: 'json-schema', schema: { type: 'object' } };
    expect(decode({ ...minimal, output_config: { format } }).output).toEqual(output);
    expect(decode({ ...minimal, output_format: format }).output).toEqual(output);
  });

  it('reads sampling, stops and labels (case 14)', () => {
    const request = decode({
      ...minimal,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['a', 'b'],
      metadata: { user_id: 'u', team: 't' },
      service_tier: 'auto',
      stream: true,
    });
    expect(request).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topK: 5, stop: ['a', 'b'], maxOutputTokens: 100 },
      user: 'u',
      metadata: { team: 't' },
      serviceTier: 'auto',
      stream: true,
      includeUsage: true,
    });
  });

  it('keeps fields it does not know, and the version and beta headers', () => {
    const fields = { context_management: { edits: [] }, container: 'c', mcp_servers: [], betas: ['x'] };
    const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b', 'x-api-key': 'secret' };
    expect(extraOf(decode({ ...minimal, ...fields }, headers))).toEqual({
      ...fields,
      headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b' },
    });
  });

  it.each([
    [{ 'x-claude-code-session-id': 's1', 'x-session-id': 's2' }, undefined, 's1'],
    [{ 'x-session-id': 's2' }, undefined, 's2'],
    [{}, 'user_abc_account__session_11-22', '11-22'],
    [{}, '{"device_id":"d","session_id":"s3"}', 's3'],
    [{}, '{broken', undefined],
    [{}, 'just a name', undefined],
  ])('finds the session in headers %j or user id %j', (headers, user_id, session) => {
    const metadata = user_id === undefined ? {} : { user_id };
    expect(decode({ ...minimal, metadata }, headers as Record<string, string>).session).toBe(session);
  });

  it('refuses server-held threads in the way that makes the SDK go on without them', () => {
    expect(() => decode({ ...minimal, thread: { type: 'create' } })).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        detail: { param: 'thread', reason: 'thread_unsupported_request' },
      }),
    );
  });

  it.each([
    ['max_tokens', { max_tokens: null }, /`max_tokens` is required/],
    ['max_tokens', { max_tokens: 'many' }, /`max_tokens` must be a whole number, not a string \("many"\)/],
    ['messages', { messages: 'hi' }, /`messages` must be an array, not a string/],
    ['messages', { messages: [] }, /at least one message/],
    ['messages[0]', { messages: ['hi'] }, /must be an object/],
    ['messages[0].role', { messages: [{ role: 'tool', content: '' }] }, /"user", "assistant" or "system"/],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }, /a string or an array of blocks/],
    ['messages[0].content[0].text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }, /nothing/],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{}] }] }, /a non-empty string/],
    [
      'messages[0].content[0].source',
      { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      /object/,
    ],
    ['system', { system: 5 }, /a string or an array of blocks, not a number \(5\)/],
    ['tools', { tools: {} }, /must be an array/],
    ['tools[0].name', { tools: [{ input_schema: {} }] }, /a non-empty string/],
    ['tools[0].type', { tools: [{ type: 'function', function: { name: 'f' } }] }, /OpenAI form/],
    ['tool_choice.type', { tool_choice: { type: 'all' } }, /"auto", "any", "tool" or "none"/],
    ['stop_sequences', { stop_sequences: 'x' }, /an array of strings/],
    ['stop_sequences', { stop_sequences: [1] }, /an array of strings/],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 'x' } }, /a number/],
    ['stream', { stream: 'yes' }, /true or false/],
  ])('names %s when %j is wrong', (param, fields, message) => {
    expect(() => decode({ ...minimal, ...(fields as JsonObject) })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(message),
        detail: expect.objectContaining({ param }),
      }),
    );
  });
});
