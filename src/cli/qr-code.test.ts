import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawQrCode, qrCodeWidth } from './draw-qr-code.ts';
import { encodeQrCode, type QrCode, type QrLevel } from './qr-code.ts';
import { qrPenalty } from './qr-penalty.ts';
import { checkBytes, multiplyInField, powerOfTwo } from './reed-solomon.ts';

function picture(code: QrCode): string {
  return code.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')).join('\n');
}

// This picture and the sums below were made with another encoder (qrcode-terminal, as npm ships it).
const CURSOR_COM = `
#######.###..#..#.#######
#.....#.#.###...#.#.....#
#.###.#......###..#.###.#
#.###.#.##.###....#.###.#
#.###.#....#.####.#.###.#
#.....#.......#...#.....#
#######.#.#.#.#.#.#######
........##.##..#.........
#.##.###....##..#.#..#.##
##...#....#..#..##.#...#.
.#..#.#..###.#.....#.....
#..#...##..#...#.#.#.##..
#.#.#.#....##.#..##.#.###
.#.##..#...##.##..###...#
.##.#####..#.#..#...#.##.
#..###.#####..#....##...#
......#.##..#.#.#########
........###...###...#.#.#
#######.#.#..##.#.#.#.###
#.....#.#..#.####...#...#
#.###.#..##..##.######...
#.###.#.###.....###.#####
#.###.#.###...###.#.#.##.
#.....#....####.....#.#..
#######.#.##.....#.######
`.trim();

describe('a QR code', () => {
  it('is module for module what another encoder makes', () => {
    expect(picture(encodeQrCode('https://cursor.com/', { level: 'M', mask: 3 }))).toBe(CURSOR_COM);
  });

  it.each<[number, QrLevel, number, number, string]>([
    [1, 'L', 4, 21, 'b21ff64a365f90a223f7ddfce5fd0905'],
    [60, 'L', 7, 33, 'b90e65d3660a31843d6f18a9607b399c'],
    [120, 'M', 6, 45, 'ab5d649d48bd2df7a7ff8dc4419041f0'],
    [165, 'L', 7, 49, '9b222895c7621b414df880d69b84d17f'],
    [200, 'M', 7, 57, 'e4e662559b6f64cd6bdfa53805f7f49d'],
    [300, 'L', 3, 61, '32f6070395f1b35400e52ee9c172b1d2'],
    [500, 'M', 3, 85, 'a98811c33aa522014cc5203f84c7b3e1'],
    [640, 'M', 3, 97, '862fab8e3faff8158ce808aa37906a36'],
  ])('of %i bytes at level %s is the same as elsewhere', (length, level, mask, size, sum) => {
    const text = 'https://example.org/'.repeat(40).slice(0, length);
    const code = encodeQrCode(text, { level, mask });
    expect(code).toHaveLength(size);
    expect(createHash('sha256').update(picture(code)).digest('hex').slice(0, 32)).toBe(sum);
  });

  it('carries the format bits of the standard', () => {
    // ISO/IEC 18004, annex C: level and mask, protected and masked; read along row 8 from the left.
    const bits = (level: QrLevel, mask: number) => {
      const code = encodeQrCode('x', { level, mask });
      return [0, 1, 2, 3, 4, 5, 7, 8].map((column) => (code[8]?.[column] ? '1' : '0')).join('');
    };
    expect(bits('L', 0)).toBe('111011111000100'.slice(0, 8));
    expect(bits('L', 4)).toBe('110011000101111'.slice(0, 8));
    expect(bits('M', 0)).toBe('101010000010010'.slice(0, 8));
    expect(bits('M', 7)).toBe('100101010100000'.slice(0, 8));
  });

  it('takes the mask that scans best', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const all = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => qrPenalty(encodeQrCode(text, { mask })));
        expect(qrPenalty(encodeQrCode(text))).toBe(Math.min(...all));
      }),
      { numRuns: 20 },
    );
  });

  it('takes 858 bytes and no more', () => {
    expect(encodeQrCode('a'.repeat(858))).toHaveLength(97);
    expect(() => encodeQrCode('a'.repeat(859))).toThrow('A QR code of 859 bytes would fit on no screen.');
  });
});

describe('check bytes', () => {
  it('are those of the textbook', () => {
    // HELLO WORLD in a code of version 1-M, the example of most tutorials.
    const data = Uint8Array.of(32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17);
    expect([...checkBytes(data, 10)]).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
  });

  it('make every root of the generator a root of the whole', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.integer({ min: 1, max: 30 }),
        (data, count) => {
          const whole = [...data, ...checkBytes(data, count)];
          for (let root = 0; root < count; root++) {
            const value = whole.reduce((sum, byte) => multiplyInField(sum, powerOfTwo(root)) ^ byte, 0);
            expect(value).toBe(0);
          }
        },
      ),
    );
  });
});

describe('the drawing of a QR code', () => {
  const code = encodeQrCode('https://cursor.com/');

  it('has two rows a line and a light border', () => {
    const lines = drawQrCode(code, false).split('\n');
    expect(lines).toHaveLength(Math.ceil(qrCodeWidth(code) / 2));
    expect(lines.every((line) => [...line].length === qrCodeWidth(code))).toBe(true);
    expect(lines[0]).toBe('█'.repeat(qrCodeWidth(code)));
    // The top edge of the finders: two light columns, then seven dark ones over light.
    expect(lines[1]?.startsWith('██ ▄▄▄▄▄ █')).toBe(true);
  });

  it('brings its own colours where there are any', () => {
    expect(drawQrCode(code, true).startsWith('\u001b[97;40m█')).toBe(true);
    expect(drawQrCode(code, false)).not.toContain('\u001b');
  });
});
