import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WholeCharacters } from './whole-characters.ts';

it('never gives half a character, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.array(fc.nat(300), { maxLength: 10 }),
      (text, cuts) => {
        const bytes = Buffer.from(text);
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const characters = new WholeCharacters();
        const pieces = places
          .slice(1)
          .map((end, index) => characters.push(bytes.subarray(places[index], end)));
        expect(pieces.map((piece) => piece.toString('utf8')).join('')).toBe(bytes.toString('utf8'));
        expect(characters.flush()).toHaveLength(0);
      },
    ),
  );
});

it('passes bytes on that are no characters at all', () => {
  const characters = new WholeCharacters();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const given = Buffer.from(bytes);
      expect(Buffer.concat([characters.push(given), characters.flush()]).equals(given)).toBe(true);
    }),
  );
});
