import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { decodeRequest, decodeRequestBody } from './decode-request.ts';

const decode = (fields: JsonObject) => decodeRequestBody({ model: 'm', input: 'Hi', ...fields });
const messagesOf = (input: JsonValue) => decode({ input }).messages;
const own = (value: JsonObject) => ({ 'openai-responses': value });

describe('the input of a request', () => {
  it('a string is one user message', () => {
    expect(messagesOf('Hello')).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
  });

  it('puts instructions first and marks them', () => {
    expect(decode({ instructions: 'Be brief.' }).messages[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.' }],
      extra: own({ instructions: true }),
    });
  });

  it('reads easy messages, plain strings inside lists, and every role', () => {
    const messages = messagesOf([
      { role: 'system', content: 'S' },
      { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { role: 'user', content: ['plain', { type: 'input_text', text: 'part' }] },
      { role: 'assistant', content: 'A' },
      'loose',
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'developer', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toEqual([
      { type: 'text', text: 'plain' },
      { type: 'text', text: 'part' },
    ]);
  });

  it('reads pictures, files and sound', () => {
    const [message] = messagesOf([
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' },
          { type: 'input_image', image_url: 'https://x.test/a.png' },
          { type: 'input_image', file_id: 'file_1' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
          { type: 'input_file', file_url: 'https://x.test/a.pdf' },
          { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
        ],
      },
    ]);
    expect(message?.content).toEqual([
      { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' }, detail: 'high' },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      { type: 'image', source: { type: 'id', id: 'file_1' } },
      {
        type: 'file',
        source: { type: 'base64', data: 'BBBB', mediaType: 'application/pdf' },
        filename: 'a.pdf',
      },
      { type: 'file', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      { type: 'audio', source: { type: 'base64', data: 'CCCC' }, format: 'mp3' },
    ]);
  });

  it('thoughts, text and calls in a row are one assistant message, in order', () => {
    const messages = messagesOf([
      { role: 'user', content: 'Go' },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
      { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'On it.' }] },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'g', arguments: '{ }' },
      { type: 'function_call_output', call_id: 'a', output: '1' },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(messages[1]?.content.map((part) => part.type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
      'tool-call',
    ]);
    expect(messages[1]?.content[3]).toMatchObject({ callId: 'b', argumentsText: '{ }' });
  });

  it('calls separated by a user message are not merged', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
    const roles = messagesOf([call('a'), { role: 'user', content: 'and' }, call('b')]).map(
      ({ role }) => role,
    );
    expect(roles).toEqual(['assistant', 'user', 'assistant']);
  });

  it('a call without call_id is known by its id', () => {
    const [message] = messagesOf([{ type: 'function_call', id: 'fc_9', name: 'f', arguments: '{}' }]);
    expect(message?.content[0]).toMatchObject({ callId: 'fc_9', itemId: 'fc_9' });
  });

  it('keeps argument text byte for byte and ignores parsed_arguments', () => {
    const text = '{ "a":1.0,\n"b":"\\u00e4" }';
    const [message] = messagesOf([
      { type: 'function_call', call_id: 'a', name: 'f', arguments: text, parsed_arguments: { a: 1 } },
    ]);
    expect(message?.content[0]).toEqual({
      type: 'tool-call',
      callId: 'a',
      name: 'f',
      kind: 'function',
      argumentsText: text,
    });
  });

  it.each<[string, JsonValue, unknown]>([
    ['a list of input_text', [{ type: 'input_text', text: 'x' }], [{ type: 'text', text: 'x' }]],
    [
      'a list with a picture',
      [{ type: 'input_image', image_url: 'https://x.test/a.png' }],
      [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
    ],
    ['null', null, []],
    ['an object', { ok: true }, [{ type: 'text', text: '{"ok":true}' }]],
    ['a list that is not parts', [1, 2], [{ type: 'text', text: '[1,2]' }]],
  ])('reads the output of a tool: %s', (_name, output, content) => {
    const [message] = messagesOf([{ type: 'function_call_output', call_id: 'a', output }]);
    expect(message?.content[0]).toMatchObject({ type: 'tool-result', kind: 'function', content });
  });

  it('reads custom calls and their outputs, arrays included (Codex)', () => {
    const [call, result] = messagesOf([
      {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'a',
        name: 'apply_patch',
        input: '*** Begin',
        status: 'completed',
      },
      {
        type: 'custom_tool_call_output',
        id: 'ctc_2',
        call_id: 'a',
        output: [{ type: 'input_text', text: 'Done' }],
      },
    ]);
    expect(call?.content[0]).toMatchObject({ kind: 'custom', argumentsText: '*** Begin', itemId: 'ctc_1' });
    expect(result?.content[0]).toMatchObject({ kind: 'custom', content: [{ type: 'text', text: 'Done' }] });
  });

  it('a reasoning item with only encrypted content is not text (OpenCode sends it without an id)', () => {
    const [message] = messagesOf([{ type: 'reasoning', summary: [], encrypted_content: 'gAAA' }]);
    expect(message?.content).toEqual([
      {
        type: 'reasoning',
        text: '',
        form: 'redacted',
        encrypted: 'gAAA',
        origin: 'openai',
        extra: own({ item: {} }),
      },
    ]);
  });

  it('text that is null or empty is skipped', () => {
    const [message] = messagesOf([
      { role: 'user', content: [{ type: 'input_text', text: null }, { type: 'input_text', text: '' }, 'x'] },
    ]);
    expect(message?.content).toEqual([{ type: 'text', text: 'x' }]);
  });

  it('keeps items without a canonical meaning in their place', () => {
    const items = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'local_shell_call', id: 'l_1', call_id: 'x', action: {} },
      { type: 'local_shell_call_output', id: 'l_1', output: 'ok' },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'hologram', beam: 1 },
    ];
    const messages = messagesOf(items);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    expect(
      messages.flatMap(({ content }) => content).map((part) => (part.type === 'opaque' ? part.value : part)),
    ).toEqual(items);
  });

  it('takes tools out of additional_tools items and keeps the item (Codex, newest models)', () => {
    const tool = { type: 'custom', name: 'exec', format: { type: 'text' } };
    const request = decode({
      input: [
        { type: 'additional_tools', role: 'developer', tools: [tool] },
        { role: 'user', content: 'Go' },
      ],
    });
    expect(request.tools).toMatchObject([{ kind: 'custom', name: 'exec', extra: own({ additional: true }) }]);
    expect(request.messages[0]).toMatchObject({ role: 'developer', content: [{ type: 'opaque' }] });
  });
});

describe('the tools of a request', () => {
  const tools = (list: JsonValue[]) => decode({ tools: list }).tools;

  it('nested forms are understood, nested names win, empty envelopes fall back', () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' };
    expect(
      tools([
        { type: 'function', function: { name: 'a', parameters: { type: 'object' } } },
        { type: 'custom', custom: { name: 'b', format: { type: 'grammar', grammar } } },
        { type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
        { type: 'custom', custom: {}, name: 'd' },
        { type: 'custom', custom: { name: 'e' }, name: 'not-e' },
        { name: 'f', input_schema: { type: 'object' } },
      ]),
    ).toEqual([
      { kind: 'function', name: 'a', parameters: { type: 'object' } },
      { kind: 'custom', name: 'b', format: { type: 'grammar', ...grammar } },
      { kind: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
      { kind: 'custom', name: 'd' },
      { kind: 'custom', name: 'e' },
      { kind: 'function', name: 'f', parameters: { type: 'object' } },
    ]);
  });

  it('keeps the same name in two namespaces apart', () => {
    const group = (name: string) => ({
      type: 'namespace',
      name,
      description: `The ${name} tools.`,
      tools: [{ type: 'function', name: 'run', parameters: {} }],
    });
    expect(tools([group('a'), group('b')]).map(({ name, namespace }) => `${namespace}.${name}`)).toEqual([
      'a.run',
      'b.run',
    ]);
  });

  it.each([
    'web_search',
    'image_generation',
    'tool_search',
    'local_shell',
    'code_interpreter',
    'apply_patch',
  ])('keeps %s as a tool of the server', (type) => {
    expect(tools([{ type, x: 1 }])).toEqual([
      { kind: 'hosted', name: type, dialect: 'openai-responses', hostedType: type, config: { type, x: 1 } },
    ]);
  });

  it.each<[JsonValue, unknown]>([
    ['auto', { type: 'auto' }],
    ['required', { type: 'required' }],
    [{}, { type: 'auto' }],
    [{ type: 'any' }, { type: 'required' }],
    [{ type: 'function' }, { type: 'required' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', kind: 'function', name: 'f' },
    ],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', kind: 'function', name: 'f' },
    ],
    [
      { type: 'custom', name: 'p' },
      { type: 'tool', kind: 'custom', name: 'p' },
    ],
    [{ type: 'web_search_preview' }, { type: 'tool', kind: 'hosted', name: 'web_search_preview' }],
    [
      { type: 'mcp', server_label: 's' },
      { type: 'tool', kind: 'hosted', name: 's' },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      { type: 'allowed', mode: 'required', tools: [{ kind: 'function', name: 'f' }] },
    ],
  ])('reads tool_choice %j', (choice, expected) => {
    expect(decode({ tool_choice: choice }).toolChoice).toEqual(expected);
  });
});

describe('the options of a request', () => {
  it('gives the canon what it has words for and keeps the rest', () => {
    const request = decode({
      max_output_tokens: 5,
      temperature: 0.5,
      reasoning: { effort: 'medium', summary: 'auto', context: 'all_turns' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      include: ['reasoning.encrypted_content'],
      client_metadata: { a: 'b' },
      store: false,
    });
    expect(request).toMatchObject({
      sampling: { maxOutputTokens: 5, temperature: 0.5 },
      reasoning: { effort: 'medium', summary: 'auto' },
      output: { type: 'json-schema', name: 'n', schema: {}, strict: true },
      verbosity: 'low',
      store: false,
    });
    expect(request.extra).toEqual(
      own({
        reasoning: { context: 'all_turns' },
        include: ['reasoning.encrypted_content'],
        client_metadata: { a: 'b' },
      }),
    );
  });

  it.each([
    [{ 'session-id': 's1', 'thread-id': 't1' }, 's1'],
    [{ 'x-session-id': 's2' }, 's2'],
    [{ 'thread-id': 't3' }, 't3'],
    [{}, 'conv_1'],
  ])('takes the session from %j', (headers, session) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'x', conversation: { id: 'conv_1' } }));
    const request = { method: 'POST', path: '/v1/responses', query: new URLSearchParams(), headers, body };
    expect(decodeRequest(request).session).toBe(session);
  });
});

