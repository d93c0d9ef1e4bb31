import { describe, expect, it } from 'vitest';
import type {
  JsonObject,
  Message,
  Part,
  ToolDefinition,
  ToolResultPart,
  TurnRequest,
} from '../../core/index.ts';
import { encodeRequest } from './encode-request.ts';
import type { MessagesEncoding } from './encoding-options.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';

const plain: MessagesEncoding = { structuredOutput: false, adaptiveThinking: false };
const base: TurnRequest = { model: 'claude', messages: [], tools: [], sampling: {}, stream: false };

const text = (value: string): Part => ({ type: 'text', text: value });
const user = (...content: Part[]): Message => ({ role: 'user', content });
const assistant = (...content: Part[]): Message => ({ role: 'assistant', content });
const call = (callId: string, argumentsText = '{}', name = 'f'): Part => ({
  type: 'tool-call',
  callId,
  name,
  kind: 'function',
  argumentsText,
});
const result = (callId: string, ...content: ToolResultPart['content'][number][]): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', callId, content }],
});
const said = (value: string) => ({ type: 'text' as const, text: value });
const tool: ToolDefinition = { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } };

function encode(fields: Partial<TurnRequest>, encoding = plain) {
  return encodeRequest({ ...base, ...fields }, encoding);
}
const use = (id: string, input: JsonObject = {}, name = 'f') => ({ type: 'tool_use', id, name, input });

describe('tools for an Anthropic upstream', () => {
  const toolsOf = (...tools: ToolDefinition[]) => encode({ messages: [user(text('q'))], tools });

  it('gives every function an object schema (case 8)', () => {
    const { body } = toolsOf(
      { kind: 'function', name: 'none' },
      { kind: 'function', name: 'typeless', parameters: { properties: { a: {} } } },
      {
        kind: 'function',
        name: 'either',
        parameters: {
          anyOf: [
            {
              type: 'object',
              properties: { a: { type: 'string' }, c: { type: 'number' } },
              required: ['a', 'c'],
            },
            {
              type: 'object',
              properties: { b: { type: 'string' }, c: { type: 'string' } },
              required: ['b', 'c'],
            },
            { type: 'null' },
          ],
        },
      },
    );
    expect(body.tools).toEqual([
      { name: 'none', input_schema: { type: 'object', properties: {} } },
      { name: 'typeless', input_schema: { type: 'object', properties: { a: {} } } },
      {
        name: 'either',
        input_schema: {
          type: 'object',
          properties: {
            a: { type: 'string' },
            b: { type: 'string' },
            c: { anyOf: [{ type: 'number' }, { type: 'string' }] },
          },
          required: ['c'],
        },
      },
    ]);
  });

  it('shortens names that are too long or illegal, always to the same alias, and remembers them (case 9)', () => {
    const long = `mcp__${'x'.repeat(80)}`;
    const { body, toolOrigins } = encode({
      messages: [user(text('q')), assistant(call('a', '{}', long)), result('a', said('r'))],
      tools: [
        { kind: 'function', name: long },
        { kind: 'function', name: 'files.read' },
        { kind: 'function', name: 'spawn', namespace: 'agents' },
      ],
      toolChoice: { type: 'tool', kind: 'function', name: 'files.read' },
    });
    const names = (body.tools as JsonObject[]).map(({ name }) => String(name));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names.map((name) => toolOrigins.get(name))).toEqual([
      { name: long, isLowered: false },
      { name: 'files.read', isLowered: false },
      { name: 'spawn', namespace: 'agents', isLowered: false },
    ]);
    expect(body.tool_choice).toEqual({ type: 'tool', name: names[1] });
    expect(JSON.stringify(body.messages)).toContain(`"name":"${names[0]}"`);
    expect(encode({ messages: [], tools: [{ kind: 'function', name: long }] }).body.tools).toEqual([
      expect.objectContaining({ name: names[0] }),
    ]);
  });

  it('lowers free-text tools and their history to one string', () => {
    const custom: ToolDefinition = {
      kind: 'custom',
      name: 'patch',
      description: 'Applies.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    };
    const past: Part = {
      type: 'tool-call',
      callId: 'a',
      name: 'patch',
      kind: 'custom',
      argumentsText: '*** x',
    };
    const { body, toolOrigins } = encode({
      messages: [user(text('q')), assistant(past), result('a', said('r'))],
      tools: [custom],
    });
    expect(body.tools).toEqual([
      {
        name: 'patch',
        description: expect.stringMatching(/Applies\.[\s\S]*lark grammar:\nstart: "x"/),
        input_schema: expect.objectContaining({ required: ['input'] }),
      },
    ]);
    expect(body.messages).toContainEqual({
      role: 'assistant',
      content: [use('a', { input: '*** x' }, 'patch')],
    });
    expect(toolOrigins.get('patch')).toEqual({ name: 'patch', isLowered: true });
  });

  it('passes its own hosted tools and refuses those of other dialects by name', () => {
    const hosted = (dialect: string): ToolDefinition => ({
      kind: 'hosted',
      name: 'web_search',
      dialect,
      hostedType: 'web_search_20250305',
      config: { type: 'web_search_20250305', name: 'web_search' },
    });
    expect(toolsOf(hosted(ANTHROPIC_MESSAGES)).body.tools).toEqual([
      { type: 'web_search_20250305', name: 'web_search' },
    ]);
    expect(() => toolsOf(hosted('openai-responses'))).toThrow(/"web_search" .* openai-responses upstream/);
  });

  it.each([
    [{ type: 'auto' }, undefined, { type: 'auto' }],
    [{ type: 'required' }, undefined, { type: 'any' }],
    [{ type: 'none' }, false, { type: 'none' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'required' }, false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'allowed', mode: 'required', tools: [{ kind: 'function', name: 'f' }] }, true, { type: 'any' }],
  ] as const)(
    'says the tool choice %j with parallel calls %j as %j (case 10)',
    (toolChoice, parallel, expected) => {
      const fields: Partial<TurnRequest> = {
        messages: [user(text('q'))],
        tools: [tool, { ...tool, name: 'g' }],
        ...(toolChoice ? { toolChoice } : {}),
        ...(parallel === undefined ? {} : { parallelToolCalls: parallel }),
      };
      const { body } = encode(fields);
      expect(body.tool_choice).toEqual(expected);
      expect(body.tools).toHaveLength(toolChoice?.type === 'allowed' ? 1 : 2);
    },
  );

  it('says nothing of a choice without tools, and declares tools of the past where the history needs them', () => {
    expect(encode({ messages: [user(text('q'))], toolChoice: { type: 'required' } }).body).not.toHaveProperty(
      'tool_choice',
    );
    const { body } = encode({ messages: [user(text('q')), assistant(call('a')), result('a', said('1'))] });
    expect(body).toMatchObject({ tools: [{ name: 'f' }], tool_choice: { type: 'none' } });
  });

  it('sends a tool that was declared twice once', () => {
    expect(toolsOf(tool, tool).body.tools).toHaveLength(1);
  });
});
