import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, decodeText, detectForm, encodeText, lineEndingOf, splitLines } from './text-form.ts';

describe('the form of a text', () => {
  it('never loses a byte: what can be read as text is written back the same', () => {
    const marks = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
    fc.assert(
      fc.property(marks, fc.uint8Array({ maxLength: 60 }), (mark, body) => {
        const bytes = Buffer.from([...mark, ...body]);
        const decoded = decodeText(bytes);
        if (decoded !== undefined) expect(encodeText(decoded.text, decoded.form)).toEqual(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['plain text', Buffer.from('hello'), 'utf-8'],
    ['colours of a terminal', Buffer.from('\u001b[31mred\u001b[0m'), 'utf-8'],
    ['accents of an old file', Buffer.from('caf\u00e9', 'latin1'), 'latin-1'],
    ['a NUL', Buffer.from('a\0b'), undefined],
    ['control characters', Buffer.from([1, 2, 3, 4, 65, 66]), undefined],
    ['half of a UTF-16 character', Buffer.from([0xff, 0xfe, 65, 0, 66]), undefined],
  ])('is told for %s', (_name, bytes, encoding) => {
    expect(detectForm(bytes)?.encoding).toBe(encoding);
  });

  it('is not misled by a character that the sample cuts through', () => {
    const bytes = Buffer.from('ab😀');
    for (const end of [3, 4, 5]) {
      expect(detectForm(bytes.subarray(0, end), false)?.encoding).toBe('utf-8');
      expect(detectForm(bytes.subarray(0, end))?.encoding).toBe('latin-1');
    }
  });

  it('counts lines as it splits them', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r') }), (text) => {
        expect(countLines(text)).toBe(splitLines(text).length);
      }),
    );
  });

  it('has the line ending of most lines', () => {
    expect(lineEndingOf('a\r\nb\r\nc\n')).toBe('\r\n');
    expect(lineEndingOf('a\r\nb\n')).toBe('\n');
    expect(lineEndingOf('a')).toBe('\n');
  });
});
