const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** When the next attempt may be made: at once after a connection that worked, later after each failure in a row. */
export class Backoff {
  #failures = 0;
  #notBeforeMs = 0;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get waitMs(): number {
    return Math.max(0, this.#notBeforeMs - this.#nowMs());
  }

  failed(): void {
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#failures++;
    this.#notBeforeMs = this.#nowMs() + delayMs;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBeforeMs = 0;
  }
}
