import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib';
import { WebFault } from './web-fault.ts';

/** Unpacks and collects; the bound is on what comes out, so that a small answer cannot unfold into a large one. */
export async function readBody(
  body: Readable,
  contentEncoding: string,
  limit: { readonly maxBytes: number; readonly name: string },
): Promise<Buffer> {
  const stream = unpack(body, contentEncoding, limit.name);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes: Buffer = chunk; // no encoding is set on any of the streams
      size += bytes.length;
      if (size > limit.maxBytes) throw tooLarge(limit);
      chunks.push(bytes);
    }
  } finally {
    stream.destroy();
    dropBody(body);
  }
  return Buffer.concat(chunks);
}

/** Gives up an answer unread; undici tells of it through an error event that would end the process if nobody listened. */
export function dropBody(body: Readable): void {
  body.on('error', () => undefined);
  body.destroy();
}

export function tooLarge(limit: { readonly maxBytes: number; readonly name: string }): WebFault {
  return new WebFault(
    'EFBIG',
    `${limit.name} is larger than ${limit.maxBytes} bytes. Look for a smaller page, or download it with a shell command.`,
  );
}

const SYNC = { flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH }; // servers cut trailers off
const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(SYNC),
  'x-gzip': () => createGunzip(SYNC),
  deflate: () => createInflate(SYNC),
  br: () => createBrotliDecompress(),
};

function unpack(body: Readable, contentEncoding: string, name: string): Readable {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  let stream = body;
  // Applied last, undone first.
  for (const encoding of encodings.reverse()) {
    const unpacker = UNPACKERS[encoding]?.();
    if (!unpacker || encodings.length > 3)
      throw new WebFault(
        'FAILED',
        `${name} came in the encoding "${contentEncoding}", which is not known here.`,
      );
    stream.on('error', (error) => unpacker.destroy(error));
    stream = stream.pipe(unpacker);
  }
  return stream;
}
