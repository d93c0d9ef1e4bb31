import path from 'node:path';

const SEPARATOR = path.sep.charCodeAt(0);
const DOT = 0x2e;
/** Far above any path a file system allows; a longer one is noise. */
const MAX_PATH_BYTES = 1_000_000;

/**
 * Reads NUL-separated paths out of chunks of bytes, one after the other: `next`, then look at the fields. A list of
 * hundreds of thousands costs mostly what is done for each of its strings, so none is made that nobody asks for.
 */
export class PathReader {
  bytes: Buffer = Buffer.alloc(0);
  /** Where the path starts, without a leading `./`; where its last part starts; where it ends. */
  start = 0;
  nameStart = 0;
  end = 0;
  /** The path without its last part; the same string as before while the folder is the same. */
  folder = '';

  #next = 0;
  #carry: Buffer = Buffer.alloc(0);
  #folderBytes: Buffer = Buffer.alloc(0);

  /** After the last path of the chunk before. */
  feed(chunk: Buffer): void {
    this.bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#next = 0;
  }

  /** False when the chunk holds no further whole path. */
  next(): boolean {
    const { bytes } = this;
    let start = this.#next;
    const end = bytes.indexOf(0, start);
    if (end === -1) {
      // A copy: the rest of a chunk would keep all of it in memory.
      this.#carry = Buffer.from(bytes.subarray(start, start + MAX_PATH_BYTES));
      return false;
    }
    this.#next = end + 1;
    if (bytes[start] === DOT && bytes[start + 1] === SEPARATOR) start += 2;
    let nameStart = end;
    while (nameStart > start && bytes[nameStart - 1] !== SEPARATOR) nameStart--;
    this.start = start;
    this.nameStart = nameStart;
    this.end = end;
    if (!this.#isSameFolder(start, nameStart)) {
      this.#folderBytes = Buffer.from(bytes.subarray(start, nameStart));
      this.folder = bytes.toString('utf8', start, Math.max(start, nameStart - 1));
    }
    return true;
  }

  /** The whole path. */
  path(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** Its last part. */
  name(): string {
    return this.bytes.toString('utf8', this.nameStart, this.end);
  }

  #isSameFolder(start: number, nameStart: number): boolean {
    const known = this.#folderBytes;
    if (known.length !== nameStart - start) return false;
    // From the end: neighbours differ there.
    for (let index = known.length - 1; index >= 0; index--) {
      if (known[index] !== this.bytes[start + index]) return false;
    }
    return true;
  }
}
