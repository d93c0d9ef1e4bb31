import type { MessageChannel } from '../native-front.ts';
import type { Timers } from '../upstream-timers.ts';

/** Proxies close streams that are silent for longer; what clients themselves bear is not known. */
const SILENCE_MS = 10_000;

/** Sends what it is given, and in every silence a message without meaning. */
export class QuietSender {
  readonly #channel: MessageChannel;
  readonly #timers: Timers;
  readonly #keepAlive: Uint8Array;
  #stopTimer: (() => void) | undefined;
  #waiting = 0;
  #isClosed = false;

  constructor(channel: MessageChannel, timers: Timers, keepAlive: Uint8Array) {
    this.#channel = channel;
    this.#timers = timers;
    this.#keepAlive = keepAlive;
    this.#watch();
  }

  /** Resolves when there is room for more: true, or false when the client is gone. */
  async send(message: Uint8Array): Promise<boolean> {
    if (this.#isClosed) return false;
    this.#watch();
    this.#waiting++;
    const isThere = await this.#channel.send(message);
    this.#waiting--;
    if (!isThere) this.close();
    return isThere;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  #watch(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#timers.after(SILENCE_MS, () => {
      // A client that does not read what was said needs no proof of life on top of it.
      if (this.#waiting === 0) void this.send(this.#keepAlive);
      else this.#watch();
    });
  }
}
