import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppendNumbers } from './append-numbers.ts';

/** What a client sends: an opening message, then others. */
const messageOf = (number: number, start: number) => new Uint8Array([number === start ? 0x0a : 0x12, number]);

describe('the order of appends', () => {
  it('is the client’s, whatever the order and the repetitions on the way', () => {
    const run = fc.record({
      start: fc.constantFrom(0, 1),
      count: fc.integer({ min: 1, max: 20 }),
      shuffle: fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 20 }),
      repeats: fc.array(fc.nat({ max: 19 }), { maxLength: 10 }),
    });
    fc.assert(
      fc.property(run, ({ start, count, shuffle, repeats }) => {
        const numbers = Array.from({ length: count }, (_, index) => start + index);
        const wanted = numbers.map((number) => messageOf(number, start));
        const arrivals = [...numbers, ...repeats.map((index) => start + (index % count))]
          .map((number, index) => ({ number, rank: shuffle[index % shuffle.length] ?? 0 }))
          .sort((a, b) => a.rank - b.rank);
        const order = new AppendNumbers();
        const delivered = arrivals.flatMap(({ number }) => order.accept(number, messageOf(number, start)));
        expect(delivered).toEqual(wanted);
        expect(order.earlyCount).toBe(0);
        expect(order.earlyBytes).toBe(0);
      }),
    );
  });

  it('waits for 0 when 1 does not open anything, and lets it be the first when 0 never comes', () => {
    const order = new AppendNumbers();
    const [one, two] = [new Uint8Array([0x3a, 0]), new Uint8Array([0x12, 0])];
    expect(order.accept(1, one)).toEqual([]);
    expect(order.accept(2, two)).toEqual([]);
    expect(order.describeGap()).toBe('append 0 did not come, although append 1 did');
    expect(order.startLate()).toEqual([one, two]);
    expect(order.startLate()).toEqual([]);
  });

  it('does not start in the middle', () => {
    const order = new AppendNumbers();
    expect(order.accept(5, new Uint8Array([0x0a, 0]))).toEqual([]);
    expect(order.startLate()).toEqual([]);
  });
});
