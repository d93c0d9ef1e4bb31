import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parallel } from '../tool.ts';
import { CallQueue } from './call-queue.ts';

const never = new AbortController().signal;

describe('the queue of calls', () => {
  it('keeps every promise of the parallel classes, whatever comes in whatever order', async () => {
    const parallel = fc.constantFrom<Parallel>('any', 'few', 'alone');
    await fc.assert(
      fc.asyncProperty(fc.array(parallel, { maxLength: 12 }), fc.scheduler(), async (classes, scheduler) => {
        const queue = new CallQueue();
        const running = new Set<number>();
        const ended = new Set<number>();
        const all = classes.map(async (kind, index) => {
          const ticket = queue.enter(kind, 'tool');
          // What comes before the run (validation, approval) takes as long as it takes.
          await scheduler.schedule(Promise.resolve());
          await ticket.start(never);
          const others = [...running];
          const earlier = classes.slice(0, index).map((_, at) => at);
          if (kind === 'alone') {
            expect(others).toEqual([]);
            expect(earlier.every((at) => ended.has(at))).toBe(true);
          }
          expect(earlier.filter((at) => classes[at] === 'alone').every((at) => ended.has(at))).toBe(true);
          running.add(index);
          expect([...running].filter((at) => classes[at] === 'few').length).toBeLessThanOrEqual(5);
          await scheduler.schedule(Promise.resolve());
          running.delete(index);
          ended.add(index);
          ticket.leave();
        });
        await scheduler.waitFor(Promise.all(all));
        expect(ended.size).toBe(classes.length);
      }),
      { numRuns: 100 },
    );
  });

  it('lets the others pass when one that waits gives up', async () => {
    const queue = new CallQueue();
    const first = queue.enter('any', 'a');
    const second = queue.enter('alone', 'b');
    const third = queue.enter('any', 'c');
    await first.start(never);
    const controller = new AbortController();
    const waiting = second.start(controller.signal);
    const passed = third.start(never);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    second.leave();
    await passed;
  });
});
