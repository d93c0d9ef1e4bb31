// QR codes as ISO/IEC 18004 describes them, as far as a terminal needs them: byte mode, error levels L and M, versions 1
// to 20 (858 bytes at level L). Larger codes fit on no screen.
import { GatewayError } from '../core/index.ts';
import { QrGrid } from './qr-grid.ts';
import { checkBytes } from './reed-solomon.ts';

export type QrLevel = 'L' | 'M';

/** Rows of modules, true where it is dark; without the quiet zone. */
export type QrCode = readonly (readonly boolean[])[];

/** Per version from 1: check bytes of each block, and how many blocks there are (ISO/IEC 18004, table 9). */
const BLOCKS: Readonly<Record<QrLevel, { check: readonly number[]; count: readonly number[] }>> = {
  L: {
    check: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28],
    count: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8],
  },
  M: {
    check: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26],
    count: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16],
  },
};
const LEVEL_BITS: Readonly<Record<QrLevel, number>> = { L: 0b01, M: 0b00 };
const MAX_VERSION = 20;
const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11] as const;

export interface QrOptions {
  readonly level?: QrLevel;
  /** 0 to 7; left out, the one that scans best is taken. */
  readonly mask?: number;
}

export function encodeQrCode(text: string, { level = 'L', mask }: QrOptions = {}): QrCode {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= MAX_VERSION; version++) {
    const grid = new QrGrid(version);
    const plan = planBlocks(grid.capacityBytes, version, level);
    // A mode of 4 bits and a length: the data starts in the middle of a byte, and the last half byte is the end mark.
    const room = plan.dataBytes - (version < 10 ? 2 : 3);
    if (bytes.length > room) continue;
    grid.placeData(interleave(packBytes(bytes, version, plan.dataBytes), plan));
    return grid.finish(LEVEL_BITS[level], mask);
  }
  throw new GatewayError('too-large', `A QR code of ${bytes.length} bytes would fit on no screen.`);
}

interface BlockPlan {
  readonly dataBytes: number;
  readonly checkBytes: number;
  /** Data bytes of each block; the longer ones, by one byte, come last. */
  readonly lengths: readonly number[];
}

function planBlocks(totalBytes: number, version: number, level: QrLevel): BlockPlan {
  const count = BLOCKS[level].count[version - 1] ?? 1;
  const check = BLOCKS[level].check[version - 1] ?? 0;
  const dataBytes = totalBytes - count * check;
  const shortLength = Math.floor(dataBytes / count);
  const longBlocks = dataBytes % count;
  const lengths = Array.from({ length: count }, (_, index) =>
    index < count - longBlocks ? shortLength : shortLength + 1,
  );
  return { dataBytes, checkBytes: check, lengths };
}

function packBytes(bytes: Uint8Array, version: number, size: number): Uint8Array {
  const packed = new Uint8Array(size);
  const lengthDigits = version < 10 ? [bytes.length >> 4, bytes.length] : lengthOf16Bits(bytes.length);
  const halves = [BYTE_MODE, ...lengthDigits, ...[...bytes].flatMap((byte) => [byte >> 4, byte])];
  for (const [index, half] of halves.entries()) {
    const place = index >> 1;
    packed[place] = (packed[place] ?? 0) | ((half & 0xf) << (index % 2 === 0 ? 4 : 0));
  }
  for (let place = (halves.length + 1) >> 1, turn = 0; place < size; place++, turn++) {
    packed[place] = PADDING[turn % 2 === 0 ? 0 : 1];
  }
  return packed;
}

function lengthOf16Bits(length: number): number[] {
  return [length >> 12, length >> 8, length >> 4, length];
}

/** First bytes of all blocks, then second bytes, …; the check bytes follow in the same manner. */
function interleave(data: Uint8Array, plan: BlockPlan): Uint8Array {
  let from = 0;
  const blocks = plan.lengths.map((length) => {
    const block = data.subarray(from, from + length);
    from += length;
    return block;
  });
  const checks = blocks.map((block) => checkBytes(block, plan.checkBytes));
  return Uint8Array.from([...columnsOf(blocks), ...columnsOf(checks)]);
}

function columnsOf(blocks: readonly Uint8Array[]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length));
  const columns: number[] = [];
  for (let index = 0; index < longest; index++) {
    for (const block of blocks) {
      const byte = block[index];
      if (byte !== undefined) columns.push(byte);
    }
  }
  return columns;
}
