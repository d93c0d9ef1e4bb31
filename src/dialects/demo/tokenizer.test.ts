import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutArguments, cutEvery, cutWords } from './script.ts';
import { countTokens, splitTokens, takeTokens } from './tokenizer.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });

function hasLoneSurrogate(text: string): boolean {
  return /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

describe('the tokenizer', () => {
  it('splits words, numbers and signs', () => {
    expect([...splitTokens('Hello, extraordinary 12345!')]).toEqual([
      'Hello',
      ',',
      ' extraord',
      'inary',
      ' 1234',
      '5',
      '!',
    ]);
  });

  it('loses nothing and counts what it splits', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = [...splitTokens(text)];
        expect(tokens.join('')).toBe(text);
        expect(countTokens(text)).toBe(tokens.length);
      }),
    );
  });

  it('takes whole tokens up to a limit', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, limit) => {
        const taken = takeTokens(text, limit);
        expect(text.startsWith(taken.text)).toBe(true);
        expect(taken.tokens).toBe(Math.min(limit, countTokens(text)));
      }),
    );
  });

  it.each([
    ['words', cutWords],
    ['arguments', cutArguments],
    ['fixed sizes', cutEvery(3)],
  ])('cuts %s into pieces that are whole text each', (_name, cut) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const pieces = [...cut(text)];
        expect(pieces.join('')).toBe(text);
        expect(pieces.some((piece) => piece === '' || hasLoneSurrogate(piece))).toBe(false);
      }),
    );
  });

  it('cuts arguments into four to twelve characters, the last piece aside', () => {
    const pieces = [
      ...cutArguments(JSON.stringify({ file_path: 'src/dialects/demo/index.ts', limit: 2000 })),
    ];
    for (const piece of pieces.slice(0, -1)) {
      expect(piece.length).toBeGreaterThanOrEqual(4);
      expect(piece.length).toBeLessThanOrEqual(12);
    }
  });
});
