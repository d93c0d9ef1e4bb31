import type { PathReader } from './path-reader.ts';

/**
 * Whether a path can match a fuzzy query at all: the letters of each of its words, in their order. Asked of the bytes,
 * so that the scorer, which prepares every text it is given, sees only those.
 */
export function mayResemble(query: string): (paths: PathReader) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  // Letters outside ASCII match others, e.g. those without their accents: the scorer's business.
  const plain = words.filter(isAscii).map((word) => Buffer.from(word));
  return ({ bytes, start, end }) => plain.every((word) => hasInOrder(word, bytes, start, end));
}

function hasInOrder(word: Buffer, bytes: Buffer, start: number, end: number): boolean {
  let wanted = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80) return true;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    if (lower === word[wanted] && ++wanted === word.length) return true;
  }
  return false;
}

function isAscii(word: string): boolean {
  return Buffer.byteLength(word) === word.length;
}
