import { describe, expect, it } from 'vitest';
import { addUsage, type Usage } from '../core/index.ts';
import { findRunProblem, playRun } from './fixtures/play-run.ts';
import type { Answer } from './fixtures/scripted-model.ts';
import { hang, textResult } from './fixtures/scripted-tools.ts';
import { RunBudget } from './limits.ts';

const usage: Usage = { inputTokens: 100, outputTokens: 50, totalTokens: 150 };
/** Goes on for ever, with something new in every step. */
const busy = (_request: unknown, turn: number): Answer => ({
  calls: [{ name: 'write', args: `{"n":${turn}}` }],
  usage,
});
const tools = [{ name: 'write' }];

describe('limits', () => {
  it.each([
    ['steps', { maxSteps: 3 }, 'step-limit', 3],
    ['tokens', { maxTokens: 400 }, 'token-limit', 3],
    ['money', { maxSpend: 0.0005 }, 'spend-limit', 2],
  ])('of %s end the run between two steps', async (_what, limits, reason, turns) => {
    const { end, model, messages } = await playRun({
      script: busy,
      tools,
      task: { limits },
      prices: () => ({ input: 1, output: 4 }),
    });
    expect(end).toMatchObject({ type: 'run-end', reason, explanation: expect.stringContaining('may') });
    expect(model.requests.length).toBe(turns);
    expect(messages.at(-1)?.role).toBe('tool');
  });

  it('stop after 200 steps where nothing else is said', async () => {
    const { end, model } = await playRun({ script: busy, tools });
    expect(end).toMatchObject({ reason: 'step-limit' });
    expect(model.requests.length).toBe(200);
  });

  it('of time end the run between steps', async () => {
    let now = 0;
    const { end, model } = await playRun({
      script: busy,
      tools: [
        {
          name: 'write',
          run: () => {
            now += 40;
            return textResult('ok');
          },
        },
      ],
      task: { limits: { maxMs: 100 } },
      nowMs: () => now,
      timer: () => () => {},
    });
    expect(end).toMatchObject({ reason: 'time-limit', explanation: expect.stringContaining('100 ms') });
    expect(model.requests.length).toBe(3);
  });

  it('of time end a call that hangs', async () => {
    let ring = () => {};
    let isStopped = false;
    const {
      end,
      events,
      tools: port,
    } = await playRun({
      script: [{ calls: [{ name: 'wait' }] }],
      tools: [
        {
          name: 'wait',
          run: (call, context) => {
            queueMicrotask(() => ring());
            return hang(call, context);
          },
        },
      ],
      task: { limits: { maxMs: 5 } },
      timer: (_ms, callback) => {
        ring = callback;
        return () => {
          isStopped = true;
        };
      },
    });
    expect(end).toMatchObject({ type: 'run-end', reason: 'time-limit' });
    expect(findRunProblem(events)).toBeUndefined();
    expect(port.running.size).toBe(0);
    expect(isStopped).toBe(true);
  });

  it('in money are refused where no price is known', async () => {
    const { end } = await playRun({ script: busy, tools, task: { limits: { maxSpend: 1 } } });
    expect(end).toMatchObject({ type: 'run-error', error: { code: 'invalid-request' } });
  });

  it('that are no numbers are refused by name', () => {
    const options = { nowMs: () => 0, pricesOf: () => undefined };
    expect(() => new RunBudget({ ...options, limits: { maxTokens: Number.NaN } })).toThrow(
      /maxTokens is NaN/,
    );
  });

  it('count cached tokens at their own price', () => {
    const prices = { input: 10, output: 100, cacheRead: 1, cacheWrite: 12 };
    const spent = {
      inputTokens: 1000,
      cacheReadTokens: 600,
      cacheWriteTokens: 300,
      outputTokens: 10,
      totalTokens: 1010,
    };
    const price = (100 * 10 + 600 * 1 + 300 * 12 + 10 * 100) / 1_000_000;
    for (const [maxSpend, isHit] of [
      [price * 1.001, false],
      [price * 0.999, true],
    ] as const) {
      const budget = new RunBudget({ limits: { maxSpend }, nowMs: () => 0, pricesOf: () => prices });
      budget.countUsage(spent, 'm');
      expect(budget.findHit() !== undefined).toBe(isHit);
    }
  });
});

describe('usage', () => {
  it('is summed, and stays marked as a guess when a part of it was one', async () => {
    const { end } = await playRun({
      script: [{ calls: [{ name: 'write' }], usage: { ...usage, cacheReadTokens: 80 } }, { text: 'Done.' }],
      tools,
    });
    expect(end?.type === 'run-end' && end.usage).toMatchObject({ cacheReadTokens: 80, estimated: true });
    expect(addUsage(usage, usage)).toEqual({ inputTokens: 200, outputTokens: 100, totalTokens: 300 });
  });
});
