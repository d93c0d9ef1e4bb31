// The order of BidiAppend calls: each has a number, they travel on several connections and overtake each other.
// Seen: the official SDK and CLI count from 0; one public server saw IDE clients count from 1. Guessed: that every
// opening message has field 1 (a run or a chat request) or 8 (a prewarm) in front, whatever its number.

const OPENING_TAGS: ReadonlySet<number> = new Set([0x0a, 0x42]);

/** Puts messages in order. A machine without a clock: whoever owns it decides how long a gap may stay. */
export class AppendNumbers {
  readonly #early = new Map<number, Uint8Array>();
  #earlyBytes = 0;
  #next: number | undefined;

  /** The number that is waited for; undefined until the first message is known. */
  get next(): number | undefined {
    return this.#next;
  }

  get earlyCount(): number {
    return this.#early.size;
  }

  get earlyBytes(): number {
    return this.#earlyBytes;
  }

  /** The messages that are in order now; none for a repetition or an early one. */
  accept(number: number, message: Uint8Array): Uint8Array[] {
    if (this.#next === undefined) {
      if (number === 0 || (number === 1 && OPENING_TAGS.has(message[0] ?? 0))) this.#next = number;
    }
    if (this.#next !== undefined && number < this.#next) return [];
    if (this.#early.has(number)) return [];
    this.#early.set(number, message);
    this.#earlyBytes += message.length;
    return this.#takeReady();
  }

  /** Nobody came before the message numbered 1: then it was the first. Empty when something else is missing. */
  startLate(): Uint8Array[] {
    if (this.#next !== undefined || !this.#early.has(1)) return [];
    this.#next = 1;
    return this.#takeReady();
  }

  /** The client counts anew; `next` is the number after the message it began with. */
  restart(next: number): void {
    this.#early.clear();
    this.#earlyBytes = 0;
    this.#next = next;
  }

  /** What is missing, for people. */
  describeGap(): string {
    const waiting = Math.min(...this.#early.keys());
    return `append ${this.#next ?? 0} did not come, although append ${waiting} did`;
  }

  #takeReady(): Uint8Array[] {
    const ready: Uint8Array[] = [];
    if (this.#next === undefined) return ready;
    for (;;) {
      const message = this.#early.get(this.#next);
      if (message === undefined) return ready;
      this.#early.delete(this.#next);
      this.#earlyBytes -= message.length;
      this.#next += 1;
      ready.push(message);
    }
  }
}
