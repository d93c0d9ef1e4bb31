import { GatewayError } from '../../core/index.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import { AppendedStream, type StreamLease } from './appended-stream.ts';
import type { NativeLimits } from './native-options.ts';

interface Held {
  readonly owner: string;
  readonly stream: AppendedStream;
}

/** What one owner has in the hub, by key. */
interface Share {
  size: number;
  readonly over: string[];
  readonly waiting: string[];
}

/**
 * Where appends and their streams meet, in whatever order they come. Owners are apart: an id means something only
 * together with the key that used it. Where room is scarce, whoever holds the most gives way first.
 */
export class AppendHub {
  /** In the order of their making, so that the oldest memory goes first. */
  readonly #streams = new Map<string, Held>();
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
    this.#reserve(owner, message.length);
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
    if (known) return known.stream;
    if (this.#streams.size >= this.#limits.maxHeldStreams) {
      const [victim] = this.#dispensable(owner, () => 1);
      if (victim === undefined) throw noRoom();
      this.#streams.delete(victim);
    }
    const stream: AppendedStream = new AppendedStream({
      limits: this.#limits,
      timers: this.#timers,
      onExpired: () => {
        if (this.#streams.get(key)?.stream === stream) this.#streams.delete(key);
      },
    });
    this.#streams.set(key, { owner, stream });
    return stream;
  }

  /** Forgets what is only kept in case it is asked for again, the oldest first, before it refuses anybody. */
  #reserve(owner: string, bytes: number): void {
    const { maxHeldBytes } = this.#limits;
    this.#boundBytes += bytes;
    if (this.#boundBytes <= maxHeldBytes) return;
    let heldBytes = this.#heldBytes() + bytes;
    if (heldBytes > maxHeldBytes) {
      for (const key of this.#dispensable(owner, (stream) => stream.heldBytes)) {
        if (heldBytes <= maxHeldBytes) break;
        heldBytes -= this.#streams.get(key)?.stream.heldBytes ?? 0;
        this.#streams.delete(key);
      }
    }
    if (heldBytes > maxHeldBytes) {
      for (const { stream } of this.#streams.values()) stream.forgetFirst();
      heldBytes = this.#heldBytes() + bytes;
    }
    this.#boundBytes = heldBytes;
    if (heldBytes <= maxHeldBytes) return;
    this.#boundBytes -= bytes;
    throw noRoom();
  }

  /**
   * What may go to make room for `owner`: ended streams first, then appends that nobody has asked for, but only those of
   * somebody who holds more. Otherwise one client could keep all others out by filling the hub.
   */
  #dispensable(owner: string, sizeOf: (stream: AppendedStream) => number): string[] {
    const shares = new Map<string, Share>();
    for (const [key, held] of this.#streams) {
      const share = shares.get(held.owner) ?? { size: 0, over: [], waiting: [] };
      shares.set(held.owner, share);
      share.size += sizeOf(held.stream);
      if (held.stream.isOver) share.over.push(key);
      else if (held.stream.isWaiting) share.waiting.push(key);
    }
    const ownSize = shares.get(owner)?.size ?? 0;
    const largestFirst = [...shares.values()].sort((a, b) => b.size - a.size);
    const larger = largestFirst.filter(({ size }) => size > ownSize);
    return [...largestFirst.flatMap(({ over }) => over), ...larger.flatMap(({ waiting }) => waiting)];
  }

  #heldBytes(): number {
    let bytes = 0;
    for (const { stream } of this.#streams.values()) bytes += stream.heldBytes;
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
