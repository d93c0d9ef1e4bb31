import { createHash } from 'node:crypto';

/** A UUID (version 8: made our own way) that is the same for the same text. */
export function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
