import type { Timers } from '../../../src/dialects/upstream-timers.ts';

/** Timers whose time passes only when a test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  #tasks: { readonly dueMs: number; readonly task: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const entry = { dueMs: this.#nowMs + delayMs, task };
    this.#tasks.push(entry);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== entry);
    };
  }

  get pending(): number {
    return this.#tasks.length;
  }

  /** Lets the time pass and runs what falls due, in order. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#tasks.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) break;
      this.#tasks = this.#tasks.filter((other) => other !== due);
      this.#nowMs = due.dueMs;
      due.task();
    }
    this.#nowMs = untilMs;
  }
}