describe('a request that cannot be understood', () => {
  it.each<[JsonObject, string]>([
    [{ input: 5 }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: [7] }, 'input[0]'],
    [{ input: [{}] }, 'input[0].type'],
    [{ input: [{ type: 3 }] }, 'input[0].type'],
    [{ input: ['a', 'b', { role: 'user', content: [{ type: 1 }] }] }, 'input[2].content[0].type'],
    [{ input: [{ role: 'user', content: [{ type: 'input_text', text: 1 }] }] }, 'input[0].content[0].text'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].image_url'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: 5 }] }, 'input[0].content'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0].call_id'],
    [{ input: [{ type: 'function_call', call_id: 'a' }] }, 'input[0].name'],
    [{ input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: 5 }] }, 'input[0].arguments'],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
    [{ input: [{ type: 'reasoning', summary: 'x' }] }, 'input[0].summary'],
    [{ tools: {} }, 'tools'],
    [{ tools: [null] }, 'tools[0]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] }, 'tools[0].tools[0].name'],
    [{ tool_choice: 'sometimes' }, 'tool_choice'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ stream: 'yes' }, 'stream'],
    [{ include: 'x' }, 'include'],
    [{ include: [1] }, 'include'],
    [{ model: 5 }, 'model'],
    [{ text: { format: { type: 'yaml' } } }, 'text.format.type'],
    [{ reasoning: { effort: 3 } }, 'reasoning.effort'],
    [{ background: true }, 'background'],
  ])('is refused by its field: %j', (fields, param) => {
    expect(() => decode(fields)).toThrowError(
      expect.objectContaining({ code: 'invalid-request', detail: expect.objectContaining({ param }) }),
    );
  });

  it('needs an input unless something else says what to answer', () => {
    expect(() => decodeRequestBody({ model: 'm' })).toThrowError(/`input` must be/);
    expect(decodeRequestBody({ model: 'm', previous_response_id: 'resp_1' }).messages).toEqual([]);
  });
});
