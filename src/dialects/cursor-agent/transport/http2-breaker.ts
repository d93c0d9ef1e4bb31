const FIRST_PAUSE_MS = 5 * 60_000;
const MAX_PAUSE_MS = 60 * 60_000;

/** Remembers that HTTP/2 does not get through, so that not every turn has to find out. Probes again after a pause. */
export class Http2Breaker {
  readonly #nowMs: () => number;
  #pauseMs = FIRST_PAUSE_MS;
  #openUntilMs: number | undefined;
  #isProbing = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Runs the attempt, or answers undefined when HTTP/2 is known to fail. `isRefusal` tells which errors count. */
  async attempt<T>(run: () => Promise<T>, isRefusal: (thrown: unknown) => boolean): Promise<T | undefined> {
    const isProbe = this.#openUntilMs !== undefined;
    if (isProbe && (this.#isProbing || this.#nowMs() < (this.#openUntilMs ?? 0))) return undefined;
    this.#isProbing = isProbe;
    try {
      const result = await run();
      this.#openUntilMs = undefined;
      this.#pauseMs = FIRST_PAUSE_MS;
      return result;
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      this.trip();
      return undefined;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  trip(): void {
    const now = this.#nowMs();
    if (this.#openUntilMs !== undefined && now < this.#openUntilMs) return;
    if (this.#openUntilMs !== undefined) this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    this.#openUntilMs = now + this.#pauseMs;
  }
}
