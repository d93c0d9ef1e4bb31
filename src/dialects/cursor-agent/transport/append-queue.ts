/** Posts one client message; `seqno` tells the server its place. */
export type PostAppend = (seqno: bigint, message: Uint8Array) => Promise<void>;

/** As many as the official CLI keeps under way. */
const MAX_IN_FLIGHT = 16;

/**
 * Client messages of a RunSSE run. They are numbered in the order of the calls, travel side by side, and are reported
 * done in order. A failed one is not tried again: the server may have taken it, and taking it twice is worse.
 */
export class AppendQueue {
  readonly #post: PostAppend;
  readonly #maxInFlight: number;
  readonly #waiting: (() => void)[] = [];
  #nextSeqno = 0n;
  #inFlight = 0;
  #failure: { readonly thrown: unknown } | undefined;
  #previous: Promise<void> = Promise.resolve();

  constructor(post: PostAppend, maxInFlight = MAX_IN_FLIGHT) {
    this.#post = post;
    this.#maxInFlight = maxInFlight;
  }

  /** Resolves when this message and all before it have arrived; rejects with the first failure. */
  append(message: Uint8Array): Promise<void> {
    const seqno = this.#nextSeqno++;
    const arrived = Promise.all([this.#previous, this.#deliver(seqno, message)]).then(() => {});
    arrived.catch(() => {}); // whoever awaits it, or the next one, sees it
    this.#previous = arrived;
    return arrived;
  }

  async #deliver(seqno: bigint, message: Uint8Array): Promise<void> {
    await this.#takeSlot();
    try {
      if (this.#failure) throw this.#failure.thrown;
      await this.#post(seqno, message);
    } catch (thrown) {
      this.#failure ??= { thrown };
      throw this.#failure.thrown;
    } finally {
      this.#giveSlot();
    }
  }

  #takeSlot(): Promise<void> | undefined {
    if (this.#inFlight < this.#maxInFlight) {
      this.#inFlight++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveSlot(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight--;
  }
}
