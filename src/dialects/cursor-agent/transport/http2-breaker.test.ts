import { describe, expect, it } from 'vitest';
import { Http2Breaker } from './http2-breaker.ts';

const MINUTE = 60_000;

function breakerAt() {
  const clock = { nowMs: 0 };
  const breaker = new Http2Breaker(() => clock.nowMs);
  let tries = 0;
  const attempt = (fails: boolean) =>
    breaker.attempt(
      async () => {
        tries++;
        if (fails) throw new Error('refused');
        return 'open';
      },
      (thrown) => thrown instanceof Error && thrown.message === 'refused',
    );
  return { clock, breaker, attempt, tries: () => tries };
}

describe('the HTTP/2 circuit breaker', () => {
  it('remembers a refusal for five minutes, then probes again', async () => {
    const { clock, attempt, tries } = breakerAt();
    expect(await attempt(true)).toBeUndefined();
    clock.nowMs = 5 * MINUTE - 1;
    expect(await attempt(false)).toBeUndefined();
    expect(tries()).toBe(1);
    clock.nowMs = 5 * MINUTE;
    expect(await attempt(false)).toBe('open');
    expect(await attempt(false)).toBe('open');
  });

  it('waits twice as long after a failed probe', async () => {
    const { clock, attempt, tries } = breakerAt();
    await attempt(true);
    clock.nowMs = 5 * MINUTE;
    await attempt(true);
    clock.nowMs += 10 * MINUTE - 1;
    await attempt(false);
    expect(tries()).toBe(2);
    clock.nowMs += 1;
    expect(await attempt(false)).toBe('open');
  });

  it('sends one probe at a time', async () => {
    const { clock, attempt, tries } = breakerAt();
    await attempt(true);
    clock.nowMs = 5 * MINUTE;
    expect(await Promise.all([attempt(false), attempt(false)])).toEqual(['open', undefined]);
    expect(tries()).toBe(2);
  });

  it('lets other errors through and does not count them', async () => {
    const { breaker, attempt } = breakerAt();
    const other = breaker.attempt(
      () => Promise.reject(new Error('no network')),
      () => false,
    );
    await expect(other).rejects.toThrow('no network');
    expect(await attempt(false)).toBe('open');
  });

  it('can be tripped from outside', async () => {
    const { breaker, attempt } = breakerAt();
    breaker.trip();
    breaker.trip();
    expect(await attempt(false)).toBeUndefined();
  });
});
