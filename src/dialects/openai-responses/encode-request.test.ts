import { describe, expect, it } from 'vitest';
import type { JsonObject, Message, ToolDefinition, TurnRequest } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { sealProof, sealSummary } from './sealed-content.ts';

/** A request that came in another dialect. */
function foreign(fields: Partial<TurnRequest>): TurnRequest {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  return { model: 'gpt-5.1', messages, tools: [], sampling: {}, stream: true, ...fields };
}
const encode = (fields: Partial<TurnRequest>) => encodeRequest(foreign(fields)).body;
const text = (value: string) => ({ type: 'text' as const, text: value });
const inputOf = (messages: Message[], tools: ToolDefinition[] = []) => encode({ messages, tools }).input;
const call = { type: 'tool-call', callId: 'a', name: 'f', kind: 'function', argumentsText: '{ }' } as const;

describe('a request from another dialect', () => {
  it('sends leading system texts as instructions joined by a blank line', () => {
    const body = encode({
      messages: [
        { role: 'system', content: [text('One')] },
        { role: 'developer', content: [text('Two')] },
        { role: 'user', content: [text('Hi')] },
        { role: 'system', content: [text('Later')] },
      ],
    });
    expect(body.instructions).toBe('One\n\nTwo');
    expect(body.input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Later' }] },
    ]);
  });

  it('only system messages stay in the input', () => {
    const body = encode({ messages: [{ role: 'system', content: [text('S')] }] });
    expect(body.instructions).toBeUndefined();
    expect(body.input).toEqual([
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'S' }] },
    ]);
  });

  it('input_text for all but the assistant, output_text with annotations, text kept beside calls', () => {
    expect(
      inputOf([
        { role: 'user', content: [text('Go')] },
        { role: 'assistant', content: [text('On it.'), call] },
        { role: 'tool', content: [{ type: 'tool-result', callId: 'a', content: [text('1')] }] },
        { role: 'developer', content: [text('D')] },
      ]),
    ).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'On it.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{ }' },
      { type: 'function_call_output', call_id: 'a', output: '1' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
    ]);
  });

  it('the raw text of a custom tool in a function envelope becomes a custom call and output', () => {
    const tool: ToolDefinition = { kind: 'custom', name: 'ApplyPatch' };
    const input = inputOf(
      [
        {
          role: 'assistant',
          content: [{ ...call, name: 'ApplyPatch', argumentsText: '*** Begin Patch' }],
        },
        { role: 'tool', content: [{ type: 'tool-result', callId: 'a', content: [text('ok')] }] },
      ],
      [tool],
    );
    expect(input).toEqual([
      { type: 'custom_tool_call', call_id: 'a', name: 'ApplyPatch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
    ]);
  });

  it('orphans become messages, missing outputs are filled in, doubles are dropped', () => {
    const result = (callId: string, value: string) =>
      ({ type: 'tool-result', callId, content: [text(value)] }) as const;
    const input = inputOf([
      { role: 'user', content: [text('Go')] },
      { role: 'assistant', content: [call, { ...call, callId: 'b' }] },
      { role: 'tool', content: [result('a', '1'), result('a', '2'), result('z', '3')] },
    ]) as JsonObject[];
    expect(input.map(({ type, call_id }) => [type, call_id])).toEqual([
      ['message', undefined],
      ['function_call', 'a'],
      ['function_call', 'b'],
      ['function_call_output', 'b'],
      ['function_call_output', 'a'],
      ['message', undefined],
    ]);
    expect(JSON.stringify(input.at(-1))).toContain('Result of tool call z:');
  });

  it('sends pictures of a tool result as parts', () => {
    const input = inputOf([
      { role: 'assistant', content: [call] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            callId: 'a',
            content: [
              text('Seen:'),
              { type: 'image', source: { type: 'base64', data: 'AA', mediaType: 'image/jpeg' } },
            ],
          },
        ],
      },
    ]) as JsonObject[];
    expect(input[1]?.output).toEqual([
      { type: 'input_text', text: 'Seen:' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/jpeg;base64,AA' },
    ]);
  });

  it('says in words that a tool failed, once', () => {
    const failed = (value: string) =>
      inputOf([
        { role: 'assistant', content: [call] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', callId: 'a', isError: true, content: [text(value)] }],
        },
      ]) as JsonObject[];
    expect(failed('no such file')[1]?.output).toBe('Error: no such file');
    expect(failed('Permission denied')[1]?.output).toBe('Permission denied');
  });

  it('one definition per name, complete schemas, strict false unless it was said', () => {
    const body = encode({
      tools: [
        { kind: 'function', name: 'a' },
        { kind: 'function', name: 'a', description: 'again' },
        { kind: 'function', name: 'b', parameters: { properties: {} }, strict: true },
      ],
    });
    expect(body.tools).toEqual([
      { type: 'function', name: 'a', parameters: { type: 'object', properties: {} }, strict: false },
      { type: 'function', name: 'b', parameters: { type: 'object', properties: {} }, strict: true },
    ]);
  });

  it('custom tools are flat, their format as it was', () => {
    const body = encode({
      tools: [
        { kind: 'custom', name: 'p', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        { kind: 'custom', name: 'q' },
      ],
    });
    expect(body.tools).toEqual([
      { type: 'custom', name: 'p', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      { type: 'custom', name: 'q' },
    ]);
  });

  it('the tool choice follows its tool', () => {
    const body = encode({
      tools: [{ kind: 'custom', name: 'ApplyPatch' }],
      toolChoice: { type: 'tool', kind: 'function', name: 'ApplyPatch' },
    });
    expect(body.tool_choice).toEqual({ type: 'custom', name: 'ApplyPatch' });
  });

  it('drops tool_choice and parallel_tool_calls without tools', () => {
    const body = encode({ toolChoice: { type: 'auto' }, parallelToolCalls: true });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  it('refuses a hosted tool of another dialect by name', () => {
    const tool: ToolDefinition = {
      kind: 'hosted',
      name: 'web_search',
      dialect: 'anthropic-messages',
      hostedType: 'web_search_20250305',
      config: {},
    };
    expect(() => encode({ tools: [tool] })).toThrowError(/web_search \(web_search_20250305\)/);
  });

  it('renames tools that this API would refuse, and remembers their names', () => {
    const long = `mcp.${'x'.repeat(80)}/run`;
    const { body, names } = encodeRequest(
      foreign({
        tools: [
          { kind: 'function', name: long },
          { kind: 'function', name: 'run', namespace: 'a' },
          { kind: 'function', name: 'run', namespace: 'b' },
        ],
        messages: [{ role: 'assistant', content: [{ ...call, name: long }] }],
      }),
    );
    const wireNames = (body.tools as JsonObject[]).map(({ name }) => String(name));
    expect(wireNames).toEqual([expect.stringMatching(/^mcp_x+_[0-9a-f]{8}$/), 'a__run', 'b__run']);
    expect(wireNames.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect((body.input as JsonObject[])[0]?.name).toBe(wireNames[0]);
    expect(names.origin(String(wireNames[0]))).toEqual({ name: long });
    expect(names.origin('b__run')).toEqual({ name: 'run', namespace: 'b' });
  });

  it('shortens call ids past 64 characters the same way on both sides', () => {
    const callId = 'c'.repeat(100);
    const input = inputOf([
      { role: 'assistant', content: [{ ...call, callId }] },
      { role: 'tool', content: [{ type: 'tool-result', callId, content: [text('1')] }] },
    ]) as JsonObject[];
    expect(String(input[0]?.call_id).length).toBeLessThanOrEqual(64);
    expect(input[1]?.call_id).toBe(input[0]?.call_id);
  });

  it('a user longer than 64 characters is hashed', () => {
    expect(encode({ user: 'short' }).user).toBe('short');
    expect(encode({ user: 'u'.repeat(65) }).user).toMatch(/^[0-9a-f]{64}$/);
  });

  it('stores nothing and asks for encrypted thoughts, except from models that have none', () => {
    expect(encode({})).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(encode({ model: 'gpt-4o' })).not.toHaveProperty('include');
    expect(encode({ store: true })).not.toHaveProperty('include');
  });

  it('include_usage is removed, include_obfuscation kept', () => {
    const extra = { 'openai-chat': { stream_options: { include_obfuscation: false } } };
    expect(encode({ includeUsage: true })).not.toHaveProperty('stream_options');
    expect(encode({ extra }).stream_options).toEqual({ include_obfuscation: false });
  });

  it('maps limits, effort, verbosity and format', () => {
    expect(
      encode({
        sampling: { maxOutputTokens: 100, temperature: 0.1 },
        reasoning: { effort: 'high' },
        verbosity: 'low',
        output: { type: 'json-schema', schema: { type: 'object' } },
      }),
    ).toMatchObject({
      max_output_tokens: 100,
      temperature: 0.1,
      reasoning: { effort: 'high' },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'response', schema: { type: 'object' } },
      },
    });
    expect(encode({ reasoning: { budgetTokens: 2000, enabled: true } }).reasoning).toEqual({ effort: 'low' });
  });

  it('warns of what this API cannot express', () => {
    const { body, warnings } = encodeRequest(
      foreign({ sampling: { stop: ['x'], seed: 1, presencePenalty: 1, logprobs: true, maxOutputTokens: 1 } }),
    );
    expect(warnings.map(({ message }) => message).join('\n')).toMatch(
      /logprobs[\s\S]*presence_penalty[\s\S]*seed[\s\S]*stop[\s\S]*raised from 1 to 16/,
    );
    expect(body.max_output_tokens).toBe(16);
    expect(body).not.toHaveProperty('stop');
  });

  it('sends only thoughts that OpenAI can read', () => {
    const thought = (fields: object) =>
      ({ type: 'reasoning', text: 'Hm', form: 'summary', ...fields }) as const;
    const input = inputOf([
      { role: 'user', content: [text('Go')] },
      {
        role: 'assistant',
        content: [
          thought({ signature: 's', origin: 'anthropic' }),
          text('A'),
          thought({}),
          text('B'),
          thought({ encrypted: 'gAAA', origin: 'openai' }),
          text('C'),
        ],
      },
    ]) as JsonObject[];
    expect(input.filter(({ type }) => type === 'reasoning')).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gAAA' },
    ]);
  });
});

