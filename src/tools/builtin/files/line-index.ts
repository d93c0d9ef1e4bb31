// Where the lines of a large file are, without holding the file: the byte at which every 1024th line begins. Built
// while scanning, kept between calls, so that paging through a log does not start over each time.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { defineResource } from '../../resources.ts';

const STRIDE = 1_024;
const CHUNK_BYTES = 1024 * 1024;
const PROGRESS_BYTES = 128 * CHUNK_BYTES;
const LINE_BREAK = 0x0a;
const MAX_INDEXES = 16;

export class LineIndex {
  readonly size: number;
  /** The byte where line `1 + n * STRIDE` begins. */
  readonly #marks = [0];
  #scanned = 0;
  #breaks = 0;
  #lastByte = LINE_BREAK;

  constructor(size: number) {
    this.size = size;
  }

  get isComplete(): boolean {
    return this.#scanned >= this.size;
  }

  /** Lines known so far; all of them once complete. */
  get lineCount(): number {
    return this.#breaks + (this.isComplete && this.#lastByte !== LINE_BREAK ? 1 : 0);
  }

  /** Scans on until a line is known to exist, the budget is spent or the file ends. */
  async extend(
    file: FileHandle,
    until: { readonly line: number; readonly bytes: number },
    watch: { readonly signal: AbortSignal; readonly onProgress?: (fraction: number) => void },
  ): Promise<void> {
    const stop = Math.min(this.size, this.#scanned + until.bytes);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (this.#scanned < stop && this.#breaks < until.line) {
      watch.signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, this.#scanned);
      if (bytesRead === 0) break; // shorter than it was: someone truncates it while we read
      this.#take(chunk.subarray(0, bytesRead));
      if (this.#scanned % PROGRESS_BYTES === 0) watch.onProgress?.(this.#scanned / this.size);
    }
  }

  #take(chunk: Buffer): void {
    for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, at + 1)) {
      this.#breaks++;
      if (this.#breaks % STRIDE === 0) this.#marks.push(this.#scanned + at + 1);
    }
    this.#scanned += chunk.length;
    this.#lastByte = chunk.at(-1) ?? LINE_BREAK;
  }

  /** The nearest known place at or before a line. */
  markBefore(line: number): { readonly line: number; readonly byte: number } {
    const mark = Math.min(Math.floor((line - 1) / STRIDE), this.#marks.length - 1);
    return { line: mark * STRIDE + 1, byte: this.#marks[mark] ?? 0 };
  }
}

class LineIndexes {
  readonly #indexes = new Map<string, LineIndex>();

  /** A changed file has another key, so its old index is never used for it. */
  of(realPath: string, stat: BigIntStats): LineIndex {
    const key = `${realPath}\0${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
    const index = this.#indexes.get(key) ?? new LineIndex(Number(stat.size));
    this.#indexes.delete(key);
    this.#indexes.set(key, index);
    for (const oldest of this.#indexes.keys()) {
      if (this.#indexes.size <= MAX_INDEXES) break;
      this.#indexes.delete(oldest);
    }
    return index;
  }
}

export const LINE_INDEXES = defineResource({ name: 'line-indexes', create: () => new LineIndexes() });

export interface StreamedLine {
  readonly bytes: Buffer;
  /** Bytes of the line that were not kept. */
  readonly cutBytes: number;
}

/** Lines from `start` on, each cut at `maxLineBytes`, read in chunks for as long as the caller wants more. */
export async function* streamLines(
  file: FileHandle,
  index: LineIndex,
  options: { readonly start: number; readonly maxLineBytes: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamedLine> {
  const mark = index.markBefore(options.start);
  let toSkip = options.start - mark.line;
  let position = mark.byte;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let cutBytes = 0;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const keep = (piece: Buffer) => {
    if (toSkip > 0) return;
    const part = piece.subarray(0, Math.max(0, options.maxLineBytes - keptBytes));
    if (part.length > 0) kept.push(Buffer.from(part));
    keptBytes += part.length;
    cutBytes += piece.length - part.length;
  };
  while (position < index.size) {
    options.signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let begin = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(LINE_BREAK, begin);
      keep(chunk.subarray(begin, end === -1 ? bytesRead : end));
      if (end === -1) break;
      begin = end + 1;
      if (toSkip > 0) {
        toSkip--;
        continue;
      }
      yield { bytes: Buffer.concat(kept), cutBytes };
      [kept, keptBytes, cutBytes] = [[], 0, 0];
    }
  }
  if (keptBytes > 0) yield { bytes: Buffer.concat(kept), cutBytes };
}
