import { describe, expect, it } from 'vitest';
import { ManualTimers } from '../../../../test/support/agent-backend/index.ts';
import type { GatewayError } from '../../../core/index.ts';
import { Liveness } from './liveness.ts';

function watch() {
  const timers = new ManualTimers();
  const deaths: GatewayError[] = [];
  const liveness = new Liveness({
    timers,
    silenceMs: 30_000,
    idleMs: 120_000,
    upstream: 'Upstream u',
    onDead: (error) => deaths.push(error),
  });
  const receive = (isContent: boolean) => {
    liveness.stopWaiting();
    if (isContent) liveness.sawContent();
    liveness.startWaiting();
  };
  const beatFor = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      timers.advance(5_000);
      receive(false);
    }
  };
  liveness.startWaiting();
  return { timers, deaths, liveness, receive, beatFor };
}

describe('liveness', () => {
  it('declares a run dead after 30 s without a byte, not before', () => {
    const { timers, deaths } = watch();
    timers.advance(29_999);
    expect(deaths).toEqual([]);
    timers.advance(1);
    expect(deaths).toMatchObject([{ code: 'deadline-exceeded', detail: { reason: 'run_silent' } }]);
  });

  it('is not fooled by heartbeats while the server owes an answer', () => {
    const { deaths, beatFor } = watch();
    beatFor(115_000);
    expect(deaths).toEqual([]);
    beatFor(5_000);
    expect(deaths).toMatchObject([
      {
        code: 'deadline-exceeded',
        detail: { reason: 'run_stalled' },
        message: /only heartbeats for 120000 ms/,
      },
    ]);
  });

  it('counts from the last frame that said something', () => {
    const { deaths, beatFor, receive } = watch();
    beatFor(100_000);
    receive(true);
    beatFor(115_000);
    expect(deaths).toEqual([]);
  });

  it('lets heartbeats keep a waiting run for ever, but not silence', () => {
    const { timers, deaths, liveness, beatFor } = watch();
    liveness.setExpecting(false);
    beatFor(3_600_000);
    expect(deaths).toEqual([]);
    timers.advance(30_000);
    expect(deaths).toMatchObject([{ detail: { reason: 'run_silent' } }]);
  });

  it('starts anew when the server owes an answer again', () => {
    const { deaths, liveness, beatFor } = watch();
    liveness.setExpecting(false);
    beatFor(600_000);
    liveness.setExpecting(true);
    beatFor(115_000);
    expect(deaths).toEqual([]);
    beatFor(5_000);
    expect(deaths).toHaveLength(1);
  });

  it('does not count the time of a slow reader', () => {
    const { timers, deaths, liveness } = watch();
    timers.advance(10_000);
    liveness.stopWaiting();
    timers.advance(1_000_000);
    liveness.startWaiting();
    timers.advance(29_999);
    expect(deaths).toEqual([]);
    timers.advance(1);
    expect(deaths).toHaveLength(1);
  });

  it('leaves no timer behind', () => {
    const { timers, deaths, liveness, beatFor } = watch();
    beatFor(10_000);
    liveness.close();
    liveness.setExpecting(true);
    expect(timers.pending).toBe(0);
    timers.advance(1_000_000);
    expect(deaths).toEqual([]);
  });
});
