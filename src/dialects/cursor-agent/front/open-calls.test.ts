import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../core/index.ts';
import { answer, callMessage, readCall } from './fixtures/scripted-host.ts';
import { callsOf, findOpenRound, resultsOf, settleOpenCalls } from './open-calls.ts';

const message = fc.oneof(
  fc.constant<Message>({ role: 'user', content: [{ type: 'text', text: 'u' }] }),
  fc.constant<Message>(answer('a')),
  fc
    .uniqueArray(fc.constantFrom('c1', 'c2', 'c3'), { minLength: 1 })
    .map((ids) => callMessage(...ids.map((id) => readCall(id)))),
  fc.uniqueArray(fc.constantFrom('c1', 'c2', 'c3'), { minLength: 1 }).map(
    (ids): Message => ({
      role: 'tool',
      content: ids.map((callId) => ({ type: 'tool-result', callId, content: [] })),
    }),
  ),
);

describe('open calls', () => {
  it('are all settled before something else is said, and nothing is lost', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), (messages) => {
        const settled = settleOpenCalls(messages);
        expect(settled.filter((one) => messages.includes(one))).toEqual(messages);
        expect(findOpenRound(settled)).toEqual([]);
        for (const [index, one] of settled.entries()) {
          const until = settled.findIndex((other, at) => at > index && other.role !== 'tool');
          const answered = resultsOf(settled.slice(index + 1, until === -1 ? undefined : until));
          for (const { callId } of callsOf(one))
            expect(answered.some((result) => result.callId === callId)).toBe(true);
        }
      }),
    );
  });

  it('get the results that are known', () => {
    const known = new Map([['c1', { type: 'tool-result' as const, callId: 'c1', content: [] }]]);
    const settled = settleOpenCalls([callMessage(readCall('c1'), readCall('c2'))], known);
    expect(settled[1]?.content).toMatchObject([
      { callId: 'c1' },
      { callId: 'c2', isError: true, name: 'read_file' },
    ]);
  });
});
