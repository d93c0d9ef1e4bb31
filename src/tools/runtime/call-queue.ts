import type { Parallel } from '../tool.ts';

/** How many calls of one `few` tool run at once. */
const FEW = 5;

interface Entry {
  readonly parallel: Parallel;
  readonly kind: string;
  isRunning: boolean;
  begin: (() => void) | undefined;
}

export interface Ticket {
  /** Resolves when the call's turn has come; rejects when the signal aborts first. */
  start(signal: AbortSignal): Promise<void>;
  leave(): void;
}

/** Keeps the order in which calls came: an `alone` call runs after everything before it and before everything after. */
export class CallQueue {
  readonly #entries: Entry[] = [];

  /** Takes a place now; whatever the call still has to wait for, nobody overtakes it who may not. */
  enter(parallel: Parallel, kind: string): Ticket {
    const entry: Entry = { parallel, kind, isRunning: false, begin: undefined };
    this.#entries.push(entry);
    return {
      start: (signal) => this.#start(entry, signal),
      leave: () => this.#leave(entry),
    };
  }

  #start(entry: Entry, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        entry.begin = undefined;
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      entry.begin = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#advance();
    });
  }

  #leave(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    if (index !== -1) this.#entries.splice(index, 1);
    this.#advance();
  }

  #advance(): void {
    for (const [index, entry] of [...this.#entries].entries()) {
      if (!entry.isRunning && entry.begin && this.#mayRun(entry, index)) {
        entry.isRunning = true;
        entry.begin();
        entry.begin = undefined;
      }
      if (entry.parallel === 'alone') return;
    }
  }

  #mayRun(entry: Entry, index: number): boolean {
    if (entry.parallel === 'alone') return index === 0;
    if (entry.parallel === 'any') return true;
    return this.#entries.filter((other) => other.isRunning && other.kind === entry.kind).length < FEW;
  }
}
