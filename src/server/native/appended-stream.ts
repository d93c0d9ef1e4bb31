import { GatewayError, invalidRequest } from '../../core/index.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import { AppendNumbers } from './append-numbers.ts';
import { MessageQueue } from './message-queue.ts';
import type { NativeLimits } from './native-options.ts';

/** Above this an append is answered only when the front has read some, so that a fast client waits. */
const SOFT_QUEUE_BYTES = 4 * 1024 * 1024;
const SOFT_QUEUE_MESSAGES = 256;

/** `waiting`: only appends so far. `reopening`: asked for again, the beginning is not sure yet. `over`: nobody reads. */
type Phase = 'waiting' | 'reopening' | 'open' | 'over';

/** One reader of the stream. A later one takes its place. */
export interface StreamLease {
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly isRepeated: boolean;
  /** The stream ended. Its first message stays for a while, for a client that lost the end. */
  close(): void;
}

export interface AppendedStreamOptions {
  readonly limits: NativeLimits;
  readonly timers: Timers;
  /** Nobody needs this stream any more. */
  readonly onExpired: () => void;
}

/** One request id of one owner: the appends of a client, and the stream that reads them. */
export class AppendedStream {
  readonly #options: AppendedStreamOptions;
  readonly #numbers = new AppendNumbers();
  #queue: MessageQueue;
  #phase: Phase = 'waiting';
  /** The message is gone when room was needed. */
  #first: { readonly number: number; readonly message?: Uint8Array } | undefined;
  #wasOpened = false;
  #isRepeated = false;
  /** A client that lost its stream may count anew, once, or go on counting. */
  #takesRestart = false;
  #settleStart: (() => void) | undefined;
  #reader: { readonly onReplaced: () => void } | undefined;
  #waitingForRoom: (() => void)[] = [];
  #cancelDeadline: () => void = () => {};
  #cancelExpiry: () => void = () => {};

  constructor(options: AppendedStreamOptions) {
    this.#options = options;
    this.#queue = this.#newQueue();
    this.#expireAfter(options.limits.meetMs);
  }

  /** True when only the memory of a stream is left. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** True while nobody has asked for the stream of these appends. */
  get isWaiting(): boolean {
    return this.#phase === 'waiting';
  }

