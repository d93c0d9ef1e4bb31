// Anthropic's blocks inside a chat or Responses envelope, as Cursor sends them for model names with `claude` in them.
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, TurnRequest } from '../../core/index.ts';
import { chooseEncoding, encodeRequest as encodeChat, openaiChatFront } from '../openai-chat/index.ts';
import { encodeRequest as encodeResponses, openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { createCursorByokFront } from './front.ts';

const front = createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront });

function decode(body: JsonObject): TurnRequest {
  return front.decodeRequest(makeRequest({ model: 'my-claude', ...body }));
}

function messagesOf(body: JsonObject): JsonObject[] {
  const encoding = chooseEncoding({ baseUrl: 'http://127.0.0.1:1/v1', capabilities: [] });
  return encodeChat(decode(body), encoding).body.messages as JsonObject[];
}

const use = (id: string, input: JsonObject = { path: 'a' }) => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input,
});
const result = (tool_use_id: string, content: JsonValue = 'r') => ({
  type: 'tool_result',
  tool_use_id,
  content,
});
const text = (words: string) => ({ type: 'text', text: words });
const say = (role: string, ...content: JsonValue[]) => ({ role, content });

describe('Anthropic blocks', () => {
  it('1: a result block becomes a tool message before the words beside it', () => {
    const messages = [
      say('user', text('q')),
      say('assistant', use('toolu_1aaaaaaa')),
      say('user', text('and?'), result('toolu_1aaaaaaa')),
    ];
    expect(messagesOf({ messages }).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1aaaaaaa', content: 'r' },
      { role: 'user', content: 'and?' },
    ]);
  });

  it('2: a picture beside a result is kept as the user showed it', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const messages = [say('assistant', use('toolu_1aaaaaaa')), say('user', result('toolu_1aaaaaaa'), image)];
    expect(messagesOf({ messages }).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    });
  });

  it('3: several results become one tool message each, in order', () => {
    const messages = [
      say('assistant', use('toolu_1aaaaaaa'), use('toolu_2aaaaaaa')),
      say('user', result('toolu_1aaaaaaa', 'one'), result('toolu_2aaaaaaa', 'two')),
    ];
    expect(messagesOf({ messages }).slice(1)).toMatchObject([{ content: 'one' }, { content: 'two' }]);
    expect(messagesOf({ messages })).toHaveLength(3);
  });

  it('4: a result is text, a list, a picture or an object', () => {
    const send = (content: JsonValue) =>
      messagesOf({
        messages: [say('assistant', use('toolu_1aaaaaaa')), say('user', result('toolu_1aaaaaaa', content))],
      });
    expect(send([text('a'), text('b')])[1]?.content).toBe('a\nb');
    expect(send({ ok: 1 })[1]?.content).toBe('{"ok":1}');
    const image = { type: 'image', source: { type: 'url', url: 'https://x/y.png' } };
    expect(JSON.stringify(send([text('see'), image]))).toContain('https://x/y.png');
  });

  it('5: a result without an id answers the one open call, else nobody', () => {
    const bare = { type: 'tool_result', content: 'r' };
    const one = [say('assistant', use('toolu_1aaaaaaa')), say('user', bare)];
    expect(messagesOf({ messages: one })[1]).toMatchObject({ tool_call_id: 'toolu_1aaaaaaa', content: 'r' });
    const two = [say('assistant', use('toolu_1aaaaaaa'), use('toolu_2aaaaaaa')), say('user', bare)];
    expect(JSON.stringify(messagesOf({ messages: two }))).not.toContain('"r"');
  });

  it('6: a use block becomes a call with JSON text, its message silent', () => {
    expect(messagesOf({ messages: [say('assistant', use('toolu_1aaaaaaa'))] })[0]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'toolu_1aaaaaaa', type: 'function', function: { name: 'Read', arguments: '{"path":"a"}' } },
      ],
    });
  });

  it('7: words around a call come before it in one message', () => {
    const messages = [say('assistant', text('one '), use('toolu_1aaaaaaa'), text('two'))];
    expect(messagesOf({ messages })[0]).toMatchObject({ content: 'one two', tool_calls: [{}] });
  });

  it('11: `system` as text or blocks becomes the first system message', () => {
    const user = say('user', text('q'));
    expect(messagesOf({ system: 'rules', messages: [user] })[0]).toEqual({
      role: 'system',
      content: 'rules',
    });
    const blocks = [{ type: 'text', text: 'rules', cache_control: { type: 'ephemeral' } }];
    expect(messagesOf({ system: blocks, messages: [user] })[0]).toEqual({ role: 'system', content: 'rules' });
    expect(decode({ system: blocks, messages: [user] }).messages[0]?.content[0]).toHaveProperty('cache');
  });

  it('12: a thinking block is a thought, never words', () => {
    const thinking = { type: 'thinking', thinking: 'hmm', signature: 's' };
    const messages = [say('assistant', thinking, text('a'))];
    expect(JSON.stringify(messagesOf({ messages }))).not.toContain('hmm');
    expect(decode({ messages }).messages[0]?.content[0]).toEqual({
      type: 'reasoning',
      text: 'hmm',
      form: 'raw',
    });
  });

  it('marks a result that failed', () => {
    const failed = { ...result('toolu_1aaaaaaa'), is_error: true };
    const { messages } = decode({ messages: [say('assistant', use('toolu_1aaaaaaa')), say('user', failed)] });
    expect(messages[1]?.content[0]).toMatchObject({ type: 'tool-result', isError: true });
  });

  it('are understood inside a Responses envelope as well', () => {
    const input = [
      say('user', text('q')),
      say('assistant', text('a'), use('toolu_1aaaaaaa')),
      say('user', result('toolu_1aaaaaaa'), text('go on')),
    ];
    const { body } = encodeResponses(
      decode({ system: 'rules', input, tools: [{ name: 'Read', input_schema: {} }] }),
    );
    expect((body.input as JsonObject[]).map((item) => item.type ?? item.role)).toEqual([
      'message',
      'message',
      'message',
      'function_call',
      'function_call_output',
      'message',
    ]);
    expect(body.tools).toMatchObject([{ type: 'function', name: 'Read', strict: false }]);
  });

  it('of server tools are left out', () => {
    const messages = [say('assistant', { type: 'server_tool_use', id: 's', name: 'web' }, text('a'))];
    expect(messagesOf({ messages })).toEqual([{ role: 'assistant', content: 'a' }]);
  });
});
