import { describe, expect, it } from 'vitest';
import type { Message, Part, ToolDefinition, ToolResultPart, TurnRequest } from '../../core/index.ts';
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

describe('options for an Anthropic upstream', () => {
  const q = [user(text('q'))];
  const optionsOf = (fields: Partial<TurnRequest>, encoding = plain) =>
    encode({ messages: q, ...fields }, encoding).body;

  it('always says max_tokens (case 14)', () => {
    expect(optionsOf({})).toMatchObject({ max_tokens: 32_000 });
    expect(optionsOf({ model: 'claude-3-haiku-20240307' })).toMatchObject({ max_tokens: 4096 });
    expect(optionsOf({ sampling: { maxOutputTokens: 5 } })).toMatchObject({ max_tokens: 5 });
    const listed = { ...plain, outputLimits: new Map([['claude', 64_000]]) };
    expect(optionsOf({}, listed)).toMatchObject({ max_tokens: 64_000 });
  });

  it.each([
    ['low', undefined, { type: 'enabled', budget_tokens: 4096 }],
    ['medium', undefined, { type: 'enabled', budget_tokens: 10_240 }],
    ['high', 40_000, { type: 'enabled', budget_tokens: 24_576 }],
    ['high', 8000, { type: 'enabled', budget_tokens: 6000 }],
    ['high', 1000, undefined],
    ['none', undefined, { type: 'disabled' }],
  ])('turns effort %s with a limit of %j into %j (case 13)', (effort, maxOutputTokens, thinking) => {
    const sampling = maxOutputTokens === undefined ? {} : { maxOutputTokens };
    expect(optionsOf({ reasoning: { effort }, sampling }).thinking).toEqual(thinking);
  });

  it('asks for adaptive thinking where the upstream has it', () => {
    const adaptive = { ...plain, adaptiveThinking: true };
    expect(optionsOf({ reasoning: { effort: 'high' } }, adaptive)).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
  });

  it('drops what thinking does not take, and tells', () => {
    const { body, warnings } = encode({
      messages: q,
      reasoning: { effort: 'low' },
      sampling: { temperature: 0.2, topK: 4, topP: 0.5, seed: 1 },
    });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_k');
    expect(body).not.toHaveProperty('top_p');
    expect(warnings.map(({ message }) => message.split(' ')[0])).toEqual([
      '`temperature`',
      '`top_p`',
      '`top_k`',
      '`seed`',
    ]);
  });

  it('switches thinking off where the history lacks signed thoughts or a tool is forced (case 23)', () => {
    const reasoning = { effort: 'low' };
    const toolTurn = (...thoughts: Part[]) => [
      user(text('q')),
      assistant(...thoughts, call('a')),
      result('a', said('1')),
    ];
    const signed: Part = { type: 'reasoning', text: 't', form: 'raw', signature: 's', origin: 'anthropic' };
    const tools = [tool];
    expect(encode({ messages: toolTurn(), tools, reasoning }).body).not.toHaveProperty('thinking');
    expect(encode({ messages: toolTurn(signed), tools, reasoning }).body).toHaveProperty('thinking');
    const closed = [...toolTurn(), assistant(text('done')), user(text('next'))];
    expect(encode({ messages: closed, tools, reasoning }).body).toHaveProperty('thinking');
    const forced = encode({ messages: q, tools, reasoning, toolChoice: { type: 'required' } });
    expect(forced.body).not.toHaveProperty('thinking');
    expect(forced.warnings).toEqual([expect.objectContaining({ code: 'thinking-disabled' })]);
  });

  it('holds the model to a schema by a forced tool, or natively where the upstream can', () => {
    const output = { type: 'json-schema' as const, schema: { type: 'object', properties: { a: {} } } };
    const forced = encode({ messages: q, output });
    expect(forced.usesJsonTool).toBe(true);
    expect(forced.body).toMatchObject({
      tools: [{ name: 'json_output', input_schema: output.schema }],
      tool_choice: { type: 'tool', name: 'json_output' },
    });
    expect(encode({ messages: q, output, tools: [tool] }).body.tool_choice).toEqual({ type: 'any' });
    const native = encode({ messages: q, output }, { ...plain, structuredOutput: true });
    expect(native.usesJsonTool).toBe(false);
    expect(native.body.output_config).toEqual({ format: { type: 'json_schema', schema: output.schema } });
  });

  it('gives a client of this dialect its own fields and words back', () => {
    const own = {
      thinking: { type: 'adaptive', display: 'updates' },
      context_management: { edits: [] },
      headers: { 'anthropic-beta': 'b' },
    };
    const body = optionsOf({
      reasoning: { enabled: true, effort: 'low' },
      extra: { [ANTHROPIC_MESSAGES]: own },
    });
    expect(body).toMatchObject({
      thinking: own.thinking,
      context_management: own.context_management,
      output_config: { effort: 'low' },
    });
    expect(body).not.toHaveProperty('headers');
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const output = { type: 'json-schema' as const, schema: format.schema };
    const older = optionsOf({ output, extra: { [ANTHROPIC_MESSAGES]: { output_format: format } } });
    expect(older).toMatchObject({ output_format: format });
    expect(older).not.toHaveProperty('output_config');
  });

  it('changes nothing in the request it was given', () => {
    const value = { type: 'search_result', cache_control: { type: 'ephemeral' } };
    const marked: Part[] = Array.from({ length: 6 }, () => ({
      type: 'opaque',
      dialect: ANTHROPIC_MESSAGES,
      value,
    }));
    const request = { messages: [user(...marked)], extra: { [ANTHROPIC_MESSAGES]: {} } };
    const before = JSON.stringify(request);
    encode(request);
    expect(JSON.stringify(request)).toBe(before);
  });

  it('asks in words for JSON without a schema', () => {
    expect(optionsOf({ output: { type: 'json' } }).system).toMatch(/one JSON object/);
  });

  it('fits sampling and labels to what the API takes (case 14)', () => {
    const body = optionsOf({
      sampling: { temperature: 1.7, topP: 0.5, stop: ['END', ' '] },
      user: 'u',
      metadata: { team: 't' },
      serviceTier: 'flex',
      stream: true,
    });
    expect(body).toMatchObject({
      temperature: 1,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      stream: true,
    });
    expect(body).not.toHaveProperty('top_p');
    expect(body).not.toHaveProperty('service_tier');
    expect(optionsOf({ sampling: { stop: [] } })).not.toHaveProperty('stop_sequences');
  });
});