  get heldBytes(): number {
    return (this.#first?.message?.length ?? 0) + this.#numbers.earlyBytes + this.#queue.bytes;
  }

  /** Gives up the kept first message; the stream can no longer be asked for again. */
  forgetFirst(): void {
    if (this.#first && this.#phase === 'open') this.#first = { number: this.#first.number };
  }

  /** Takes one append in; repetitions are silently dropped. Resolves when the client may send more. */
  async append(number: number, message: Uint8Array): Promise<void> {
    if (this.#takesRestart && number === this.#first?.number) {
      this.#restart(number, message);
      return;
    }
    const { maxEarlyAppends } = this.#options.limits;
    const next = this.#numbers.next ?? 0;
    if (number !== next && this.#numbers.earlyCount >= maxEarlyAppends) {
      throw invalidRequest(
        `${maxEarlyAppends} appends wait for append ${next} already; send that one first.`,
        'append_seqno',
      );
    }
    this.#deliver(this.#numbers.accept(number, message));
    if (this.#phase === 'open' && this.#isFull()) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
    }
  }

  /** Resolves when it is known where the stream begins. A stream still open under this id gives way. */
  async open(onReplaced: () => void, signal: AbortSignal): Promise<StreamLease> {
    const reader = { onReplaced };
    const replaced = this.#reader;
    this.#reader = reader;
    this.#cancelExpiry();
    if (this.#phase !== 'waiting') {
      replaced?.onReplaced();
      this.#startAgain();
      if (this.#first) await this.#waitForRestart(signal);
    }
    if (this.#reader !== reader) return leaseOfNothing(); // the next one came while this one waited
    this.#phase = 'open';
    this.#wasOpened = true;
    this.#watch();
    return { incoming: this.#queue, isRepeated: this.#isRepeated, close: () => this.#close(reader) };
  }

  #startAgain(): void {
    this.#phase = 'reopening';
    this.#queue.end();
    this.#queue = this.#newQueue();
    this.#takesRestart = this.#first !== undefined;
    this.#isRepeated = this.#first?.message !== undefined;
    if (this.#first?.message) this.#queue.push(this.#first.message);
  }

  #close(reader: object): void {
    if (this.#reader !== reader) return;
    this.#reader = undefined;
    this.#phase = 'over';
    this.#takesRestart = true;
    this.#cancelDeadline();
    this.#queue.end();
    this.#queue = this.#newQueue();
    this.#releaseRoom();
    this.#expireAfter(this.#options.limits.keepFirstMs);
  }

  #restart(number: number, message: Uint8Array): void {
    const kept = this.#first?.message;
    const isSame = kept !== undefined && Buffer.compare(kept, message) === 0;
    this.#takesRestart = false;
    this.#numbers.restart(number + 1);
    this.#first = { number, message };
    if (this.#phase === 'open') {
      // It was begun with the kept message already; another one is for the front to judge.
      if (!isSame) this.#queue.push(message);
      return;
    }
    this.#isRepeated = this.#wasOpened && isSame;
    this.#queue = this.#newQueue();
    this.#queue.push(message);
    this.#settleStart?.();
    if (this.#phase === 'over') {
      this.#phase = 'waiting';
      this.#expireAfter(this.#options.limits.meetMs);
    }
  }

  #deliver(messages: readonly Uint8Array[]): void {
    const [first] = messages;
    if (first !== undefined && this.#first === undefined) {
      this.#first = { number: (this.#numbers.next ?? 0) - messages.length, message: first };
    }
    // What answers a lost stream dies with it: the next one asks anew, and its ids may be the same.
    if (this.#phase !== 'over') for (const message of messages) this.#queue.push(message);
    if (messages.length > 0 || this.#numbers.earlyCount === 1) this.#watch();
  }

  /** Waits for what must come next, if anything: the first message, or one that others have overtaken. */
  #watch(): void {
    this.#cancelDeadline();
    const { limits, timers } = this.#options;
    if (this.#numbers.earlyCount > 0) {
      this.#cancelDeadline = timers.after(limits.gapMs, () => this.#endGap());
    } else if (this.#phase === 'open' && this.#first === undefined) {
      this.#cancelDeadline = timers.after(limits.meetMs, () =>
        this.#fail(`No message for this stream came within ${limits.meetMs} ms.`),
      );
    }
  }

  #endGap(): void {
    this.#deliver(this.#numbers.startLate());
    if (this.#numbers.earlyCount === 0) return;
    const gap = this.#numbers.describeGap();
    this.#fail(`The stream cannot go on: ${gap} within ${this.#options.limits.gapMs} ms.`);
  }

  #fail(message: string): void {
    this.#queue.fail(new GatewayError('deadline-exceeded', message));
  }

  #waitForRestart(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        cancel();
        signal.removeEventListener('abort', settle);
        if (this.#settleStart === settle) this.#settleStart = undefined;
        resolve();
      };
      const cancel = this.#options.timers.after(this.#options.limits.repeatMs, settle);
      signal.addEventListener('abort', settle, { once: true });
      this.#settleStart = settle;
      if (signal.aborted) settle();
    });
  }

  #isFull(): boolean {
    return this.#queue.bytes > SOFT_QUEUE_BYTES || this.#queue.length > SOFT_QUEUE_MESSAGES;
  }

  #newQueue(): MessageQueue {
    return new MessageQueue(() => {
      if (!this.#isFull()) this.#releaseRoom();
    });
  }

  #releaseRoom(): void {
    for (const resolve of this.#waitingForRoom.splice(0)) resolve();
  }

  #expireAfter(delayMs: number): void {
    this.#cancelExpiry();
    this.#cancelExpiry = this.#options.timers.after(delayMs, this.#options.onExpired);
  }
}

function leaseOfNothing(): StreamLease {
  const incoming = new MessageQueue();
  incoming.end();
  return { incoming, isRepeated: false, close: () => {} };
}
