import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate, formatNumber } from './arithmetic.ts';

interface Sum {
  readonly text: string;
  readonly value: number;
}

const { sum } = fc.letrec<{ sum: Sum }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 5 },
    fc.integer({ min: 0, max: 1000 }).map((value) => ({ text: String(value), value })),
    fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*'), tie('sum')).map(([a, operator, b]) => ({
      text: `(${a.text} ${operator} ${b.text})`,
      value: operator === '+' ? a.value + b.value : operator === '-' ? a.value - b.value : a.value * b.value,
    })),
  ),
}));

describe('calculate', () => {
  it.each([
    ['2+2', 4],
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['10 % 4 - 1', 1],
    ['2 ** 10', 1024],
    ['6 ÷ 4 × 2', 3],
    ['--3', 3],
  ])('gives %s its value', (text, value) => {
    expect(calculate(text)).toEqual({ value });
  });

  it.each(['1/0', '5 % 0', '(1', '1 2', '', '+', '9^9^9', '('.repeat(400), '-'.repeat(400)])(
    'says why %s has none',
    (text) => {
      expect(calculate(text)).toHaveProperty('problem');
    },
  );

  it('agrees with arithmetic for any nesting of sums and products', () => {
    fc.assert(
      fc.property(sum, ({ text, value }) => {
        fc.pre(text.length <= 500);
        expect(calculate(text)).toEqual({ value: value + 0 });
      }),
      { numRuns: 200 },
    );
  });

  it('hides binary rounding', () => {
    const result = calculate('0.1 + 0.2');
    expect('value' in result && formatNumber(result.value)).toBe('0.3');
  });
});
