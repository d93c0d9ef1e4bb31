import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { invalidRequest } from '../../core/index.ts';

/** Rejects with `invalid-request` rather than produce more than `maxBytes`. */
export type InflateMessage = (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array>;

const CODECS = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

/**
 * How compressed messages of a request are opened; gzip where the client names nothing, as its peers assume too. Never
 * on the event loop: a hundred bytes of brotli can hold 64 MB, and a second of work.
 */
export function inflaterFor(encoding: string | undefined): InflateMessage {
  const name = encoding?.trim().toLowerCase() || 'gzip';
  if (name === 'identity') return inflaterFor('gzip');
  if (!Object.hasOwn(CODECS, name)) {
    const shown = JSON.stringify(name.slice(0, 100));
    throw invalidRequest(`Frames in ${shown} cannot be read; send them plain, or as gzip or br.`);
  }
  const codec = CODECS[name as keyof typeof CODECS]; // hasOwn has just said so
  return async (bytes, maxBytes) => {
    try {
      // zlib stops at the bound instead of filling the memory with a bomb.
      return await codec(bytes, { maxOutputLength: maxBytes });
    } catch {
      throw invalidRequest(
        `The compressed message of ${bytes.length} bytes cannot be inflated to at most ${maxBytes} bytes.`,
      );
    }
  };
}
