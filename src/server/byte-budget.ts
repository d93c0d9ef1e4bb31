import { GatewayError } from '../core/index.ts';

export interface ByteBudgetOptions {
  /** For everybody together. */
  readonly maxBytes: number;
  /** For one owner, so that nobody takes it all. */
  readonly maxBytesOfOwner: number;
}

/** What one request has taken; give it back when the bytes are no longer needed. */
export interface ByteShare {
  /** Throws `rate-limited` when there is no room for so many more. */
  take(bytes: number): void;
  release(): void;
}

/** A bound on what many requests hold at the same time, where each of them alone is within its own. */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #byOwner = new Map<string, number>();
  #bytes = 0;

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(owner: string): ByteShare {
    let taken = 0;
    return {
      take: (bytes) => {
        this.#add(owner, bytes);
        taken += bytes;
      },
      release: () => {
        this.#remove(owner, taken);
        taken = 0;
      },
    };
  }

  #add(owner: string, bytes: number): void {
    const { maxBytes, maxBytesOfOwner } = this.#options;
    const ofOwner = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (ofOwner > maxBytesOfOwner || this.#bytes + bytes > maxBytes) {
      throw new GatewayError(
        'rate-limited',
        'Too many large requests arrive at the same time. Send fewer at once, or try again later.',
        { retryAfterMs: 1_000 },
      );
    }
    this.#byOwner.set(owner, ofOwner);
    this.#bytes += bytes;
  }

  #remove(owner: string, bytes: number): void {
    const left = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
    this.#bytes -= bytes;
  }
}
