// Server-sent events, bytes to frames and back. Known from the WHATWG HTML standard, section "Server-sent events".
// A frame keeps its own bytes, so that a pass-through can forward exactly what came.
import { GatewayError } from '../core/index.ts';

export interface SseFrame {
  /** The `event:` field, if there was one. */
  readonly event: string | undefined;
  /** All `data:` lines joined by newlines; undefined for a frame of comments only. */
  readonly data: string | undefined;
  /** The frame's bytes including the blank line that ends it. */
  readonly bytes: Uint8Array;
}

const LF = 10;
const CR = 13;
const BYTE_ORDER_MARK = 0xfeff;

/** One frame larger than this is an attack or a bug; the biggest honest ones carry an inline picture. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export class SseReader {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isFirst = true;
  readonly #maxFrameBytes: number;

  constructor(maxFrameBytes = MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** True when bytes of an unfinished frame are waiting: at the end of a stream that means it was cut. */
  get hasPartialFrame(): boolean {
    return this.#pendingBytes > 0;
  }

  push(chunk: Uint8Array): SseFrame[] {
    if (chunk.length === 0) return [];
    const mayComplete = this.#pendingBytes === 0 || chunk.includes(LF) || chunk.includes(CR);
    if (!mayComplete) {
      this.#keep(chunk);
      return [];
    }
    const bytes = this.#pendingBytes === 0 ? asBuffer(chunk) : Buffer.concat([...this.#pending, chunk]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return this.#split(bytes);
  }

  #split(bytes: Buffer): SseFrame[] {
    const ends: number[] = [];
    for (let end = findFrameEnd(bytes, 0); end !== -1; end = findFrameEnd(bytes, end)) ends.push(end);
    const frames: SseFrame[] = [];
    const whole = ends.at(-1) ?? 0;
    const text = bytes.toString('utf8', 0, whole);
    // Decoding once is cheaper than once a frame; it is exact when every character is one byte.
    const isAscii = text.length === whole;
    let start = 0;
    for (const end of ends) {
      const frame = bytes.subarray(start, end);
      frames.push(this.#frame(frame, isAscii ? text.slice(start, end) : frame.toString('utf8')));
      start = end;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return frames;
  }

  #frame(bytes: Buffer, text: string): SseFrame {
    const isMarked = this.#isFirst && text.charCodeAt(0) === BYTE_ORDER_MARK;
    this.#isFirst = false;
    const { event, data } = parseFields(isMarked ? text.slice(1) : text);
    return { event, data, bytes };
  }

  #keep(bytes: Uint8Array): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxFrameBytes) {
      throw new GatewayError(
        'upstream-malformed',
        `A server-sent event grew past ${this.#maxFrameBytes} bytes without ending.`,
      );
    }
    this.#pending.push(bytes);
  }
}

/** The index just after the blank line that ends the frame beginning at `from`, or -1. */
function findFrameEnd(bytes: Buffer, from: number): number {
  let position = from;
  for (;;) {
    const lineEnd = nextLineEnd(bytes, position);
    if (lineEnd === -1) return -1;
    const next = afterLineEnd(bytes, lineEnd);
    // A CR as the very last byte may be half of a CRLF: wait for the next chunk.
    if (next === -1) return -1;
    if (lineEnd === position) return next;
    position = next;
  }
}

function nextLineEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf(LF, from);
  const searchEnd = lf === -1 ? bytes.length : lf;
  const cr = bytes.subarray(from, searchEnd).indexOf(CR);
  return cr === -1 ? lf : from + cr;
}

function afterLineEnd(bytes: Buffer, lineEnd: number): number {
  if (bytes[lineEnd] === LF) return lineEnd + 1;
  if (lineEnd + 1 === bytes.length) return -1;
  return bytes[lineEnd + 1] === LF ? lineEnd + 2 : lineEnd + 1;
}

function parseFields(text: string): { event: string | undefined; data: string | undefined } {
  // Nearly every frame of every real server is one `data: ` line ended by two line feeds.
  if (text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && !text.includes('\r')) {
    return { event: undefined, data: text.slice(6, -2) };
  }
  let event: string | undefined;
  let data: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '' || line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') event = value;
    else if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
  }
  return { event, data };
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** `data` must not contain a bare line break unless it is meant as several data lines; JSON text never does. */
export function encodeSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

export const SSE_KEEP_ALIVE = ': keep-alive\n\n';
