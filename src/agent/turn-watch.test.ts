import { describe, expect, it } from 'vitest';
import { countingIds, findGrammarProblem, type TurnEvent } from '../core/index.ts';
import { CallIds } from './call-ids.ts';
import { TurnWatch } from './turn-watch.ts';

const end: TurnEvent = { type: 'turn-end', reason: 'stop' };
const head = { callId: 'c', name: 'read', kind: 'function' } as const;

function watch(...batches: TurnEvent[][]) {
  const turn = new TurnWatch(new CallIds(countingIds()));
  const events = batches.flatMap((batch) => turn.take(batch));
  return { turn, events, outcome: turn.outcome(() => 400) };
}

describe('watching a turn', () => {
  it('forwards everything but the end', () => {
    const body: TurnEvent[] = [
      { type: 'turn-start' },
      { type: 'text-start', id: 'p' },
      { type: 'text-delta', id: 'p', text: 'Hi' },
      { type: 'text-end', id: 'p' },
    ];
    const { events, turn, outcome } = watch(body, [end, { type: 'text-start', id: 'late' }]);
    expect(events).toEqual(body);
    expect(turn.isOver).toBe(true);
    expect(outcome).toMatchObject({
      content: [{ type: 'text', text: 'Hi' }],
      finishReason: 'stop',
      calls: [],
    });
  });

  it('puts right what comes in bad order, and says so', () => {
    const { events } = watch([
      { type: 'text-start', id: 'p' },
      { type: 'text-delta', id: 'other', text: '?' },
      { type: 'text-end', id: 'p' },
      { type: 'text-end', id: 'p' },
      { type: 'text-start', id: 'q' },
      end,
    ]);
    expect(findGrammarProblem([...events, end])).toBeUndefined();
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2);
  });

  it('leaves calls alone that the upstream ran itself', () => {
    const { outcome } = watch([
      { type: 'turn-start' },
      { type: 'tool-input-start', ...head },
      { type: 'tool-input-end', callId: 'c' },
      { type: 'tool-call', ...head, argumentsText: '{}', executor: 'upstream', resultVia: 'in-stream' },
      { type: 'tool-result', result: { type: 'tool-result', callId: 'c', content: [] } },
      end,
    ]);
    expect(outcome.calls).toEqual([]);
    expect(outcome.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-result']);
  });

  it('guesses the tokens where nobody counted, and marks the guess', () => {
    const { outcome } = watch([{ type: 'turn-start' }, end]);
    expect(outcome.usage).toMatchObject({ inputTokens: 100, estimated: true });
  });

  it('keeps no empty text and no empty thought, but a proof without words', () => {
    const { outcome } = watch([
      { type: 'turn-start' },
      { type: 'reasoning-start', id: 'a', form: 'raw' },
      { type: 'reasoning-end', id: 'a' },
      { type: 'reasoning-start', id: 'b', form: 'redacted' },
      { type: 'reasoning-end', id: 'b', encrypted: 'x' },
      { type: 'text-start', id: 'c' },
      { type: 'text-end', id: 'c' },
      end,
    ]);
    expect(outcome.content).toMatchObject([{ type: 'reasoning', encrypted: 'x' }]);
  });
});
