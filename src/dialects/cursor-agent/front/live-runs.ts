/** A run that is under way, as those see it who may have to end it. */
export interface LiveRun {
  readonly end: () => void;
  /** Resolves when it has ended, one way or another. */
  readonly ended: Promise<void>;
}

/**
 * The runs of this process by conversation. A client that lost its stream may come again before we have noticed: its old
 * run ends first, so that two of them never work on one conversation.
 */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();

  /** Ends the run that is under way in the conversation, if there is one, and waits until it has ended. */
  async replace(key: string, run: LiveRun): Promise<void> {
    const older = this.#runs.get(key);
    this.#runs.set(key, run);
    if (!older) return;
    older.end();
    await older.ended;
  }

  remove(key: string, run: LiveRun): void {
    if (this.#runs.get(key) === run) this.#runs.delete(key);
  }
}
