// Tool definitions and choices in every mixture. Numbers are rows of docs/protocols/cursor-byok.md.
import { describe, expect, it } from 'vitest';
import type { JsonObject, TurnRequest } from '../../core/index.ts';
import { chooseEncoding, encodeRequest as encodeChat, openaiChatFront } from '../openai-chat/index.ts';
import { encodeRequest as encodeResponses, openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { createCursorByokFront } from './front.ts';

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

const user = { role: 'user', content: 'hi' };

const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };

describe('tools', () => {
  const flat = { type: 'function', name: 'Read', parameters: { type: 'object', properties: {} } };
  const nested = {
    type: 'function',
    function: { name: 'Read', parameters: { type: 'object', properties: {} } },
  };
  const flatPatch = { type: 'custom', name: 'ApplyPatch', description: 'd', format: grammar };
  const nestedGrammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: /.+/' } };
  const withTools = (...tools: unknown[]) => ({ messages: [user], tools }) as JsonObject;
  const itemsWithTools = (...tools: unknown[]) => ({ input: [user], tools }) as JsonObject;

  it('9: a flat function in a chat body becomes nested', () => {
    expect(toStrictChat(withTools(flat)).tools).toEqual([nested]);
  });

  it('10: a nested function in a Responses body becomes flat', () => {
    expect(toResponses(itemsWithTools(nested)).tools).toEqual([{ ...flat, strict: false }]);
  });

  it('11 and 12: a custom tool becomes nested with a nested grammar, whichever half was flat', () => {
    const wanted = [
      { type: 'custom', custom: { name: 'ApplyPatch', description: 'd', format: nestedGrammar } },
    ];
    const hybrid = { type: 'custom', custom: { name: 'ApplyPatch', description: 'd', format: grammar } };
    expect(toOpenAiChat(withTools(flatPatch)).tools).toEqual(wanted);
    expect(toOpenAiChat(withTools(hybrid)).tools).toEqual(wanted);
  });

  it('13: a nested custom tool with a nested grammar becomes flat for Responses', () => {
    const tool = { type: 'custom', custom: { name: 'ApplyPatch', format: nestedGrammar } };
    expect(toResponses(itemsWithTools(tool)).tools).toEqual([
      { type: 'custom', name: 'ApplyPatch', format: grammar },
    ]);
  });

  it('14: a text format stays and a missing one stays missing', () => {
    const text = { type: 'custom', name: 'A', format: { type: 'text' } };
    const bare = { type: 'custom', name: 'B' };
    expect(toOpenAiChat(withTools(text, bare)).tools).toEqual([
      { type: 'custom', custom: { name: 'A', format: { type: 'text' } } },
      { type: 'custom', custom: { name: 'B' } },
    ]);
  });

  it('15: an empty custom envelope takes its name from beside it', () => {
    expect(decode(withTools({ type: 'custom', custom: {}, name: 'X' })).tools).toMatchObject([
      { kind: 'custom', name: 'X' },
    ]);
  });

  it('16: the nested name wins over a stray one', () => {
    expect(decode(withTools({ type: 'custom', custom: { name: 'A' }, name: 'B' })).tools).toMatchObject([
      { name: 'A' },
    ]);
  });

  it('17: junk among the tools is dropped', () => {
    expect(decode(withTools(null, 42, 'junk', {}, { type: 'function' }, flat)).tools).toMatchObject([
      { kind: 'function', name: 'Read' },
    ]);
  });

  it('18: a nested function and a flat custom tool both survive', () => {
    expect(decode(withTools(nested, flatPatch)).tools).toMatchObject([
      { kind: 'function', name: 'Read' },
      { kind: 'custom', name: 'ApplyPatch', format: grammar },
    ]);
  });

  it('19 and 24: a lowered custom tool is nested like its neighbours, and a choice of it follows', () => {
    const body = { ...withTools(nested, flatPatch), tool_choice: { type: 'custom', name: 'ApplyPatch' } };
    const sent = toStrictChat(body);
    expect(sent.tools).toMatchObject([
      nested,
      { type: 'function', function: { name: 'ApplyPatch', parameters: { required: ['input'] } } },
    ]);
    expect(sent.tool_choice).toEqual({ type: 'function', function: { name: 'ApplyPatch' } });
    expect(toOpenAiChat(body).tool_choice).toEqual({ type: 'custom', custom: { name: 'ApplyPatch' } });
  });

  it('20: hosted tools are left out and the request survives', () => {
    const hosted = [
      'web_search',
      'computer_use',
      'image_generation',
      'namespace',
      'shell',
      'web_search_20250305',
    ];
    const tools = [...hosted.map((type) => ({ type, name: type })), flat];
    for (const body of [withTools(...tools), itemsWithTools(...tools)]) {
      expect(toStrictChat(body).tools).toHaveLength(1);
      expect(JSON.stringify(decode(body).extra)).toContain('computer_use');
    }
  });

  it('21: of two tools with one name the first wins', () => {
    const second = { type: 'custom', name: 'Read' };
    expect(decode(withTools({ ...flat, description: 'first' }, second)).tools).toMatchObject([
      { kind: 'function', description: 'first' },
    ]);
  });

  it('22: missing, empty and typeless parameters become an object schema', () => {
    const parametersOf = (parameters?: unknown) => {
      const [tool] = decode(withTools({ type: 'function', name: 'T', parameters })).tools;
      return tool?.kind === 'function' ? tool.parameters : undefined;
    };
    expect(parametersOf()).toEqual({ type: 'object', properties: {} });
    expect(parametersOf({})).toEqual({ type: 'object', properties: {} });
    expect(parametersOf({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
  });

  it('23: `strict` is kept, and is false for Responses when chat did not say', () => {
    expect(toStrictChat(withTools({ ...flat, strict: true })).tools).toMatchObject([
      { function: { strict: true } },
    ]);
    expect(toResponses(withTools(nested)).tools).toMatchObject([{ strict: false }]);
    expect(toResponses(itemsWithTools({ ...flat, strict: true })).tools).toMatchObject([{ strict: true }]);
  });

  it('takes bare Anthropic tools as functions, also with their own `type: "custom"`', () => {
    const bare = { name: 'A', description: 'd', input_schema: { type: 'object', properties: {} } };
    expect(decode(withTools(bare, { ...bare, type: 'custom', name: 'B' })).tools).toMatchObject([
      { kind: 'function', name: 'A', description: 'd' },
      { kind: 'function', name: 'B' },
    ]);
  });

  it('flattens a union at the root of a schema', () => {
    const input_schema = {
      description: 'd',
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'c'] },
        { type: 'object', properties: { b: { type: 'number' } }, required: ['b', 'c'] },
      ],
    };
    expect(decode(withTools({ name: 'U', input_schema })).tools[0]).toMatchObject({
      parameters: {
        type: 'object',
        description: 'd',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['c'],
      },
    });
  });

  it.each([
    ['auto', 'auto'],
    ['any', 'required'],
    [{}, 'auto'],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'any' }, 'required'],
    [{ type: 'tool' }, 'required'],
    [{ type: 'function' }, 'required'],
    [{ type: 'web_search' }, 'auto'],
    [
      { type: 'tool', name: 'Read' },
      { type: 'function', function: { name: 'Read' } },
    ],
    [
      { type: 'function', name: 'Read' },
      { type: 'function', function: { name: 'Read' } },
    ],
  ])('understands the choice %j', (tool_choice, wanted) => {
    expect(toStrictChat({ ...withTools(flat), tool_choice }).tool_choice).toEqual(wanted);
  });

  it('drops the choice and `parallel_tool_calls` when there are no tools', () => {
    const body = { messages: [user], tools: [], tool_choice: 'required', parallel_tool_calls: true };
    expect(decode(body)).not.toHaveProperty('toolChoice');
    expect(decode(body)).not.toHaveProperty('parallelToolCalls');
  });

  it('takes `disable_parallel_tool_use` for `parallel_tool_calls: false`', () => {
    const tool_choice = { type: 'auto', disable_parallel_tool_use: true };
    expect(decode({ ...withTools(flat), tool_choice })).toMatchObject({ parallelToolCalls: false });
  });
});
