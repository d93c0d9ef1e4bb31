import type { MessageChannel } from '../../native-front.ts';
import type { Timers } from '../../upstream-timers.ts';
import { HEARTBEAT_FRAME } from './server-frames.ts';

/** Clients take 30 s without a frame for a dead stream; some proxies are less patient. */
const SILENCE_MS = 5_000;

/** Everything the server says in one stream, in the order in which it was said, with something to say in a silence. */
export class Outbox {
  readonly #channel: MessageChannel;
  readonly #timers: Timers;
  readonly #onGone: () => void;
  #lastSentMs: number;
  #waiting = 0;
  #isClosed = false;
  #stopTimer: (() => void) | undefined;

  constructor(channel: MessageChannel, timers: Timers, onGone: () => void) {
    this.#channel = channel;
    this.#timers = timers;
    this.#onGone = onGone;
    this.#lastSentMs = timers.nowMs();
    this.#watch(SILENCE_MS);
  }

  /** Resolves when there is room for more: true, or false when the client is gone. */
  async send(frame: Uint8Array): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#lastSentMs = this.#timers.nowMs();
    this.#waiting++;
    const isThere = await this.#channel.send(frame);
    this.#waiting--;
    if (!isThere && !this.#isClosed) {
      this.close();
      this.#onGone();
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

  #watch(delayMs: number): void {
    this.#stopTimer = this.#timers.after(delayMs, () => {
      if (this.#isClosed) return;
      const silentMs = this.#timers.nowMs() - this.#lastSentMs;
      // A client that does not read what was said needs no proof of life on top of it.
      if (silentMs >= SILENCE_MS && this.#waiting === 0) this.post(HEARTBEAT_FRAME);
      const sinceMs = this.#timers.nowMs() - this.#lastSentMs;
      this.#watch(Math.max(1, SILENCE_MS - (sinceMs >= SILENCE_MS ? 0 : sinceMs)));
    });
  }
}
