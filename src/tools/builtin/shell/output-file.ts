import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import path from 'node:path';

const NEWLINE = 10;

/** A growing output on disk, readable by its owner alone, up to a size. */
export class OutputFile {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #stream: WriteStream;
  #sizeBytes = 0;
  #lineCount = 0;
  #hasFailed = false;

  constructor(file: string, maxBytes: number) {
    this.path = file;
    this.#maxBytes = maxBytes;
    makeFolder(path.dirname(file));
    this.#stream = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024 });
    // A full disk must not end the command: its output is then known from memory alone.
    this.#stream.on('error', () => {
      this.#hasFailed = true;
    });
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  get isWhole(): boolean {
    return !this.#hasFailed && this.#sizeBytes < this.#maxBytes;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** True when the writer should wait for `onRelief`. */
  write(bytes: Buffer): boolean {
    const part = bytes.subarray(0, this.#maxBytes - this.#sizeBytes);
    if (this.#hasFailed || part.length === 0) return false;
    this.#sizeBytes += part.length;
    for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) this.#lineCount++;
    return !this.#stream.write(part);
  }

  onRelief(listener: () => void): void {
    const once = () => {
      this.#stream.off('drain', once).off('error', once).off('close', once);
      listener();
    };
    this.#stream.on('drain', once).on('error', once).on('close', once);
  }

  /** Settles when what was written is in the file, for whoever reads it next. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#hasFailed || this.#stream.closed || this.#stream.writableEnded) resolve();
      else this.#stream.write('', () => resolve());
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream.closed) resolve();
      else this.#stream.once('close', resolve).end();
    });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Opening the file will fail, too, and is told as its failure.
  }
}
