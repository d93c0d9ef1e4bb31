import { describe, expect, it } from 'vitest';
import type { JsonObject, Message, Part, ToolDefinition, TurnRequest } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { type ChatEncoding, chooseEncoding } from './encoding-options.ts';

const OPENAI = chooseEncoding({ baseUrl: undefined, capabilities: [] });
const PLAIN = chooseEncoding({ baseUrl: 'http://127.0.0.1:8000/v1', capabilities: [] });

/** A request that another dialect brought. */
function foreign(fields: Partial<TurnRequest>): TurnRequest {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  return { model: 'm', messages, tools: [], sampling: {}, stream: false, ...fields };
}

function encodeMessages(messages: readonly Message[], encoding: ChatEncoding = PLAIN) {
  return encodeRequest(foreign({ messages }), encoding).body.messages;
}

const f: ToolDefinition = { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
const patchTool: ToolDefinition = {
  kind: 'custom',
  name: 'apply_patch',
  description: 'Patches.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
};
const call: Part = {
  type: 'tool-call',
  callId: 'a',
  name: 'f',
  kind: 'function',
  argumentsText: '{ "x": 1 }',
};

describe('what a server can take', () => {
  it('is everything for OpenAI, little for an unknown server, and whatever is configured', () => {
    expect(OPENAI).toMatchObject({
      developerRole: true,
      customTools: true,
      maxTokensField: 'max_completion_tokens',
    });
    expect(PLAIN).toMatchObject({ developerRole: false, customTools: false, maxTokensField: 'max_tokens' });
    const capable = chooseEncoding({
      baseUrl: 'http://127.0.0.1/v1',
      capabilities: ['custom_tools', 'developer_role'],
    });
    expect(capable).toMatchObject({ developerRole: true, customTools: true, openaiFields: false });
    expect(chooseEncoding({ baseUrl: 'https://api.deepseek.com', capabilities: [] }).reasoningReplay).toBe(
      true,
    );
  });
});

describe('messages of another dialect', () => {
  it('fit a plain chat server', () => {
    expect(
      encodeMessages([
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B' },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Q', cache: {} }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', form: 'raw' },
            { type: 'text', text: 'T' },
          ],
        },
        { role: 'assistant', content: [call] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'R' }] }],
        },
      ]),
    ).toEqual([
      { role: 'system', content: 'A\n\nB' },
      { role: 'user', content: 'Q' },
      {
        role: 'assistant',
        content: 'T',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{ "x": 1 }' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'R' },
    ]);
  });

  it('keep texts apart that a call or a message parted', () => {
    const text = (value: string): Part => ({ type: 'text', text: value });
    expect(
      encodeMessages([
        { role: 'assistant', content: [text('A'), text('B'), call, text('C')] },
        { role: 'assistant', content: [text('D')] },
      ]),
    ).toMatchObject([{ content: 'AB\n\nC\n\nD', tool_calls: [{ id: 'a' }] }]);
  });

  it('send null beside calls and never an empty list', () => {
    expect(encodeMessages([{ role: 'assistant', content: [call] }])).toMatchObject([{ content: null }]);
    expect(encodeMessages([{ role: 'assistant', content: [] }])).toEqual([
      { role: 'assistant', content: '' },
    ]);
  });

  it('replay thoughts only where they are wanted', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', form: 'raw' }, call] },
    ];
    expect(encodeMessages(messages)).not.toMatchObject([{ reasoning_content: 'hm' }]);
    expect(encodeMessages(messages, { ...PLAIN, reasoningReplay: true })).toMatchObject([
      { reasoning_content: 'hm' },
    ]);
  });

  it('show pictures of tool results after all results of the round', () => {
    const image: Part = { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } };
    const result = (callId: string, content: Part & { type: 'image' | 'text' }): Message => ({
      role: 'tool',
      content: [{ type: 'tool-result', callId, content: [content] }],
    });
    expect(
      encodeMessages([
        result('a', image),
        result('b', { type: 'text', text: 'R' }),
        { role: 'user', content: [{ type: 'text', text: 'U' }] },
      ]),
    ).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'The result is in the next message.' },
      { role: 'tool', tool_call_id: 'b', content: 'R' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Returned by tool call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { role: 'user', content: 'U' },
    ]);
  });

  it.each([
    ['it broke', 'Error: it broke'],
    ['ENOENT error: no file', 'ENOENT error: no file'],
    ['', 'Error: the tool failed without a message.'],
  ])('say in words that a tool failed: %j', (text, expected) => {
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    expect(
      encodeMessages([
        { role: 'tool', content: [{ type: 'tool-result', callId: 'a', content, isError: true }] },
      ]),
    ).toMatchObject([{ content: expected }]);
  });

  it('leave out what no chat server understands, and say so', () => {
    const { body, warnings } = encodeRequest(
      foreign({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'opaque', dialect: 'x', value: 1 },
              { type: 'text', text: 'U' },
            ],
          },
        ],
      }),
      PLAIN,
    );
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'U' }] }]);
    expect(warnings).toMatchObject([{ code: 'part-dropped' }]);
  });
});

