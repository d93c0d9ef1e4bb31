import { describe, expect, it } from 'vitest';
import { textResult, userSays } from './fixtures/play-turn.ts';
import { KnownResults, trailingResults } from './known-results.ts';

const call = (callId: string, argumentsText = '{"a":1,"b":2}') => ({ callId, name: 'bash', argumentsText });

describe('known results', () => {
  it('answer each call once, under its own id first, whatever the order of its arguments', () => {
    const known = new KnownResults(
      [],
      [textResult('x', 'one'), textResult('y', 'two')],
      [call('x'), call('y')],
    );
    expect(known.take(call('y', '{"b":2,"a":1}'))).toMatchObject({ callId: 'y' });
    expect(known.take(call('new'))).toMatchObject({ callId: 'x' });
    expect(known.take(call('x'))).toBeUndefined();
    expect(known.isEmpty).toBe(true);
  });

  it('never answer a call with other arguments, even under the same id', () => {
    const known = new KnownResults([], [textResult('x', 'one')], [call('x')]);
    expect(known.take(call('x', '{"a":9}'))).toBeUndefined();
  });

  it('hold whatever was answered anywhere in the conversation', () => {
    const made = { type: 'tool-call' as const, kind: 'function' as const, ...call('old') };
    const messages = [
      { role: 'assistant' as const, content: [made] },
      { role: 'tool' as const, content: [textResult('old', 'x')] },
      userSays('go on'),
    ];
    const known = KnownResults.of(messages);
    expect(known.take(call('other'))).toBeUndefined();
    expect(known.take(call('old'))).toMatchObject({ callId: 'old' });
  });

  it('answer only the same id in a run that has seen the transcript', () => {
    const known = new KnownResults([call('x')], [textResult('x', 'one')]);
    expect(known.take(call('new'))).toBeUndefined();
    expect(known.take(call('x'))).toMatchObject({ callId: 'x' });
  });

  it('are those after the last words of the model', () => {
    const messages = [
      { role: 'tool' as const, content: [textResult('old', 'x')] },
      { role: 'assistant' as const, content: [] },
      { role: 'tool' as const, content: [textResult('a', '1'), textResult('b', '2')] },
      userSays('and hurry'),
    ];
    expect(trailingResults(messages)).toMatchObject([
      { callId: 'a' },
      { callId: 'b', content: [{ text: '2' }, { text: 'and hurry' }] },
    ]);
    expect(trailingResults([userSays('hi')])).toEqual([]);
  });
});
