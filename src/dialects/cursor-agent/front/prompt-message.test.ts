import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, Message, Part } from '../../../core/index.ts';
import { decodePromptMessage, encodePromptMessage } from './prompt-message.ts';

const read = (json: string) => {
  const unknown: string[] = [];
  return { ...decodePromptMessage(json, (kind) => unknown.push(kind)), unknown };
};

const text = fc.string({ unit: 'binary' });
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)));
const extra = fc.option(
  fc.dictionary(fc.constantFrom('a', '__proto__', 'openai-chat'), fc.constant({ k: 1 })),
  {
    nil: undefined,
  },
);
const source = fc.oneof(
  fc.record({
    type: fc.constant('base64'),
    data: fc.base64String(),
    mediaType: fc.constantFrom('image/png'),
  }),
  fc.record({ type: fc.constant('base64'), data: text }),
  fc.record({ type: fc.constant('url'), url: fc.constantFrom('https://example.test/a.png', 'file:x') }),
  fc.record({ type: fc.constant('id'), id: text }),
);
const kind = fc.constantFrom('function', 'custom', 'hosted');
const argumentsText = fc.oneof(
  text,
  json.map((value) => JSON.stringify(value)),
  fc.constant('{ "a" : 1.0 }'),
);
const media = fc.oneof(
  fc.record({ type: fc.constant('text'), text, extra }),
  fc.record({ type: fc.constant('image'), source, detail: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant('file'), source, filename: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant('audio'), source, transcript: fc.option(text, { nil: undefined }) }),
  fc.record({ type: fc.constant('opaque'), dialect: text, value: json }),
);
const optionalText = fc.option(text, { nil: undefined });
const part = fc.oneof(
  media,
  fc.record({ type: fc.constant('refusal'), text }),
  fc.record({
    type: fc.constant('reasoning'),
    text,
    form: fc.constantFrom('raw', 'summary', 'redacted'),
    id: optionalText,
    signature: optionalText,
    encrypted: optionalText,
    origin: optionalText,
  }),
  fc.record({
    type: fc.constant('tool-call'),
    callId: text,
    name: text,
    kind,
    argumentsText,
    itemId: optionalText,
  }),
  fc.record({
    type: fc.constant('tool-result'),
    callId: text,
    name: optionalText,
    content: fc.array(media, { maxLength: 3 }),
    isError: fc.option(fc.boolean(), { nil: undefined }),
  }),
);
const message = fc
  .record({
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
    content: fc.array(part, { maxLength: 4 }),
    id: optionalText,
    name: optionalText,
    extra,
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as Message); // absent keys instead of undefined ones

describe('prompt messages', () => {
  it('come back whole, whatever they hold', () => {
    fc.assert(
      fc.property(message, fc.boolean(), (whole, isAnswer) => {
        const back = read(encodePromptMessage({ message: whole, isAnswer }));
        expect(back.unknown).toEqual([]);
        expect(back.isAnswer).toBe(isAnswer);
        expect(sorted(back.message)).toEqual(sorted(whole));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keep the exact text of arguments and show their object', () => {
    const call: Part = {
      type: 'tool-call',
      callId: 'c1',
      name: 'read_file',
      kind: 'function',
      argumentsText: '{"path" : "a.txt"}',
    };
    const encoded = encodePromptMessage({ message: { role: 'assistant', content: [call] }, isAnswer: false });
    expect(JSON.parse(encoded).content[0]).toMatchObject({
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'read_file',
      args: { path: 'a.txt' },
    });
    expect(read(encoded).message?.content).toEqual([call]);
  });

  it('have the plain shape that other programs read', () => {
    const result: Part = {
      type: 'tool-result',
      callId: 'c1',
      name: 'ls',
      content: [{ type: 'text', text: 'a\nb' }],
      isError: true,
    };
    expect(
      JSON.parse(encodePromptMessage({ message: { role: 'tool', content: [result] }, isAnswer: false })),
    ).toEqual({
      role: 'tool',
      id: 'c1',
      content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'ls', result: 'a\nb', isError: true }],
    });
    const user: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
    expect(JSON.parse(encodePromptMessage({ message: user, isAnswer: false }))).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'hello' }],
    });
  });

  it.each<[JsonObject, Message]>([
    [
      { role: 'user', content: 'hi' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    [
      { role: 'user', content: [{ type: 'image', image: 'data:image/png;base64,AAAA' }] },
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } }],
      },
    ],
    [
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'done' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', callId: 'c', name: 't', content: [{ type: 'text', text: 'done' }] }],
      },
    ],
  ])('of other servers are read: %j', (foreign, expected) => {
    expect(read(JSON.stringify(foreign)).message).toEqual(expected);
  });

  it('name what they do not know and go on', () => {
    const back = read(
      JSON.stringify({ role: 'assistant', content: [{ type: 'dance' }, { type: 'text', text: 'x' }] }),
    );
    expect(back.unknown).toEqual(['prompt part dance']);
    expect(back.message?.content).toEqual([{ type: 'text', text: 'x' }]);
    expect(decodePromptMessage('no json', () => {})).toBeUndefined();
    expect(decodePromptMessage('{"role":"robot"}', () => {})).toBeUndefined();
  });

  it('take nothing from our own options that makes no part or no role of them', () => {
    const own = (set: JsonObject) => ({ providerOptions: { crosspoint: { set } } });
    const sets: JsonObject[] = [
      { text: 5 },
      { type: 'dance' },
      { type: 'image', source: { type: 'base64', data: 1 } },
      { type: 'tool-call', callId: 'c', name: 'n', kind: 'function' },
      { type: 'tool-result', callId: 'c', content: [{ type: 'text' }] },
      { type: 'tool-result', callId: 'c', content: 'x' },
      { type: 'reasoning', form: 'raw', signature: {} },
    ];
    const content = sets.map((set) => ({ type: 'text', text: 'x', ...own(set) }));
    const back = read(JSON.stringify({ role: 'user', content }));
    expect(back.message?.content).toEqual(sets.map(() => ({ type: 'text', text: 'x' })));
    const robot = JSON.stringify({ role: 'user', content: 'x', ...own({ role: 'robot' }) });
    expect(decodePromptMessage(robot, () => {})).toBeUndefined();
  });
});

/** Key order aside. */
function sorted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
