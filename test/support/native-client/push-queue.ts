/** Values pushed by one side and iterated by the other, once. */
export class PushQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  push(value: T): void {
    if (this.#isClosed) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** What was pushed before is still iterated. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#values.shift();
      if (next !== undefined) {
        yield next;
      } else if (this.#isClosed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
