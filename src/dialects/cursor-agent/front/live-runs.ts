import type { Timers } from '../../upstream-timers.ts';

/** How long a run waits for the one that it replaces; one that hangs must not lock the client out. */
const REPLACE_MS = 5_000;

interface LiveRun {
  readonly stop: () => void;
  /** Resolves when it has ended, one way or another. */
  readonly ended: Promise<void>;
}

/**
 * The runs of this process, by the request that they serve. A client that lost its stream may come again before we have
 * noticed: its old run ends first, so that two of them never work on one conversation.
 */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Waits until an older run under the same key is over. What it returns is called when the new one is. */
  async takeOver(key: string, stop: () => void): Promise<() => void> {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run: LiveRun = { stop, ended };
    const older = this.#runs.get(key);
    this.#runs.set(key, run);
    if (older) {
      older.stop();
      await this.#waitFor(older.ended);
    }
    return () => {
      if (this.#runs.get(key) === run) this.#runs.delete(key);
      end();
    };
  }

  #waitFor(ended: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = this.#timers.after(REPLACE_MS, resolve);
      void ended.then(() => {
        stopTimer();
        resolve();
      });
    });
  }
}
