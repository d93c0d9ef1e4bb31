import { expect, it } from 'vitest';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { LiveRuns } from './live-runs.ts';

it('a run waits for the older one of the same request, and for no other', async () => {
  const runs = new LiveRuns(new ManualTimers());
  const stopped: string[] = [];
  const endOlder = await runs.takeOver('a', () => stopped.push('older'));
  await runs.takeOver('b', () => stopped.push('other'));
  let hasBegun = false;
  const newer = runs
    .takeOver('a', () => {})
    .then(() => {
      hasBegun = true;
    });
  await Promise.resolve();
  expect(stopped).toEqual(['older']);
  expect(hasBegun).toBe(false);
  endOlder();
  await newer;
  expect(hasBegun).toBe(true);
});

it('a run does not wait for ever for one that hangs', async () => {
  const timers = new ManualTimers();
  const runs = new LiveRuns(timers);
  await runs.takeOver('a', () => {});
  const newer = runs.takeOver('a', () => {});
  await timers.advance(5_000);
  await newer;
});

it('a run that ended late does not remove the one that replaced it', async () => {
  const timers = new ManualTimers();
  const runs = new LiveRuns(timers);
  const endFirst = await runs.takeOver('a', () => {});
  let stops = 0;
  const second = runs.takeOver('a', () => stops++);
  await timers.advance(5_000);
  const endSecond = await second;
  endFirst();
  const third = runs.takeOver('a', () => {});
  expect(stops).toBe(1);
  endSecond();
  await third;
});
