import type { GatewayError } from '../../core/index.ts';

interface Waiter {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: GatewayError): void;
}

/** Messages between a socket and their one reader. Several loops may read from it one after the other. */
export class MessageQueue implements AsyncIterable<Uint8Array> {
  #messages: Uint8Array[] = [];
  #bytes = 0;
  #waiting: Waiter[] = [];
  #hasEnded = false;
  #error: GatewayError | undefined;
  readonly #onTaken: () => void;

  /** `onTaken` hears of every message that leaves the queue. */
  constructor(onTaken: () => void = () => {}) {
    this.#onTaken = onTaken;
  }

  get length(): number {
    return this.#messages.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Nothing is taken in after the end. */
  push(message: Uint8Array): void {
    if (this.#hasEnded) return;
    const waiter = this.#waiting.shift();
    if (waiter) {
      waiter.resolve({ done: false, value: message });
      return;
    }
    this.#messages.push(message);
    this.#bytes += message.length;
  }

  /** What is in the queue can still be read. */
  end(): void {
    this.#hasEnded = true;
    for (const waiter of this.#waiting.splice(0)) waiter.resolve({ done: true, value: undefined });
  }

  fail(error: GatewayError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const [first, ...others] = this.#waiting.splice(0);
    if (first) first.reject(error);
    else this.#error = error;
    for (const waiter of others) waiter.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    // No `return`: a loop that stops early leaves the rest to the next one.
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const message = this.#messages.shift();
    if (message !== undefined) {
      this.#bytes -= message.length;
      this.#onTaken();
      return { done: false, value: message };
    }
    if (this.#error) {
      const error = this.#error;
      this.#error = undefined;
      throw error;
    }
    if (this.#hasEnded) return { done: true, value: undefined };
    return await new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}
