// Connect streaming frames: one byte of flags, four of big-endian length, the payload; the last frame is JSON.
// Known from the Connect protocol specification (connectrpc.com/docs/protocol); the codec of compressed frames is the
// caller's, since this folder imports nothing.
import type { ErrorCode } from '../core/index.ts';
import { GatewayError } from '../core/index.ts';

export const COMPRESSED = 0x01;
export const END_STREAM = 0x02;

const HEADER_BYTES = 5;

/** What public servers of the agent protocol accept in one message. */
export const MAX_ENVELOPE_BYTES = 64 * 1024 * 1024;

/** Must throw, or stop, rather than produce more than `maxBytes`: a small frame can hold a bomb. */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array;

export interface Envelope {
  /** As received; bits beyond the two known ones are the caller's to judge. */
  readonly flags: number;
  /** Already inflated. */
  readonly payload: Uint8Array;
  readonly isEnd: boolean;
}

export interface EnvelopeReaderOptions {
  /** Bounds the payload as it travels and, apart from that, as it is once inflated. */
  readonly maxBytes?: number;
  readonly inflate?: Inflate;
  /** Whose fault a broken frame is: `upstream-malformed`, unless a client is being read. */
  readonly faultCode?: ErrorCode;
}

export class EnvelopeReader {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #neededBytes = HEADER_BYTES;
  #hasEnded = false;
  readonly #maxBytes: number;
  readonly #inflate: Inflate | undefined;
  readonly #faultCode: ErrorCode;

  constructor(options: EnvelopeReaderOptions = {}) {
    this.#maxBytes = options.maxBytes ?? MAX_ENVELOPE_BYTES;
    this.#inflate = options.inflate;
    this.#faultCode = options.faultCode ?? 'upstream-malformed';
  }

  /** True when bytes of an unfinished frame are waiting: at the end of a stream that means it was cut. */
  get hasPartialFrame(): boolean {
    return this.#pendingBytes > 0;
  }

  /** True once the end-of-stream frame has been read. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  push(chunk: Uint8Array): Envelope[] {
    if (chunk.length === 0) return [];
    if (this.#hasEnded) throw this.#afterEnd(chunk.length);
    if (this.#pendingBytes + chunk.length < this.#neededBytes) {
      this.#keep(chunk, this.#neededBytes);
      return [];
    }
    const bytes = this.#pendingBytes === 0 ? chunk : Buffer.concat([...this.#pending, chunk]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return this.#split(bytes);
  }

  #split(bytes: Uint8Array): Envelope[] {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const frames: Envelope[] = [];
    let start = 0;
    let needed = HEADER_BYTES;
    while (start < bytes.length) {
      if (this.#hasEnded) throw this.#afterEnd(bytes.length - start);
      needed = HEADER_BYTES;
      if (bytes.length - start < needed) break;
      const size = view.getUint32(start + 1);
      if (size > this.#maxBytes) {
        throw this.#fault(`a frame announces ${size} bytes, more than the ${this.#maxBytes} allowed`);
      }
      needed += size;
      if (bytes.length - start < needed) break;
      frames.push(this.#frame(view.getUint8(start), bytes.subarray(start + HEADER_BYTES, start + needed)));
      start += needed;
      needed = HEADER_BYTES;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start), needed);
    else this.#neededBytes = HEADER_BYTES;
    return frames;
  }

  #frame(flags: number, payload: Uint8Array): Envelope {
    const isEnd = (flags & END_STREAM) !== 0;
    if (isEnd) this.#hasEnded = true;
    // An empty message may carry the flag although there is nothing to inflate.
    const isCompressed = (flags & COMPRESSED) !== 0 && payload.length > 0;
    return { flags, payload: isCompressed ? this.#inflated(payload) : payload, isEnd };
  }

  #inflated(payload: Uint8Array): Uint8Array {
    if (this.#inflate === undefined) {
      throw this.#fault('a frame is compressed, although no compression was agreed on');
    }
    let bytes: Uint8Array;
    try {
      bytes = this.#inflate(payload, this.#maxBytes);
    } catch (cause) {
      throw this.#fault(`a compressed frame of ${payload.length} bytes cannot be inflated`, cause);
    }
    if (bytes.length > this.#maxBytes) {
      throw this.#fault(`a compressed frame inflates to more than the ${this.#maxBytes} bytes allowed`);
    }
    return bytes;
  }

  #keep(bytes: Uint8Array, neededBytes: number): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#neededBytes = neededBytes;
  }

  #afterEnd(extraBytes: number): GatewayError {
    return this.#fault(`${extraBytes} bytes follow its end-of-stream frame`);
  }

  #fault(what: string, cause?: unknown): GatewayError {
    return new GatewayError(this.#faultCode, `The Connect stream is malformed: ${what}.`, { cause });
  }
}

export function encodeEnvelope(payload: Uint8Array, flags = 0): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  bytes[0] = flags;
  new DataView(bytes.buffer).setUint32(1, payload.length);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/**
 * Some servers and clients put an envelope round a unary body. No bare message begins so: its first byte would be the
 * tag of field 0, which does not exist.
 */
export function unwrapUnaryBody(body: Uint8Array): { readonly payload: Uint8Array; readonly flags: number } {
  const flags = body[0];
  if (body.length < HEADER_BYTES || flags === undefined || flags > COMPRESSED) {
    return { payload: body, flags: 0 };
  }
  const size = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(1);
  if (size !== body.length - HEADER_BYTES) return { payload: body, flags: 0 };
  return { payload: body.subarray(HEADER_BYTES), flags };
}
