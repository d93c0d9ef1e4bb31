// Whatever a history looks like, what is sent obeys the rules the API enforces.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, Message, Part, TurnRequest } from '../../core/index.ts';
import { encodeConversation } from './encode-messages.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';
import { ToolNames } from './tool-names.ts';

const callId = fc.constantFrom('a', 'b', 'a.b:0', 'a_b_0', '', 'é');
const text = fc.constantFrom('', ' \n', 'words').map((value): Part => ({ type: 'text', text: value }));
const thought = fc.constantFrom<Part>(
  { type: 'reasoning', text: 't', form: 'raw' },
  { type: 'reasoning', text: 't', form: 'raw', signature: 's', origin: 'anthropic' },
);
const call = fc
  .record({
    callId,
    argumentsText: fc.constantFrom('', '{}', '{"x":', '[1]', 'null'),
    isCustom: fc.boolean(),
  })
  .map(({ isCustom, ...rest }): Part => {
    return { type: 'tool-call', name: 'f', kind: isCustom ? 'custom' : 'function', ...rest };
  });
const result = callId.map((id): Part => ({ type: 'tool-result', callId: id, content: [] }));

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    role: fc.constantFrom('system' as const, 'developer' as const),
    content: fc.array(text, { maxLength: 2 }),
  }),
  fc.record({ role: fc.constant('user' as const), content: fc.array(text, { maxLength: 2 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(text, thought, call), { maxLength: 4 }),
  }),
  fc.record({ role: fc.constant('tool' as const), content: fc.array(result, { maxLength: 3 }) }),
);

function encode(messages: readonly Message[], isNative: boolean) {
  const extra = isNative ? { extra: { [ANTHROPIC_MESSAGES]: {} } } : {};
  const request: TurnRequest = { model: 'm', messages, tools: [], sampling: {}, stream: false, ...extra };
  return encodeConversation(request, new ToolNames([]), []);
}

const idsOf = (blocks: readonly JsonObject[], type: string, key: string) =>
  blocks.filter((block) => block.type === type).map((block) => String(block[key]));

describe('the rules of a conversation', () => {
  it('hold for any history', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), fc.boolean(), (history, isNative) => {
        const { messages } = encode(history, isNative);
        expect(messages[0]?.role).toBe('user');
        const calls = messages.flatMap(({ content }) => idsOf(content, 'tool_use', 'id'));
        expect(new Set(calls).size).toBe(calls.length);
        for (const id of calls) expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
        for (const [index, { role, content }] of messages.entries()) {
          expect(content.length).toBeGreaterThan(0);
          expect(role).not.toBe(messages[index + 1]?.role);
          for (const block of content)
            if (block.type === 'text') expect(String(block.text).trim()).not.toBe('');
          const previous = messages[index - 1]?.content ?? [];
          expect(idsOf(content, 'tool_result', 'tool_use_id')).toEqual(idsOf(previous, 'tool_use', 'id'));
        }
        const last = messages.at(-1)?.content ?? [];
        expect(idsOf(last, 'tool_use', 'id')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('give each result to its own call where a model used one id twice in a turn', () => {
    const twice = (value: string): Part => ({
      type: 'tool-result',
      callId: 'x',
      content: [{ type: 'text', text: value }],
    });
    const use: Part = { type: 'tool-call', callId: 'x', name: 'f', kind: 'function', argumentsText: '{}' };
    const { messages } = encode(
      [
        { role: 'user', content: [{ type: 'text', text: 'q' }] },
        { role: 'assistant', content: [use, use] },
        { role: 'tool', content: [twice('1'), twice('2')] },
      ],
      false,
    );
    expect(messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'x', content: '1' },
      { type: 'tool_result', tool_use_id: 'x_2', content: '2' },
    ]);
  });

  it('let an answer begun by the client end without white space', () => {
    const { messages } = encode(
      [
        { role: 'user', content: [{ type: 'text', text: 'q' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Sure: \n' }] },
      ],
      false,
    );
    expect(messages[1]?.content).toEqual([{ type: 'text', text: 'Sure:' }]);
  });
});
