import type { MessageChannel } from './native-front.ts';
import type { Timers } from './upstream-timers.ts';

export interface OutboxOptions {
  readonly timers: Timers;
  /** How long nothing may be said before something without meaning is. */
  readonly silenceMs: number;
  readonly keepAlive: Uint8Array;
  /** Hears once that the client is gone. */
  readonly onGone?: () => void;
}

/** Everything the server says in one stream, in the order in which it was said, with something to say in a silence. */
export class NativeOutbox {
  readonly #channel: MessageChannel;
  readonly #options: OutboxOptions;
  #lastSentMs: number;
  #waiting = 0;
  #isClosed = false;
  #stopTimer: (() => void) | undefined;

  constructor(channel: MessageChannel, options: OutboxOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#lastSentMs = options.timers.nowMs();
    this.#watch(options.silenceMs);
  }

  /** Resolves when there is room for more: true, or false when the client is gone. */
  async send(frame: Uint8Array): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#lastSentMs = this.#options.timers.nowMs();
    this.#waiting++;
    const isThere = await this.#channel.send(frame);
    this.#waiting--;
    if (!isThere && !this.#isClosed) {
      this.close();
      this.#options.onGone?.();
    }
    return isThere;
  }

  /** For those who cannot wait; the next who can waits for the same room. */
  post(frame: Uint8Array): void {
    void this.send(frame); // never rejects, and a client that is gone is told to everyone
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  /** One timer that looks at the clock: a timer for every frame would cost more than the frame. */
  #watch(delayMs: number): void {
    const { timers, silenceMs, keepAlive } = this.#options;
    this.#stopTimer = timers.after(delayMs, () => {
      if (this.#isClosed) return;
      const silentMs = timers.nowMs() - this.#lastSentMs;
      // A client that does not read what was said needs no proof of life on top of it.
      if (silentMs >= silenceMs && this.#waiting === 0) this.post(keepAlive);
      const sinceMs = timers.nowMs() - this.#lastSentMs;
      this.#watch(Math.max(1, silenceMs - (sinceMs >= silenceMs ? 0 : sinceMs)));
    });
  }
}
