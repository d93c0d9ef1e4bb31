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
const messagesOf = (...messages: Message[]) => encode({ messages, tools: [tool] }).body.messages;
const use = (id: string, input: JsonObject = {}, name = 'f') => ({ type: 'tool_use', id, name, input });
const answer = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });

describe('a conversation for an Anthropic upstream', () => {
  it('joins the results of parallel calls into one user message, with the user’s words after them (case 15)', () => {
    expect(
      messagesOf(
        user(text('go')),
        assistant(call('a'), call('b')),
        result('a', said('1')),
        result('b', said('2')),
        user(text('and?')),
      ),
    ).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [answer('a', '1'), answer('b', '2'), { type: 'text', text: 'and?' }] },
    ]);
  });

  it('moves a late result to the message right after its call, and says so where none came (case 16)', () => {
    expect(
      messagesOf(
        user(text('go')),
        assistant(call('a'), call('b')),
        user(text('wait')),
        assistant(text('hm')),
        result('b', said('2')),
      ),
    ).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use('a'), use('b')] },
      {
        role: 'user',
        content: [
          { ...answer('a', 'No result was recorded for this call.'), is_error: true },
          answer('b', '2'),
          { type: 'text', text: 'wait' },
        ],
      },
      { role: 'assistant', content: 'hm' },
    ]);
  });

  it('brings parallel calls that came in several messages together', () => {
    expect(
      messagesOf(
        user(text('go')),
        assistant(call('a')),
        assistant(call('b')),
        result('a', said('1')),
        result('b', said('2')),
      ),
    ).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [answer('a', '1'), answer('b', '2')] },
    ]);
  });

  it('makes ids readable for the API, the same on both sides, and never twice the same (case 17)', () => {
    expect(
      messagesOf(
        user(text('go')),
        assistant(call('functions.f:0'), call('functions f:0')),
        result('functions.f:0', said('1')),
        result('functions f:0', said('2')),
        assistant(call('functions.f:0')),
        result('functions.f:0', said('3')),
      ),
    ).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use('functions_f_0'), use('functions_f_0_2')] },
      { role: 'user', content: [answer('functions_f_0', '1'), answer('functions_f_0_2', '2')] },
      { role: 'assistant', content: [use('functions_f_0_3')] },
      { role: 'user', content: [answer('functions_f_0_3', '3')] },
    ]);
  });

  it('leaves out a result that answers no call, invents no id, and warns (case 18)', () => {
    const { body, warnings } = encode({
      messages: [user(text('go')), result('ghost', said('x')), assistant(text('ok'))],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'ok' },
    ]);
    expect(warnings).toEqual([expect.objectContaining({ code: 'part-dropped' })]);
  });

  it('sends one result for a call that was answered twice, the later one (case 19)', () => {
    const messages = messagesOf(
      user(text('go')),
      assistant(call('a')),
      result('a', said('1')),
      result('a', said('2')),
    );
    expect(messages).toContainEqual({ role: 'user', content: [answer('a', '2')] });
  });

  it('removes empty blocks and never sends an empty user turn (case 20)', () => {
    expect(messagesOf(user(text(' \n')), assistant(text(''), call('a')), result('a'))).toEqual([
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
  });

  it('lifts system and developer messages from anywhere; with nothing else there is still a user (case 21)', () => {
    const system = (role: 'system' | 'developer', value: string): Message => ({
      role,
      content: [text(value)],
    });
    const mixed = encode({
      messages: [system('system', 'a'), user(text('q')), system('developer', 'b')],
    }).body;
    expect(mixed.system).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(mixed.messages).toEqual([{ role: 'user', content: 'q' }]);
    const alone = encode({ messages: [system('system', 'a')] }).body;
    expect(alone).toMatchObject({ system: 'a', messages: [{ role: 'user', content: 'Go on.' }] });
  });

  it('keeps system messages in their place for clients of this dialect only', () => {
    const messages: Message[] = [
      user(text('q')),
      { role: 'system', content: [text('b')] },
      assistant(text('r')),
    ];
    const { body } = encode({ messages, extra: { [ANTHROPIC_MESSAGES]: {} } });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([
      { role: 'user', content: 'q' },
      { role: 'system', content: 'b' },
      { role: 'assistant', content: 'r' },
    ]);
  });

  it('begins with the user and merges neighbours of one role', () => {
    expect(messagesOf(assistant(text('a')), assistant(text('b')), user(text('c')), user(text('d')))).toEqual([
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: [said('a'), said('b')] },
      { role: 'user', content: [said('c'), said('d')] },
    ]);
  });

  it.each([
    ['{"a":', { input: '{"a":' }],
    ['not json', { input: 'not json' }],
    ['[1]', { input: '[1]' }],
    ['', {}],
    ['{"a":1}', { a: 1 }],
  ])('sends the arguments %j as an object, whatever they are (case 22)', (argumentsText, input) => {
    const messages = messagesOf(
      user(text('go')),
      assistant(call('a', argumentsText)),
      result('a', said('1')),
    );
    expect(messages).toContainEqual({ role: 'assistant', content: [use('a', input)] });
  });

  it('sends arguments as text that are nested deeper than a body can be written', () => {
    const nested = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const messages = messagesOf(user(text('go')), assistant(call('a', nested)), result('a', said('1')));
    expect(messages).toContainEqual({ role: 'assistant', content: [use('a', { input: nested })] });
  });

  it('replays only thoughts that Anthropic signed or sealed', () => {
    const thoughts: Part[] = [
      { type: 'reasoning', text: 'own', form: 'raw', signature: 's', origin: 'anthropic' },
      { type: 'reasoning', text: '', form: 'redacted', encrypted: 'e', origin: 'anthropic' },
      { type: 'reasoning', text: 'unsigned', form: 'raw' },
      {
        type: 'reasoning',
        text: 'foreign',
        form: 'summary',
        encrypted: 'x',
        signature: 'y',
        origin: 'openai',
      },
    ];
    expect(messagesOf(user(text('q')), assistant(...thoughts, text('a')))).toContainEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'own', signature: 's' },
        { type: 'redacted_thinking', data: 'e' },
        said('a'),
      ],
    });
  });

  it('keeps pictures in results, cache marks and errors', () => {
    const messages: Message[] = [
      user({ type: 'text', text: 'q', cache: { ttl: '1h' } }),
      assistant(call('a')),
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            callId: 'a',
            content: [said('see'), { type: 'image', source: { type: 'base64', data: '/9j/4A' } }],
            isError: true,
            cache: {},
          },
        ],
      },
    ];
    expect(messagesOf(...messages)).toEqual([
      {
        role: 'user',
        content: [{ type: 'text', text: 'q', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'assistant', content: [use('a')] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              said('see'),
              { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4A' } },
            ],
            is_error: true,
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ]);
  });

  it('sends at most four cache marks, the latest', () => {
    const marked = Array.from({ length: 6 }, (_, index) =>
      user({ type: 'text', text: `m${index}`, cache: {} }),
    );
    const text6 = JSON.stringify(messagesOf(...marked));
    expect(text6.match(/cache_control/g)).toHaveLength(4);
    expect(text6).toContain('{"type":"text","text":"m1"}');
  });

  it('sends files as documents by what they are, and refuses what the API cannot read', () => {
    const file = (mediaType: string, data: string): Part => ({
      type: 'file',
      source: { type: 'base64', data, mediaType },
      filename: 'n',
    });
    const [message] = messagesOf(
      user(file('application/pdf', 'JVBE'), file('text/markdown', 'aGk='), file('image/png', 'AA')),
    ) as JsonObject[];
    expect(message?.content).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'n',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' }, title: 'n' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
    ]);
    expect(() => messagesOf(user(file('application/zip', 'AA')))).toThrow(/n is application\/zip/);
    expect(() => messagesOf(user({ type: 'audio', source: { type: 'base64', data: 'AA' } }))).toThrow(
      /no sound/,
    );
  });

  it('makes no use of blocks from other dialects, and warns', () => {
    const { body, warnings } = encode({
      messages: [user(text('q'), { type: 'opaque', dialect: 'other', value: {} })],
    });
    expect(body.messages).toEqual([{ role: 'user', content: 'q' }]);
    expect(warnings).toHaveLength(1);
  });
});
