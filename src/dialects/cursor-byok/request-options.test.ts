// Which dialect a body speaks, and the fields beside the conversation. Numbers are rows of docs/protocols/cursor-byok.md.
import { describe, expect, it } from 'vitest';
import type { JsonObject, TurnRequest } from '../../core/index.ts';
import { chooseEncoding, encodeRequest as encodeChat, openaiChatFront } from '../openai-chat/index.ts';
import { encodeRequest as encodeResponses, openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { createCursorByokFront } from './front.ts';
import { normaliseBody } from './normalise-body.ts';

const front = createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront });

function decode(body: JsonObject): TurnRequest {
  return front.decodeRequest(makeRequest({ model: 'm', ...body }));
}

/** What a server is sent that takes plain chat and nothing else. */
function toStrictChat(body: JsonObject): JsonObject {
  return encodeChat(decode(body), chooseEncoding({ baseUrl: 'http://127.0.0.1:1/v1', capabilities: [] }))
    .body;
}

function toOpenAiChat(body: JsonObject): JsonObject {
  return encodeChat(decode(body), chooseEncoding({ baseUrl: undefined, capabilities: [] })).body;
}

function toResponses(body: JsonObject): JsonObject {
  return encodeResponses(decode(body)).body;
}

function messagesOf(body: JsonObject): JsonObject[] {
  return toStrictChat(body).messages as JsonObject[];
}

function refusal(body: JsonObject): unknown {
  try {
    decode(body);
    return undefined;
  } catch (error) {
    return error;
  }
}

const user = { role: 'user', content: 'hi' };