describe('tools', () => {
  it('always have a schema and appear once', () => {
    const { body } = encodeRequest(foreign({ tools: [{ kind: 'function', name: 'f' }, f] }), PLAIN);
    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('settings are left out when there are no tools', () => {
    const { body } = encodeRequest(
      foreign({ toolChoice: { type: 'auto' }, parallelToolCalls: false }),
      PLAIN,
    );
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  it('of the custom kind stay custom where they are understood', () => {
    const { body, toolOrigins } = encodeRequest(foreign({ tools: [patchTool] }), OPENAI);
    expect(body.tools).toEqual([
      {
        type: 'custom',
        custom: {
          name: 'apply_patch',
          description: 'Patches.',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
        },
      },
    ]);
    expect(toolOrigins.size).toBe(0);
  });

  it('of the custom kind are lowered elsewhere, their history and choice too', () => {
    const raw: Part = {
      type: 'tool-call',
      callId: 'p',
      name: 'apply_patch',
      kind: 'custom',
      argumentsText: '*** "x"\n',
    };
    const { body, toolOrigins } = encodeRequest(
      foreign({
        tools: [patchTool],
        toolChoice: { type: 'tool', kind: 'custom', name: 'apply_patch' },
        messages: [{ role: 'assistant', content: [raw] }],
      }),
      PLAIN,
    );
    expect(body.tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: expect.stringContaining('start: "x"'),
          parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
        },
      },
    ]);
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } });
    expect(body.messages).toMatchObject([
      { tool_calls: [{ type: 'function', function: { arguments: '{"input":"*** \\"x\\"\\n"}' } }] },
    ]);
    expect(toolOrigins.get('apply_patch')).toEqual({ name: 'apply_patch', isLowered: true });
  });

  it('with a namespace, odd characters or long names get a name that fits and is found again', () => {
    const long = 'x'.repeat(80);
    const { body, toolOrigins } = encodeRequest(
      foreign({
        tools: [
          { ...f, namespace: 'shell' },
          { ...f, name: 'a.b' },
          { ...f, name: 'a/b' },
          { ...f, name: long },
        ],
      }),
      PLAIN,
    );
    const names = (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names.map((name) => toolOrigins.get(name)?.name)).toEqual(['f', 'a.b', 'a/b', long]);
    expect(toolOrigins.get('shell__f')).toEqual({ name: 'f', namespace: 'shell', isLowered: false });
  });

  it('hosted by another dialect are refused by name', () => {
    const hosted: ToolDefinition = {
      kind: 'hosted',
      name: 'web',
      dialect: 'openai-responses',
      hostedType: 'web_search',
      config: {},
    };
    expect(() => encodeRequest(foreign({ tools: [hosted] }), OPENAI)).toThrow(/"web" \(web_search\)/);
  });

  it('that are not allowed are not offered to a server without allowed_tools', () => {
    const request = foreign({
      tools: [f, { ...f, name: 'g' }],
      toolChoice: { type: 'allowed', mode: 'required', tools: [{ kind: 'function', name: 'g' }] },
    });
    expect(encodeRequest(request, PLAIN).body).toMatchObject({
      tools: [{ function: { name: 'g' } }],
      tool_choice: 'required',
    });
    expect(encodeRequest(request, OPENAI).body).toMatchObject({ tool_choice: { type: 'allowed_tools' } });
  });
});

describe('options', () => {
  it('use the field the server knows, or the one the client used', () => {
    const sampling = { maxOutputTokens: 9 };
    expect(encodeRequest(foreign({ sampling }), PLAIN).body).toMatchObject({ max_tokens: 9 });
    expect(encodeRequest(foreign({ sampling }), OPENAI).body).toMatchObject({ max_completion_tokens: 9 });
    const own = decodeRequestBody({ messages: [{ role: 'user', content: 'x' }], max_tokens: 9 });
    expect(encodeRequest(own, OPENAI).body).toMatchObject({ max_tokens: 9 });
  });

  it('always ask for usage in a stream', () => {
    expect(encodeRequest(foreign({ stream: true }), PLAIN).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('that only OpenAI has are kept from others', () => {
    const request = foreign({ verbosity: 'low', store: false, promptCacheKey: 'k' });
    const { body, warnings } = encodeRequest(request, PLAIN);
    expect(Object.keys(body)).toEqual(['model', 'messages']);
    expect(warnings).toMatchObject([
      { code: 'option-dropped', message: expect.stringContaining('verbosity') },
    ]);
    expect(encodeRequest(request, OPENAI).body).toMatchObject({
      verbosity: 'low',
      store: false,
      prompt_cache_key: 'k',
    });
  });

  it.each([
    [{ effort: 'xhigh' }, 'xhigh'],
    [{ budgetTokens: 1024 }, 'low'],
    [{ budgetTokens: 16000 }, 'high'],
    [{ enabled: false }, undefined],
  ])('say how much to think in words: %j', (reasoning, expected) => {
    expect(encodeRequest(foreign({ reasoning }), PLAIN).body.reasoning_effort).toBe(expected);
  });
});

describe('a request of this dialect', () => {
  it('leaves as it came, unknown fields included', () => {
    const body: JsonObject = {
      model: 'm',
      messages: [
        { role: 'developer', content: 'D' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'U', cache_control: { type: 'ephemeral' } }],
          mood: 'good',
        },
        {
          role: 'assistant',
          content: null,
          reasoning: 'hm',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'a.b', arguments: '' }, extra_content: { x: 1 } },
          ],
        },
        {
          role: 'tool',
          tool_call_id: 'a',
          content: [
            { type: 'text', text: '1' },
            { type: 'text', text: '2' },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'a.b', parameters: { type: 'object' } } }],
      tool_choice: 'auto',
      reasoning: { effort: 'low', exclude: true },
      modalities: ['text'],
      response_format: { type: 'grammar', grammar: 'x' },
      store: true,
    };
    expect(encodeRequest(decodeRequestBody(body), PLAIN).body).toEqual(body);
  });
});
