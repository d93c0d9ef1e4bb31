import type { GrepEntry } from './grep-entry.ts';

export interface WindowOptions {
  readonly offset: number;
  /** Of matches in content mode, of files otherwise. */
  readonly limit: number;
  readonly after: number;
  readonly before: number;
  readonly maxLines: number;
  readonly maxCharacters: number;
}

/**
 * The part of an ordered result that the caller sees: passes over `offset` matches, takes `limit`, keeps the context lines
 * that belong to the taken ones, and stops at the caps on lines and characters.
 */
export class GrepWindow {
  readonly entries: GrepEntry[] = [];
  readonly #options: WindowOptions;
  #seen = 0;
  #taken = 0;
  #characters = 0;
  #pending: GrepEntry[] = [];
  #lastTaken: GrepEntry | undefined;
  #isFull = false;
  #isCapped = false;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** Matches taken. */
  get taken(): number {
    return this.#taken;
  }

  /** There was more after the last one taken. */
  get hasMore(): boolean {
    return this.#isFull;
  }

  /** Cut by our own caps, not by the caller's limit. */
  get isCapped(): boolean {
    return this.#isCapped;
  }

  /** False when nothing further can be taken. */
  push(entry: GrepEntry): boolean {
    if (this.#isFull) return false;
    if (entry.isContext) this.#pushContext(entry);
    else this.#pushMatch(entry);
    return !this.#isFull;
  }

  #pushContext(entry: GrepEntry): void {
    const last = this.#lastTaken;
    if (last?.file === entry.file && entry.line - last.line <= this.#options.after && !this.#isAtCap(entry)) {
      this.#take(entry);
    } else {
      if (this.#pending[0]?.file !== entry.file) this.#pending = [];
      this.#pending.push(entry);
      if (this.#pending.length > this.#options.before) this.#pending.shift();
    }
  }

  #pushMatch(entry: GrepEntry): void {
    this.#seen++;
    const before = this.#pending.filter((line) => line.file === entry.file);
    this.#pending = [];
    if (this.#seen <= this.#options.offset) return;
    if (this.#taken >= this.#options.limit) {
      this.#isFull = true;
      return;
    }
    if (this.#isAtCap(entry, before.length)) {
      this.#isFull = true;
      this.#isCapped = true;
      return;
    }
    for (const line of before) this.#take(line);
    this.#take(entry);
    this.#taken++;
    this.#lastTaken = entry;
  }

  #take(entry: GrepEntry): void {
    this.#characters += this.#sizeOf(entry);
    this.entries.push(entry);
  }

  #isAtCap(entry: GrepEntry, more = 0): boolean {
    return (
      this.entries.length + more >= this.#options.maxLines ||
      this.#characters + this.#sizeOf(entry) > this.#options.maxCharacters
    );
  }

  /** As it is shown: each file's name stands once above its lines. */
  #sizeOf(entry: GrepEntry): number {
    const heading = this.entries.at(-1)?.file === entry.file ? 0 : entry.file.length + 2;
    return entry.text.length + heading + 8;
  }
}
