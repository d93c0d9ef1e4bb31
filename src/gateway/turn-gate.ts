import { GatewayError } from '../core/index.ts';

export interface TurnGateOptions {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  readonly queueTimeoutMs: number;
}

interface Waiting {
  admit(): void;
}

/** Lets so many turns run at once, lets so many more wait in line, and turns the rest away with a 429. */
export class TurnGate {
  readonly #options: TurnGateOptions;
  readonly #queue: Waiting[] = [];
  #running = 0;

  constructor(options: TurnGateOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Resolves with the function that gives the place back; calling it twice does no harm. */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (this.#running >= this.#options.maxConcurrent) await this.#wait(signal);
    else this.#running++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#leave();
    };
  }

  #leave(): void {
    const next = this.#queue.shift();
    if (next)
      next.admit(); // the place passes on: the count of running turns stays
    else this.#running--;
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= this.#options.maxQueued) {
      throw new GatewayError(
        'rate-limited',
        `The gateway is full: ${this.#running} turns run and ${this.#queue.length} wait. Try again shortly.`,
        { retryAfterMs: 1_000 },
      );
    }
    return new Promise((resolve, reject) => {
      const stop = (error: GatewayError) => {
        const index = this.#queue.indexOf(waiting);
        if (index === -1) return;
        this.#queue.splice(index, 1);
        settle();
        reject(error);
      };
      const onAbort = () => stop(new GatewayError('cancelled', 'The turn was cancelled while it waited.'));
      const timer = setTimeout(() => {
        const waitedMs = this.#options.queueTimeoutMs;
        const message = `The turn waited ${waitedMs} ms for a free place. Try again shortly.`;
        stop(new GatewayError('rate-limited', message, { retryAfterMs: 1_000 }));
      }, this.#options.queueTimeoutMs);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        admit: () => {
          settle();
          resolve();
        },
      };
      this.#queue.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }
}
