import fc from 'fast-check';
import { expect, it } from 'vitest';
import { showText } from './show-text.ts';

it('spells out what a terminal would obey and what nobody would see', () => {
  expect(showText('a\u001b[2Jb\u200bc\u{e0041}d\u202ee')).toBe('a\\u{1b}[2Jb\\u{200b}c\\u{e0041}d\\u{202e}e');
  expect(showText('naïve 日本 👍\tx\r\ny')).toBe('naïve 日本 👍\tx\ny');
});

it('leaves no control character but line ends and tabs in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(showText(text)).not.toMatch(/[^\P{C}\n\t]/u);
    }),
  );
});
