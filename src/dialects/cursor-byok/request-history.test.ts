// Calls, results and words of earlier turns. Numbers are rows of docs/protocols/cursor-byok.md.
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

const user = { role: 'user', content: 'hi' };

const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };

const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';

const call = (id: string, name = 'Read', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

const output = (call_id: string, text = 'done') => ({ type: 'function_call_output', call_id, output: text });

const callItem = (call_id: string, more: JsonObject = {}) => ({
  type: 'function_call',
  call_id,
  name: 'Read',
  arguments: '{}',
  ...more,
});

describe('history', () => {
  const asked = [user, callItem('call_aaaaaaaa'), callItem('call_bbbbbbbb')];

  it('29: calls in a row are one assistant message', () => {
    const sent = messagesOf({ input: [...asked, output('call_aaaaaaaa'), output('call_bbbbbbbb')] });
    expect(sent.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(sent[1]?.tool_calls).toHaveLength(2);
  });

  it('30: the words before a call stay in its message', () => {
    const words = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'let me see' }],
    };
    const sent = messagesOf({ input: [user, words, callItem('call_aaaaaaaa'), output('call_aaaaaaaa')] });
    expect(sent[1]).toMatchObject({ content: 'let me see', tool_calls: [{ id: 'call_aaaaaaaa' }] });
  });

  it('31: calls with a user message between them are not merged', () => {
    const items = [user, callItem('call_aaaaaaaa'), user, callItem('call_bbbbbbbb')];
    const sent = messagesOf({ input: [...items, output('call_aaaaaaaa'), output('call_bbbbbbbb')] });
    expect(sent.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('32: a message between a call and its output moves behind the output', () => {
    const late = { role: 'user', content: 'wait' };
    const chat = [
      user,
      { role: 'assistant', tool_calls: [call('call_aaaaaaaa')] },
      late,
      { role: 'tool', tool_call_id: 'call_aaaaaaaa', content: 'r' },
    ];
    for (const body of [{ messages: chat }, { input: [user, asked[1], late, output('call_aaaaaaaa')] }]) {
      const sent = messagesOf(body as JsonObject);
      expect(sent.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user']);
      expect(sent[3]).toEqual(late);
    }
  });

  it('33: an output without a call is not sent as a tool message', () => {
    const chat = [user, { role: 'tool', tool_call_id: 'call_zzzzzzzz', content: 'r' }];
    expect(messagesOf({ messages: chat })).toEqual([user]);
    expect(messagesOf({ input: [user, output('call_zzzzzzzz')] })).toEqual([user]);
  });

  it('34: a call without an output gets one that says so', () => {
    const sent = messagesOf({
      messages: [user, { role: 'assistant', tool_calls: [call('call_aaaaaaaa')] }, user],
    });
    expect(sent[2]).toEqual({
      role: 'tool',
      tool_call_id: 'call_aaaaaaaa',
      content: 'No result was returned for this call.',
    });
    expect(sent[3]).toEqual(user);
  });

  it('35: two outputs of one call become one', () => {
    const items = [user, asked[1], output('call_aaaaaaaa', 'one'), output('call_aaaaaaaa', 'two')];
    const sent = messagesOf({ input: items as JsonObject[] });
    expect(sent.filter((message) => message.role === 'tool')).toHaveLength(1);
  });

  it('36: a call without `call_id` is known by its `id`', () => {
    const items = [user, { type: 'function_call', id: 'fc_abcdefgh', name: 'Read', arguments: '{}' }];
    const sent = messagesOf({ input: [...items, output('fc_abcdefgh', 'r')] });
    expect(sent[1]).toMatchObject({ tool_calls: [{ id: 'fc_abcdefgh' }] });
    expect(sent[2]).toMatchObject({ tool_call_id: 'fc_abcdefgh', content: 'r' });
  });

  it('37: a counted `call_0` gives way to the unique id of its item', () => {
    const turn = (id: string, text: string) => [callItem('call_0', { id }), output('call_0', text)];
    const sent = messagesOf({ input: [user, ...turn('fc_first', 'one'), user, ...turn('fc_second', 'two')] });
    const results = sent.filter((message) => message.role === 'tool');
    expect(results).toMatchObject([
      { tool_call_id: 'fc_first', content: 'one' },
      { tool_call_id: 'fc_second', content: 'two' },
    ]);
  });

  it('tells calls apart whose ids repeat and that have no other', () => {
    const turn = (text: string) => [
      { role: 'assistant', tool_calls: [call('call_0')] },
      { role: 'tool', tool_call_id: 'call_0', content: text },
    ];
    const sent = messagesOf({ messages: [user, ...turn('one'), user, ...turn('two')] });
    expect(sent.filter((message) => message.role === 'tool')).toMatchObject([
      { tool_call_id: 'call_0', content: 'one' },
      { tool_call_id: 'call_0_2', content: 'two' },
    ]);
  });

  it('38: an output of text parts is text, one with a picture keeps it', () => {
    const parts = [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ];
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
    const send = (value: unknown) =>
      messagesOf({ input: [user, asked[1], { ...output('call_aaaaaaaa'), output: value }] } as JsonObject);
    expect(send(parts)[2]?.content).toBe('a\nb');
    expect(JSON.stringify(send([...parts, image]))).toContain('data:image/png;base64,AAAA');
    expect(JSON.stringify(send(JSON.stringify([...parts, image]))[3])).toContain(
      'data:image/png;base64,AAAA',
    );
  });

  it('39: an output of null is empty text, an object its JSON', () => {
    const send = (value: unknown) =>
      messagesOf({ input: [user, asked[1], { ...output('call_aaaaaaaa'), output: value }] } as JsonObject)[2];
    expect(send(null)?.content).toBe('');
    expect(send({ ok: true })?.content).toBe('{"ok":true}');
  });

  const applyPatch = { type: 'custom', name: 'ApplyPatch', format: grammar };
  const customHistory = [
    user,
    { type: 'custom_tool_call', call_id: 'call_aaaaaaaa', name: 'ApplyPatch', input: patch },
    { type: 'custom_tool_call_output', call_id: 'call_aaaaaaaa', output: 'ok' },
  ];
  const enveloped = [
    user,
    { role: 'assistant', content: null, tool_calls: [call('call_aaaaaaaa', 'ApplyPatch', patch)] },
    { role: 'tool', tool_call_id: 'call_aaaaaaaa', content: 'ok' },
  ];

  it('40: custom history reaches a lowered chat upstream as JSON', () => {
    const sent = messagesOf({ input: customHistory, tools: [applyPatch] });
    expect(sent[1]).toMatchObject({
      tool_calls: [
        { type: 'function', function: { name: 'ApplyPatch', arguments: JSON.stringify({ input: patch }) } },
      ],
    });
  });

  it('41: a function envelope around a declared custom tool is a custom call for Responses', () => {
    for (const body of [
      { messages: enveloped, tools: [applyPatch] },
      {
        input: [
          user,
          callItem('call_aaaaaaaa', { id: 'fc_1', name: 'ApplyPatch', arguments: patch }),
          output('call_aaaaaaaa', 'ok'),
        ],
        tools: [applyPatch],
      },
    ]) {
      const items = toResponses(body as JsonObject).input as JsonObject[];
      expect(items[1]).toMatchObject({ type: 'custom_tool_call', name: 'ApplyPatch', input: patch });
      expect(items[1]?.id).not.toBe('fc_1');
      expect(items[2]).toMatchObject({ type: 'custom_tool_call_output', output: 'ok' });
    }
  });

  it('42: the same for a lowered chat upstream is wrapped to valid JSON', () => {
    const sent = messagesOf({ messages: enveloped, tools: [applyPatch] });
    expect(sent[1]).toMatchObject({
      tool_calls: [{ function: { arguments: JSON.stringify({ input: patch }) } }],
    });
  });

  it('knows a patch whose tool is no longer declared', () => {
    expect(messagesOf({ messages: enveloped })[1]).toMatchObject({
      tool_calls: [{ function: { arguments: JSON.stringify({ input: patch }) } }],
    });
  });

  it('43: sealed reasoning never becomes words', () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'SEALED' };
    const items = [user, sealed, asked[1], output('call_aaaaaaaa')] as JsonObject[];
    expect(JSON.stringify(messagesOf({ input: items }))).not.toContain('SEALED');
    expect(toResponses({ input: items }).input).toContainEqual(sealed);
  });

  it('44: null and empty text parts are skipped', () => {
    const content = [
      { type: 'text', text: null },
      { type: 'text', text: '' },
      { type: 'input_text', text: 'x' },
    ];
    expect(messagesOf({ messages: [{ role: 'user', content }] })).toEqual([{ role: 'user', content: 'x' }]);
  });

  it('45: a detail that chat does not know becomes one that it knows', () => {
    const image = (detail: string) => ({ type: 'input_image', image_url: 'https://x/y.png', detail });
    const sent = (detail: string) =>
      JSON.stringify(toOpenAiChat({ messages: [{ role: 'user', content: [image(detail)] }] }).messages);
    expect(sent('original')).toContain('"detail":"high"');
    expect(sent('low')).toContain('"detail":"low"');
    expect(sent('brand-new')).toContain('"detail":"auto"');
  });

  it('46: `content: []` beside calls becomes null', () => {
    const messages = [user, { role: 'assistant', content: [], tool_calls: [call('call_aaaaaaaa')] }];
    expect((normaliseBody({ messages }).body.messages as JsonObject[])[1]?.content).toBeNull();
  });

  it('47: `tool_calls: []` is removed', () => {
    const messages = [user, { role: 'assistant', content: 'x', tool_calls: [] }, user];
    expect(messagesOf({ messages })[1]).toEqual({ role: 'assistant', content: 'x' });
  });

  it('48: `developer` is `system` for chat and `input_text` for Responses', () => {
    const rules = {
      role: 'developer',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(messagesOf({ messages: [rules, user] })[0]?.role).toBe('system');
    const { instructions, input } = toResponses({ messages: [rules, user] });
    expect(JSON.stringify({ instructions, input })).not.toContain('output_text');
  });

  it('49 and 50: assistant words reach Responses as `output_text`, also beside calls', () => {
    const messages = [
      user,
      { role: 'assistant', content: 'words', tool_calls: [call('call_aaaaaaaa')] },
      { role: 'tool', tool_call_id: 'call_aaaaaaaa', content: 'r' },
    ];
    const items = toResponses({ messages }).input as JsonObject[];
    expect(items[1]).toMatchObject({ content: [{ type: 'output_text', text: 'words', annotations: [] }] });
    expect(items[2]).toMatchObject({ type: 'function_call', call_id: 'call_aaaaaaaa' });
  });

  it('51: a native custom call in chat history is a custom item for Responses', () => {
    const custom = { id: 'call_aaaaaaaa', type: 'custom', custom: { name: 'ApplyPatch', input: patch } };
    const result = { role: 'tool', tool_call_id: 'call_aaaaaaaa', content: 'ok' };
    const messages = [user, { role: 'assistant', content: null, tool_calls: [custom] }, result];
    const items = toResponses({ messages, tools: [applyPatch] }).input as JsonObject[];
    expect(items.slice(1)).toMatchObject([{ type: 'custom_tool_call' }, { type: 'custom_tool_call_output' }]);
  });

  it('52: system messages alone still ask something of Responses', () => {
    const sent = toResponses({ messages: [{ role: 'system', content: 'rules' }] });
    expect(sent.input).not.toEqual([]);
    expect(sent.input).toBeDefined();
  });

  it('an empty user turn goes, unless it is the one that asks', () => {
    const empty = { role: 'user', content: '' };
    const said = { role: 'assistant', content: 'x' };
    expect(messagesOf({ messages: [empty, user] })).toEqual([user]);
    expect(messagesOf({ messages: [user, said, empty] }).at(-1)).toEqual({ role: 'user', content: '...' });
  });

  it('passes argument text byte for byte', () => {
    const args = '{ "path" : "a\\u00e9" ,"n":1.0}';
    const messages = [user, { role: 'assistant', tool_calls: [call('call_aaaaaaaa', 'Read', args)] }];
    expect(JSON.stringify(messagesOf({ messages })[1])).toContain(JSON.stringify(args));
  });
});