const call = (id: string, name = 'Read', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('which dialect a body speaks', () => {
  it('1: `messages: null` beside a real `input` is a Responses body', () => {
    expect(normaliseBody({ messages: null, input: [user] }).shape).toBe('responses');
    expect(messagesOf({ messages: null, input: [user] })).toEqual([user]);
  });

  it('2: `messages: []` beside a real `input` is a Responses body', () => {
    expect(normaliseBody({ messages: [], input: [user] }).shape).toBe('responses');
  });

  it('3: real `messages` win over an empty or poorer `input`', () => {
    const messages = [user, { role: 'assistant', content: null, tool_calls: [call('call_abcdefgh')] }];
    const full = [...messages, { role: 'tool', tool_call_id: 'call_abcdefgh', content: 'r' }];
    expect(messagesOf({ messages: full, input: [] })).toHaveLength(3);
    expect(messagesOf({ messages: full, input: [user] })).toContainEqual({
      role: 'tool',
      tool_call_id: 'call_abcdefgh',
      content: 'r',
    });
  });

  it('4: neither of the two is a 400 that names `messages`', () => {
    const error = refusal({ stream: true });
    expect(error).toMatchObject({ code: 'invalid-request', detail: { param: 'messages' } });
    expect(refusal({ messages: [] })).toMatchObject({ detail: { param: 'messages' } });
    expect(refusal({ messages: 'hi' })).toMatchObject({ detail: { param: 'messages' } });
  });

  it('5: `input` as text is one user message', () => {
    expect(messagesOf({ input: 'text' })).toEqual([{ role: 'user', content: 'text' }]);
  });

  it('6: an empty `input` asks with a placeholder, never with nothing', () => {
    expect(messagesOf({ input: [] })).toEqual([{ role: 'user', content: '...' }]);
  });

  it('7: `include_usage` does not reach a Responses upstream, and the body is not mutated', () => {
    const body = { model: 'm', input: 'x', stream: true, stream_options: { include_usage: true } };
    const before = structuredClone(body);
    expect(toResponses(body)).not.toHaveProperty('stream_options');
    expect(body).toEqual(before);
  });

  it('8: `include_obfuscation` does reach it', () => {
    const stream_options = { include_usage: true, include_obfuscation: false };
    expect(toResponses({ input: 'x', stream: true, stream_options }).stream_options).toEqual({
      include_obfuscation: false,
    });
  });

  it('names the message at fault in the place where the client sent it', () => {
    const body = { system: 'be brief', messages: [user, { role: 'robot', content: 'x' }] };
    expect(refusal(body)).toMatchObject({ detail: { param: 'messages[1].role' } });
    expect(refusal({ input: [user, 5] })).toMatchObject({ detail: { param: 'input[1]' } });
    expect(refusal({ messages: [{ role: 'user', content: 7 }] })).toMatchObject({
      detail: { param: 'messages[0].content' },
    });
  });
});

describe('options', () => {
  it('25: `reasoning` reaches chat as the word `reasoning_effort`', () => {
    const reasoning = { effort: 'high', summary: 'auto' };
    for (const body of [
      { input: 'x', reasoning },
      { messages: [user], reasoning },
    ]) {
      const sent = toStrictChat(body);
      expect(sent.reasoning_effort).toBe('high');
      expect(sent).not.toHaveProperty('reasoning');
    }
  });

  it('26: an effort in the body stands beside the suffix readings of the model', () => {
    const request = decode({ model: 'm-thinking-high', messages: [user], reasoning_effort: 'low' });
    expect(request.reasoning).toEqual({ effort: 'low' });
    expect(request.modelAlternatives?.at(-1)).toEqual({ model: 'm', reasoningEffort: 'high' });
  });

  it('27: `text.verbosity` is not sent to a strict chat server', () => {
    expect(toStrictChat({ input: 'x', text: { verbosity: 'low' } })).not.toHaveProperty('verbosity');
    expect(toOpenAiChat({ input: 'x', text: { verbosity: 'low' } }).verbosity).toBe('low');
    expect(toOpenAiChat({ messages: [user], text: { verbosity: 'low' } }).verbosity).toBe('low');
  });

  it('28: a JSON schema keeps name, schema and strictness in both directions', () => {
    const schema = { type: 'object', properties: {} };
    const format = { type: 'json_schema', name: 'n', schema, strict: true };
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
    expect(toStrictChat({ input: 'x', text: { format } }).response_format).toEqual(response_format);
    expect(toStrictChat({ messages: [user], text: { format } }).response_format).toEqual(response_format);
    expect(toResponses({ messages: [user], response_format }).text).toMatchObject({ format });
    expect(toResponses({ input: 'x', response_format }).text).toMatchObject({ format });
  });

  it('53: `max_tokens` reaches OpenAI as `max_completion_tokens`, others as `max_tokens`', () => {
    expect(toOpenAiChat({ messages: [user], max_tokens: 5 })).toMatchObject({ max_completion_tokens: 5 });
    expect(toStrictChat({ messages: [user], max_output_tokens: 5 })).toMatchObject({ max_tokens: 5 });
    expect(toResponses({ input: 'x', max_tokens: 50 })).toMatchObject({ max_output_tokens: 50 });
  });

  it('54: a `user` of more than 64 characters becomes a digest of 64', () => {
    const long = decode({ messages: [user], user: 'u'.repeat(65) }).user;
    expect(long).toMatch(/^[0-9a-f]{64}$/);
    expect(decode({ messages: [user], user: 'u'.repeat(64) }).user).toBe('u'.repeat(64));
    expect(decode({ messages: [user], user: `${'u'.repeat(65)}v` }).user).not.toBe(long);
  });

  it('55: Responses fields that leak into a chat body do not reach a strict server but are kept on record', () => {
    const leaks = {
      prompt_cache_retention: '24h',
      safety_identifier: 's',
      include: ['reasoning.encrypted_content'],
      truncation: 'auto',
      store: false,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      previous_response_id: 'resp_1',
      made_up: 1,
    };
    expect(Object.keys(toStrictChat({ messages: [user], ...leaks })).sort()).toEqual(['messages', 'model']);
    expect(Object.keys(toStrictChat({ input: 'x', ...leaks })).sort()).toEqual(['messages', 'model']);
    const kept = decode({ messages: [user], ...leaks }).extra?.['cursor-byok']?.fields;
    expect(kept).toMatchObject({ made_up: 1, prompt_cache_retention: '24h' });
  });

  it('always asks for usage', () => {
    expect(decode({ messages: [user] }).includeUsage).toBe(true);
    expect(decode({ input: 'x' }).includeUsage).toBe(true);
  });

  it('groups turns by prompt cache key, session id or user', () => {
    const metadata = { session_id: 's' };
    expect(decode({ messages: [user], user: 'u' }).session).toBe('u');
    expect(decode({ messages: [user], user: 'u', metadata }).session).toBe('s');
    expect(decode({ messages: [user], user: 'u', metadata, prompt_cache_key: 'k' }).session).toBe('k');
  });

  it('understands the words of Anthropic: stop_sequences, thinking, metadata.user_id', () => {
    const body = {
      messages: [user],
      stop_sequences: ['X'],
      thinking: { type: 'enabled', budget_tokens: 3000 },
      metadata: { user_id: 'u' },
    };
    expect(decode(body)).toMatchObject({
      sampling: { stop: ['X'] },
      reasoning: { enabled: true, budgetTokens: 3000 },
      user: 'u',
    });
    expect(decode({ ...body, stop_sequences: [] }).sampling).not.toHaveProperty('stop');
  });

  it('keeps `stop` and `seed` of a Responses body for servers that know them', () => {
    expect(decode({ input: 'x', stop: 'END', seed: 4 }).sampling).toMatchObject({ stop: ['END'], seed: 4 });
  });
});
