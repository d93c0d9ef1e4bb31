import { describe, expect, it, vi } from 'vitest';
import { TurnGate } from './turn-gate.ts';

const never = new AbortController().signal;
const gate = (maxConcurrent: number, maxQueued: number) =>
  new TurnGate({ maxConcurrent, maxQueued, queueTimeoutMs: 60_000 });

describe('the turn gate', () => {
  it('lets the next in line enter when one leaves, in order of arrival', async () => {
    const one = gate(1, 5);
    const entered: string[] = [];
    const leave = await one.enter(never);
    const second = one.enter(never).then((release) => {
      entered.push('second');
      return release;
    });
    const third = one.enter(never).then(() => entered.push('third'));
    expect(one.queued).toBe(2);
    leave();
    leave(); // twice does no harm
    (await second)();
    await third;
    expect(entered).toEqual(['second', 'third']);
    expect(one.running).toBe(1);
  });

  it('turns away what does not fit in the queue', async () => {
    const one = gate(1, 0);
    await one.enter(never);
    await expect(one.enter(never)).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 1_000 });
  });

  it('forgets a client that leaves while it waits', async () => {
    const one = gate(1, 1);
    const leave = await one.enter(never);
    const client = new AbortController();
    const waiting = one.enter(client.signal);
    client.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(one.queued).toBe(0);
    leave();
    expect(one.running).toBe(0);
  });

  it('does not let anyone wait for ever', async () => {
    vi.useFakeTimers();
    try {
      const one = gate(1, 1);
      await one.enter(never);
      const waiting = one.enter(never);
      const outcome = expect(waiting).rejects.toMatchObject({ code: 'rate-limited' });
      await vi.advanceTimersByTimeAsync(60_000);
      await outcome;
      expect(one.queued).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
