import type { Timers } from '../upstream-timers.ts';

const INTERVAL_MS = 3_000;

/** Tells the backend that execs are still running: every 3 s, the next round only after the last one is written. */
export class ExecHeartbeats {
  readonly #timers: Timers;
  readonly #beat: () => Promise<boolean>;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  /** `beat` sends one heartbeat for each exec that runs and says whether there was any. */
  constructor(timers: Timers, beat: () => Promise<boolean>) {
    this.#timers = timers;
    this.#beat = beat;
  }

  /** An exec has begun. */
  start(): void {
    if (this.#cancel || this.#isStopped) return;
    this.#cancel = this.#timers.after(INTERVAL_MS, () => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #run(): Promise<void> {
    // A run that is gone is noticed by its reader; a heartbeat that fails has nothing to add.
    const goesOn = await this.#beat().catch(() => false);
    this.#cancel = undefined;
    if (goesOn) this.start();
  }
}
