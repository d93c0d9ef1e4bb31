import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './line-diff.ts';

describe('a diff', () => {
  it('shows changed lines with a little around them', () => {
    expect(diffLines('a\nb\nc\nd\ne\nf\ng\nh\n', 'a\nb\nc\nD\ne\nf\ng\nh\ni\n')).toEqual([
      '  b',
      '  c',
      '- d',
      '+ D',
      '  e',
      '  f',
      '  g',
      '  h',
      '+ i',
    ]);
  });

  it('leaves out what is far from any change', () => {
    expect(diffLines('1\n2\n3\n4\n5\n6\n7\n8\n', 'x\n2\n3\n4\n5\n6\n7\ny\n')).toEqual([
      '- 1',
      '+ x',
      '  2',
      '  3',
      '  …',
      '  6',
      '  7',
      '- 8',
      '+ y',
    ]);
  });

  it('is empty for equal texts and holds every line of a new one', () => {
    expect(diffLines('a\n', 'a\n')).toEqual([]);
    expect(diffLines('', 'a\nb\n')).toEqual(['+ a', '+ b']);
  });

  it('adds and removes exactly as many lines as the texts differ by', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'));
    const join = (list: readonly string[]) => list.map((line) => `${line}\n`).join('');
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(join(before), join(after));
        const count = (mark: string) => diff.filter((line) => line.startsWith(mark)).length;
        expect(count('+') - count('-')).toBe(after.length - before.length);
      }),
    );
  });
});
