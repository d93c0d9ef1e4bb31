import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GrepEntry } from './grep-entry.ts';
import { GrepWindow } from './grep-window.ts';

function line(number: number, isContext: boolean): GrepEntry {
  return { file: 'a', line: number, text: 'x', isContext, isCut: false, count: 0 };
}

/** Lines 1 to n, of which some match; ripgrep leaves out lines that are no one's context. */
function output(isMatch: readonly boolean[], before: number, after: number): GrepEntry[] {
  return isMatch.flatMap((matches, index) => {
    const near = isMatch.some((other, at) => other && index >= at - before && index <= at + after);
    return near ? [line(index + 1, !matches)] : [];
  });
}

describe('a window on grep results', () => {
  it('pages give every match once and in order, each with its own context', () => {
    const cases = fc.record({
      isMatch: fc.array(fc.boolean(), { maxLength: 40 }),
      before: fc.nat(3),
      after: fc.nat(3),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(cases, ({ isMatch, before, after, limit }) => {
        const entries = output(isMatch, before, after);
        const wanted = entries.filter((entry) => !entry.isContext).map((entry) => entry.line);
        const seen: number[] = [];
        for (let offset = 0; offset < wanted.length; offset += limit) {
          const window = new GrepWindow({ offset, limit, before, after, maxLines: 1e6, maxCharacters: 1e6 });
          for (const entry of entries) if (!window.push(entry)) break;
          const lines = window.entries.map((entry) => entry.line);
          expect(lines).toEqual([...new Set(lines)].sort((left, right) => left - right));
          const matches = window.entries.filter((entry) => !entry.isContext).map((entry) => entry.line);
          for (const entry of window.entries) {
            expect(matches.some((match) => entry.line >= match - before && entry.line <= match + after)).toBe(
              true,
            );
          }
          expect(window.hasMore).toBe(offset + limit < wanted.length);
          seen.push(...matches);
        }
        expect(seen).toEqual(wanted);
      }),
    );
  });

  it('stops at its own caps and says so', () => {
    const window = new GrepWindow({
      offset: 0,
      limit: 9,
      before: 0,
      after: 0,
      maxLines: 2,
      maxCharacters: 1e6,
    });
    expect([1, 2, 3].map((number) => window.push(line(number, false)))).toEqual([true, true, false]);
    expect(window).toMatchObject({ taken: 2, hasMore: true, isCapped: true });
  });
});
