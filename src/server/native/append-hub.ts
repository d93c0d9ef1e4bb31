import { GatewayError } from '../../core/index.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import { AppendedStream, type StreamLease } from './appended-stream.ts';
import type { NativeLimits } from './native-options.ts';

/**
 * Where appends and their streams meet, in whatever order they come. Owners are apart: an id means something only
 * together with the key that used it.
 */
export class AppendHub {
  /** In the order of their making, so that the oldest memory goes first. */
  readonly #streams = new Map<string, AppendedStream>();
  readonly #limits: NativeLimits;
  readonly #timers: Timers;
  /** Never less than what is held: it grows with every append and is counted anew when it meets the bound. */
  #boundBytes = 0;

  constructor(options: { readonly limits: NativeLimits; readonly timers: Timers }) {
    this.#limits = options.limits;
    this.#timers = options.timers;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Resolves when the client may send more. */
  async append(owner: string, requestId: string, number: number, message: Uint8Array): Promise<void> {
    const stream = this.#streamOf(owner, requestId);
    this.#reserve(message.length);
    await stream.append(number, message);
  }

  async open(
    owner: string,
    requestId: string,
    onReplaced: () => void,
    signal: AbortSignal,
  ): Promise<StreamLease> {
    return await this.#streamOf(owner, requestId).open(onReplaced, signal);
  }

  #streamOf(owner: string, requestId: string): AppendedStream {
    const key = `${owner}\n${requestId}`;
    const known = this.#streams.get(key);
    if (known) return known;
    if (this.#streams.size >= this.#limits.maxHeldStreams) {
      const [oldest] = this.#overStreams();
      if (!oldest) throw noRoom();
      this.#streams.delete(oldest[0]);
    }
    const stream: AppendedStream = new AppendedStream({
      limits: this.#limits,
      timers: this.#timers,
      onExpired: () => {
        if (this.#streams.get(key) === stream) this.#streams.delete(key);
      },
    });
    this.#streams.set(key, stream);
    return stream;
  }

  /** Forgets what is only kept in case it is asked for again, the oldest first, before it refuses anybody. */
  #reserve(bytes: number): void {
    const { maxHeldBytes } = this.#limits;
    this.#boundBytes += bytes;
    if (this.#boundBytes <= maxHeldBytes) return;
    let heldBytes = this.#heldBytes() + bytes;
    for (const [key, stream] of this.#overStreams()) {
      if (heldBytes <= maxHeldBytes) break;
      heldBytes -= stream.heldBytes;
      this.#streams.delete(key);
    }
    if (heldBytes > maxHeldBytes) {
      for (const stream of this.#streams.values()) stream.forgetFirst();
      heldBytes = this.#heldBytes() + bytes;
    }
    this.#boundBytes = heldBytes;
    if (heldBytes <= maxHeldBytes) return;
    this.#boundBytes -= bytes;
    throw noRoom();
  }

  #overStreams(): [string, AppendedStream][] {
    return [...this.#streams].filter(([, stream]) => stream.isOver);
  }

  #heldBytes(): number {
    let bytes = 0;
    for (const stream of this.#streams.values()) bytes += stream.heldBytes;
    return bytes;
  }
}

function noRoom(): GatewayError {
  return new GatewayError(
    'rate-limited',
    'Too many messages wait for streams that nobody reads. Open the stream of each request id, or try again later.',
    { retryAfterMs: 1_000 },
  );
}