describe('a request of this dialect', () => {
  const encodeOwn = (body: JsonObject) => encodeRequest(decodeRequestBody({ model: 'm', ...body })).body;

  it('keeps instructions, system items, ids and its own silence about store and strict', () => {
    const body = {
      instructions: 'Be brief.',
      input: [
        { type: 'message', id: 'msg_1', role: 'system', content: [{ type: 'input_text', text: 'S' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{}', status: 'completed' },
      ],
      tools: [{ type: 'function', name: 'f', parameters: {} }],
    };
    expect(encodeOwn(body)).toEqual({ model: 'm', ...body });
  });

  it('gives namespaces and additional tools back as they came', () => {
    const body = {
      input: [
        { type: 'additional_tools', id: 'x', role: 'developer', tools: [{ type: 'custom', name: 'exec' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      ],
      tools: [
        {
          type: 'namespace',
          name: 'n',
          description: 'Group.',
          tools: [
            { type: 'function', name: 'a', parameters: {}, strict: false },
            { type: 'custom', name: 'b' },
          ],
        },
        { type: 'web_search' },
      ],
    };
    expect(encodeOwn(body)).toEqual({ model: 'm', ...body });
  });

  it("never sends another vendor's proof or our own summaries to OpenAI", () => {
    const proof = sealProof({ text: 'Hm', form: 'raw', signature: 'sig', origin: 'anthropic' });
    const { input } = encodeOwn({
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: proof },
        { type: 'message', role: 'assistant', content: 'A' },
        { type: 'compaction', id: 'cmp_1', encrypted_content: sealSummary('So far: nothing.') },
      ],
    });
    expect(input).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A', annotations: [] }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'So far: nothing.' }] },
    ]);
  });

  it('removes include_usage, which belongs to the chat dialect', () => {
    const body = encodeOwn({
      input: 'x',
      stream_options: { include_usage: true, include_obfuscation: false },
    });
    expect(body.stream_options).toEqual({ include_obfuscation: false });
  });
});

it('opens a sealed proof again, and nothing else', () => {
  const proof = { text: 'Hm ü', form: 'raw', signature: 'sig', origin: 'anthropic' } as const;
  const [message] = decodeRequestBody({
    model: 'm',
    input: [{ type: 'reasoning', summary: [], encrypted_content: sealProof(proof) }],
  }).messages;
  expect(message?.content[0]).toMatchObject({ type: 'reasoning', ...proof });
  const [damaged] = decodeRequestBody({
    model: 'm',
    input: [{ type: 'reasoning', summary: [], encrypted_content: 'crosspoint.proof.!!' }],
  }).messages;
  expect(damaged?.content[0]).toMatchObject({ form: 'redacted', encrypted: 'crosspoint.proof.!!' });
});
