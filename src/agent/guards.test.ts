import { describe, expect, it } from 'vitest';
import type { AgentCall, CallResult } from '../core/index.ts';
import { playRun } from './fixtures/play-run.ts';
import { textResult } from './fixtures/scripted-tools.ts';
import { ProgressGuard, type SettledCall } from './guards.ts';

const call = (name: string, args = '{}'): AgentCall => ({
  callId: 'c',
  name,
  kind: 'function',
  argumentsText: args,
});
const read = (args: string, text = 'same'): SettledCall => ({
  call: call('read', args),
  result: textResult(text),
  isReadOnly: true,
});
const act = (args: string, result: CallResult = textResult('ok')): SettledCall => ({
  call: call('shell', args),
  result,
  isReadOnly: false,
});
const failure = textResult('no such file', { isError: true });

function verdicts(steps: readonly (readonly SettledCall[])[]): string[] {
  const guard = new ProgressGuard();
  return steps.map((step) => {
    const verdict = guard.judge(step);
    return verdict ? `${verdict.type} ${verdict.kind}` : '';
  });
}
const times = (count: number, ...step: SettledCall[]) => Array.from({ length: count }, () => step);

describe('the guard', () => {
  it('warns of the same read with the same answer, then stops', () => {
    expect(verdicts(times(6, read('a')))).toEqual([
      '',
      '',
      'hint repeated-reads',
      '',
      '',
      'stop repeated-reads',
    ]);
  });

  it('notices repeated reads among new ones', () => {
    const steps = Array.from({ length: 6 }, (_, index) => [read('a'), read(`b${index}`)]);
    expect(verdicts(steps)).toEqual(['', '', 'hint repeated-reads', '', '', 'stop repeated-reads']);
  });

  it('warns of the same failure, then stops', () => {
    const steps = Array.from({ length: 6 }, (_, index) => [act('a', failure), read(`b${index}`)]);
    expect(verdicts(steps)).toEqual(['', '', 'hint repeated-failures', '', '', 'stop repeated-failures']);
  });

  it('warns of the same action with the same outcome, then stops', () => {
    expect(verdicts(times(9, act('npm test')))).toEqual([
      '',
      '',
      '',
      '',
      'hint no-change',
      '',
      '',
      '',
      'stop no-change',
    ]);
  });

  it('notices a change that is made and undone over and over', () => {
    const steps = Array.from({ length: 12 }, (_, index) => [act(index % 2 ? 'undo' : 'do')]);
    expect(verdicts(steps)).toContain('hint no-change');
  });

  it('lets a test fail in the same way while the code changes in between', () => {
    const steps = Array.from({ length: 20 }, (_, index) => [
      [act(`edit ${index}`)],
      [act('npm test', failure), read('log')],
    ]).flat();
    expect(verdicts(steps).every((verdict) => verdict === '')).toBe(true);
  });

  it('lets a read be repeated when its answer changes', () => {
    const steps = Array.from({ length: 20 }, (_, index) => [read('a', `line ${index}`)]);
    expect(verdicts(steps).every((verdict) => verdict === '')).toBe(true);
  });

  it('takes the same call several times in one step as one attempt', () => {
    expect(verdicts([[read('a'), read('a'), read('a'), read('a')]])).toEqual(['']);
  });

  it('warns before it stops, whatever the thresholds', () => {
    const guard = new ProgressGuard({ 'repeated-reads': { hint: 2, stop: 2 } });
    const steps = times(3, read('a')).map((step) => guard.judge(step)?.type);
    expect(steps).toEqual([undefined, 'hint', 'stop']);
  });

  it('remembers a bounded number of calls', () => {
    const verdictAfter = (others: number) => {
      const guard = new ProgressGuard({ 'repeated-reads': { hint: 2, stop: 3 } });
      guard.judge([read('first')]);
      for (let index = 0; index < others; index++) guard.judge([read(`other ${index}`)]);
      return guard.judge([read('first')])?.type;
    };
    expect(verdictAfter(499)).toBe('hint');
    expect(verdictAfter(500)).toBeUndefined();
  });
});

describe('a run in circles', () => {
  it('is told so as a note that is not the user’s, and then ended', async () => {
    const { end, events, messages } = await playRun({
      script: () => ({ calls: [{ name: 'read' }] }),
      tools: [{ name: 'read', isReadOnly: true }],
    });
    expect(end).toMatchObject({
      type: 'run-end',
      reason: 'no-progress',
      explanation: expect.stringContaining('read'),
    });
    const hints = events.flatMap((event) => (event.type === 'hint' ? [event] : []));
    expect(hints[0]).toMatchObject({ kind: 'repeated-reads', message: { role: 'user' } });
    expect(JSON.stringify(messages)).toContain('not by the user');
  });

  it('keeps to thresholds of the caller', async () => {
    const { model } = await playRun({
      script: () => ({ calls: [{ name: 'read' }] }),
      tools: [{ name: 'read', isReadOnly: true }],
      guards: { 'repeated-reads': { hint: 2, stop: 3 } },
    });
    expect(model.requests.length).toBe(3);
  });
});
