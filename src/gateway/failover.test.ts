import { describe, expect, it } from 'vitest';
import { type ErrorCode, GatewayError } from '../core/index.ts';
import type { EventBatch, Upstream } from '../dialects/dialect.ts';
import { type OpenOptions, openWithFailover } from './failover.ts';
import type { ModelTarget } from './model-router.ts';

const batch: EventBatch = { events: [{ type: 'turn-start' }] };

function target(name: string): ModelTarget {
  const upstream: Upstream = {
    name,
    kind: 'test',
    supportsChoices: false,
    openTurn: () => answer(),
    listModels: async () => [],
    close: async () => {},
  };
  return { upstream, model: 'm' };
}

async function* answer(): AsyncGenerator<EventBatch> {
  yield batch;
}

// biome-ignore lint/correctness/useYield: it stands for an upstream that fails before it says anything
async function* fail(error: GatewayError): AsyncGenerator<EventBatch> {
  throw error;
}

interface Script {
  readonly answers: Record<string, (GatewayError | 'ok')[]>;
}

function setUp(script: Script, targets = ['a']) {
  const tried: string[] = [];
  const slept: number[] = [];
  const options: OpenOptions = {
    targets: targets.map(target),
    open: ({ upstream }) => {
      tried.push(upstream.name);
      const next = script.answers[upstream.name]?.shift();
      return next instanceof GatewayError ? fail(next) : answer();
    },
    policyOf: () => ({ retries: 2, baseDelayMs: 100, maxDelayMs: 1_000 }),
    sleep: async (ms) => {
      slept.push(ms);
    },
    random: () => 1,
    signal: new AbortController().signal,
  };
  return { options, tried, slept };
}

const error = (code: ErrorCode, retryAfterMs?: number) => new GatewayError(code, code, { retryAfterMs });

describe('opening a turn', () => {
  it('tries again after a passing fault, waiting longer each time', async () => {
    const { options, tried, slept } = setUp({
      answers: { a: [error('upstream-unavailable'), error('upstream-malformed'), 'ok'] },
    });
    const opened = await openWithFailover(options);
    expect(opened.attempts).toBe(3);
    expect(tried).toEqual(['a', 'a', 'a']);
    expect(slept).toEqual([100, 200]);
  });

  it('waits as long as the upstream asks', async () => {
    const { options, slept } = setUp({ answers: { a: [error('rate-limited', 700), 'ok'] } });
    await openWithFailover(options);
    expect(slept).toEqual([700]);
  });

  it('does not wait longer than its bound: the next target, or the error with its Retry-After', async () => {
    const alone = setUp({ answers: { a: [error('rate-limited', 60_000)] } });
    await expect(openWithFailover(alone.options)).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 60_000,
    });
    expect(alone.slept).toEqual([]);
    const pair = setUp({ answers: { a: [error('rate-limited', 60_000)] } }, ['a', 'b']);
    expect((await openWithFailover(pair.options)).target.upstream.name).toBe('b');
  });

  it('goes to the next target when one is down for good', async () => {
    const down = () => error('upstream-unavailable');
    const { options, tried } = setUp({ answers: { a: [down(), down(), down()] } }, ['a', 'b']);
    const opened = await openWithFailover(options);
    expect(opened.target.upstream.name).toBe('b');
    expect(tried).toEqual(['a', 'a', 'a', 'b']);
  });

  it.each<ErrorCode>([
    'not-found',
    'quota-exceeded',
    'context-overflow',
    'deadline-exceeded',
    'upstream-rejected',
  ])('asks the next target, without a second try, after %s', async (code) => {
    const { options, tried } = setUp({ answers: { a: [error(code)] } }, ['a', 'b']);
    await openWithFailover(options);
    expect(tried).toEqual(['a', 'b']);
  });

  it.each<ErrorCode>(['invalid-request', 'content-filtered', 'cancelled', 'too-large', 'unimplemented'])(
    'stops at once after %s: no other target would answer differently',
    async (code) => {
      const { options, tried } = setUp({ answers: { a: [error(code)] } }, ['a', 'b']);
      await expect(openWithFailover(options)).rejects.toMatchObject({ code });
      expect(tried).toEqual(['a']);
    },
  );

  it('takes an upstream that ends without a word for a broken one', async () => {
    const { options } = setUp({ answers: {} });
    const silent = {
      ...options,
      open: () => ({
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true as const, value: undefined }) }),
      }),
    };
    await expect(openWithFailover(silent)).rejects.toMatchObject({ code: 'upstream-malformed' });
  });
});
