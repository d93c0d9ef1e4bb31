// Reads a request body into memory under a bound, decoding gzip, deflate and br (RFC 9110, section 8.4.1).
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { GatewayError, invalidRequest } from '../core/index.ts';

export interface ReadBodyOptions {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Counts for the bytes on the wire and again for the decoded ones. */
  readonly maxBytes: number;
  /** An upload that stands still this long is given up. */
  readonly idleMs: number;
  /** For the whole of it: an upload that only trickles is given up too. */
  readonly totalMs: number;
  /** Hears of every decoded piece; what it throws ends the reading. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Asked at the beginning and at the end of the source: true when the client has given the request up. */
  readonly isCut?: () => boolean;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export async function readBody(source: Readable, options: ReadBodyOptions): Promise<Uint8Array> {
  checkDeclaredLength(options);
  const decoder = createDecoder(options.headers['content-encoding']);
  // What is gone already emits nothing more.
  if (options.isCut?.() === true || (source.destroyed && !source.readableEnded)) throw cutUpload();
  return await new Promise<Uint8Array>((resolve, reject) => {
    const { maxBytes, idleMs, totalMs } = options;
    const chunks: Uint8Array[] = [];
    let wireBytes = 0;
    let decodedBytes = 0;
    let isSettled = false;
    const output = decoder ?? source;

    const stalled = () =>
      settle(new GatewayError('deadline-exceeded', `The request body stopped arriving for ${idleMs} ms.`));
    const timer = setTimeout(stalled, idleMs);
    const trickled = () =>
      settle(new GatewayError('deadline-exceeded', `The request body was not complete after ${totalMs} ms.`));
    const deadline = setTimeout(trickled, totalMs);
    const onWire = (chunk: Uint8Array) => {
      timer.refresh();
      wireBytes += chunk.length;
      if (wireBytes > maxBytes) settle(tooLarge(maxBytes));
    };
    const onDecoded = (chunk: Uint8Array) => {
      decodedBytes += chunk.length;
      if (decodedBytes > maxBytes) {
        settle(tooLarge(maxBytes));
        return;
      }
      try {
        options.onBytes?.(chunk.length);
        chunks.push(chunk);
      } catch (thrown) {
        settle(GatewayError.from(thrown));
      }
    };
    const onEnd = () => settle(options.isCut?.() === true ? cutUpload() : undefined);
    const onCut = () => settle(cutUpload());
    // With a decoder the source ends and closes before the decoder is done; only a cut upload is an error.
    const onClose = () => {
      if (!source.readableEnded) onCut();
    };
    const onBadEncoding = () =>
      settle(invalidRequest(`The request body is not valid ${options.headers['content-encoding']}.`));

    function settle(error?: GatewayError): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      clearTimeout(deadline);
      source.off('data', onWire).off('close', onClose).off('aborted', onCut).off('error', onCut);
      output.off('data', onDecoded).off('end', onEnd);
      if (decoder) {
        source.unpipe(decoder);
        decoder.destroy();
      }
      if (error) {
        source.pause();
        reject(error);
      } else {
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, decodedBytes));
      }
    }

    source.on('data', onWire).on('close', onClose).on('aborted', onCut).on('error', onCut);
    output.on('data', onDecoded).on('end', onEnd);
    if (decoder) {
      decoder.on('error', onBadEncoding);
      source.pipe(decoder);
    }
  });
}

/** Refuses by the header alone, before a byte is read. */
function checkDeclaredLength({ headers, maxBytes }: ReadBodyOptions): void {
  const declared = Number(headers['content-length']);
  if (Number.isFinite(declared) && declared > maxBytes) throw tooLarge(maxBytes, declared);
}

function createDecoder(encoding: string | undefined): Transform | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const [name, ...more] = names;
  if (name === undefined) return undefined;
  const create = more.length === 0 ? DECODERS[name] : undefined;
  if (!create) {
    throw invalidRequest(
      `The content-encoding "${encoding}" is not supported; send the body plain or as gzip, deflate or br.`,
      'content-encoding',
    );
  }
  return create();
}

function cutUpload(): GatewayError {
  return new GatewayError('cancelled', 'The client went away before its request was complete.');
}

function tooLarge(maxBytes: number, found?: number): GatewayError {
  const size = found === undefined ? 'larger' : `${found} bytes, larger`;
  return new GatewayError(
    'too-large',
    `The request body is ${size} than the ${maxBytes} bytes allowed here. Send less, or raise limits.maxRequestBytes.`,
  );
}
