// The square of a QR code: the patterns that every code of a version has, the path of the data through the rest, and the
// mask (ISO/IEC 18004, sections 6.3 and 7.7 to 7.10).
import { qrPenalty } from './qr-penalty.ts';

/** Whether a module of the data is turned over, by row and column; the index is the number in the format bits. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

const FORMAT_POLYNOMIAL = 0x537;
const FORMAT_MASK = 0x5412;
const VERSION_POLYNOMIAL = 0x1f25;
const TIMING_LINE = 6;

export class QrGrid {
  readonly #version: number;
  readonly #size: number;
  readonly #dark: boolean[][];
  readonly #isPattern: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = 17 + 4 * version;
    this.#dark = square(this.#size);
    this.#isPattern = square(this.#size);
    this.#drawFinders();
    this.#drawAlignment();
    this.#drawTiming();
    this.#writeFormat(this.#dark, 0); // the place is taken; the bits follow with the mask
    if (version >= 7) this.#writeVersion();
  }

  get capacityBytes(): number {
    const free = this.#isPattern.flat().filter((isPattern) => !isPattern).length;
    return Math.floor(free / 8);
  }

  /** Two columns at a time from the right, up and down in turn, around the patterns. */
  placeData(bytes: Uint8Array): void {
    let bit = 0;
    let isUpward = true;
    for (let right = this.#size - 1; right > 0; right -= 2) {
      if (right === TIMING_LINE) right--;
      for (let step = 0; step < this.#size; step++) {
        const row = isUpward ? this.#size - 1 - step : step;
        for (const column of [right, right - 1]) {
          if (this.#isPattern[row]?.[column]) continue;
          // A few modules may be left over at the end; they stay light.
          const isDark = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
          put(this.#dark, row, column, isDark);
          bit++;
        }
      }
      isUpward = !isUpward;
    }
  }

  finish(levelBits: number, mask?: number): boolean[][] {
    if (mask !== undefined) return this.#masked(levelBits, mask);
    const candidates = MASKS.map((_, number) => this.#masked(levelBits, number));
    const penalties = candidates.map(qrPenalty);
    const best = penalties.indexOf(Math.min(...penalties));
    return candidates[best] ?? this.#masked(levelBits, 0);
  }

  #masked(levelBits: number, mask: number): boolean[][] {
    const turns = MASKS[mask] ?? (() => false);
    const masked = this.#dark.map((cells, row) =>
      cells.map((isDark, column) => isDark !== (!this.#isPattern[row]?.[column] && turns(row, column))),
    );
    this.#writeFormat(masked, (levelBits << 3) | mask);
    return masked;
  }

  #set(row: number, column: number, isDark: boolean): void {
    put(this.#dark, row, column, isDark);
    put(this.#isPattern, row, column, true);
  }

  #drawFinders(): void {
    const far = this.#size - 7;
    for (const [top, left] of [
      [0, 0],
      [0, far],
      [far, 0],
    ] as const) {
      // One module further out on each side lies the light separator.
      for (let row = -1; row <= 7; row++) {
        for (let column = -1; column <= 7; column++) {
          const distance = Math.max(Math.abs(row - 3), Math.abs(column - 3));
          this.#set(top + row, left + column, distance !== 2 && distance !== 4);
        }
      }
    }
  }

  #drawAlignment(): void {
    const centres = alignmentCentres(this.#version, this.#size);
    for (const row of centres) {
      for (const column of centres) {
        const isCorner = this.#isPattern[row]?.[column];
        if (isCorner) continue;
        for (let down = -2; down <= 2; down++) {
          for (let across = -2; across <= 2; across++) {
            const distance = Math.max(Math.abs(down), Math.abs(across));
            this.#set(row + down, column + across, distance !== 1);
          }
        }
      }
    }
  }

  #drawTiming(): void {
    for (let place = 8; place < this.#size - 8; place++) {
      this.#set(TIMING_LINE, place, place % 2 === 0);
      this.#set(place, TIMING_LINE, place % 2 === 0);
    }
  }

  /** Written twice, so that one spoilt corner does no harm. */
  #writeFormat(target: boolean[][], data: number): void {
    const bits = withRemainder(data, 10, FORMAT_POLYNOMIAL) ^ FORMAT_MASK;
    const write = (row: number, column: number, isDark: boolean) => {
      put(target, row, column, isDark);
      put(this.#isPattern, row, column, true);
    };
    for (let index = 0; index < 15; index++) {
      const isDark = ((bits >> index) & 1) === 1;
      // Around the top left finder, stepping over the timing lines.
      if (index < 6) write(index, 8, isDark);
      else if (index < 8) write(index + 1, 8, isDark);
      else if (index === 8) write(8, 7, isDark);
      else write(8, 14 - index, isDark);
      // Split between the other two.
      if (index < 8) write(8, this.#size - 1 - index, isDark);
      else write(this.#size - 15 + index, 8, isDark);
    }
    write(this.#size - 8, 8, true);
  }

  #writeVersion(): void {
    const bits = withRemainder(this.#version, 12, VERSION_POLYNOMIAL);
    for (let index = 0; index < 18; index++) {
      const isDark = ((bits >> index) & 1) === 1;
      const along = Math.floor(index / 3);
      const across = this.#size - 11 + (index % 3);
      this.#set(along, across, isDark);
      this.#set(across, along, isDark);
    }
  }
}

function square(size: number): boolean[][] {
  return Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
}

function put(target: boolean[][], row: number, column: number, value: boolean): void {
  const cells = target[row];
  if (cells && column >= 0 && column < cells.length) cells[column] = value;
}

/** Evenly spread from the far edge inward; only the first gap, next to the timing line, may be narrower. */
function alignmentCentres(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const distance = 2 * Math.ceil((size - 13) / (2 * (count - 1)));
  const far = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * distance);
  return [TIMING_LINE, ...far.reverse()];
}

/** The data followed by the remainder of a division of polynomials over two elements (a BCH code). */
function withRemainder(data: number, bits: number, polynomial: number): number {
  let remainder = data << bits;
  for (let bit = 31 - Math.clz32(remainder); bit >= bits; bit = 31 - Math.clz32(remainder)) {
    remainder ^= polynomial << (bit - bits);
  }
  return (data << bits) | remainder;
}
