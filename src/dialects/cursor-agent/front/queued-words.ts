import type { SayCommission } from './commission.ts';

/** A client that sends more than this during one run is not a user. */
const MAX_QUEUED = 32;

/** What was said while a run was under way; it is heard when the run has come to its end. */
export class QueuedWords {
  #words: SayCommission[] = [];
  #isClosed = false;

  /** False when there is no room left, or nobody will hear it in this stream. */
  add(commission: SayCommission): boolean {
    if (this.#isClosed || this.#words.length >= MAX_QUEUED) return false;
    this.#words.push(commission);
    return true;
  }

  takeAll(): readonly SayCommission[] {
    const words = this.#words;
    this.#words = [];
    return words;
  }

  close(): void {
    this.#isClosed = true;
  }
}
