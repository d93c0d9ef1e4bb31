import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { invalidRequest } from '../../core/index.ts';
import type { Inflate } from '../../wire/connect-envelope.ts';

const CODECS = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

/** How compressed frames of a request are opened; gzip where the client names nothing, as its peers assume too. */
export function inflaterFor(encoding: string | undefined): Inflate {
  const name = encoding?.trim().toLowerCase() || 'gzip';
  if (name === 'identity') return inflaterFor('gzip');
  if (!Object.hasOwn(CODECS, name)) {
    throw invalidRequest(`Frames in "${name}" cannot be read; send them plain, or as gzip or br.`);
  }
  const codec = CODECS[name as keyof typeof CODECS]; // hasOwn has just said so
  // zlib stops at the bound instead of filling the memory with a bomb.
  return (bytes, maxBytes) => codec(bytes, { maxOutputLength: maxBytes });
}
