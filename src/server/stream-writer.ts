import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';

export type AnyResponse = ServerResponse | Http2ServerResponse;

/** What may wait here before it is handed to the socket without waiting for the end of the turn of the loop. */
const FLUSH_AT_BYTES = 64 * 1024;

/** A reader that takes nothing for this long is gone, whatever its socket says. */
const STALL_MS = 5 * 60_000;

const OPEN = Promise.resolve(true);
const CLOSED = Promise.resolve(false);

/**
 * A streaming answer. Everything written within one turn of the event loop leaves in one socket write; nothing waits
 * longer than that. Waiting for `write` is the back-pressure.
 */
export class StreamWriter {
  readonly #response: AnyResponse;
  readonly #stallMs: number;
  #pending: (string | Uint8Array)[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isEnded = false;
  #isGone = false;
  #drained: PromiseWithResolver | undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  /** The response's head must be set and not yet sent. `isGone`: nobody is there; everything written is dropped. */
  constructor(response: AnyResponse, options: { readonly stallMs?: number; readonly isGone?: boolean } = {}) {
    this.#response = response;
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#isGone = options.isGone ?? false;
    if (this.#isGone) return;
    response.on('drain', () => this.#release(true));
    response.on('close', () => {
      this.#isGone = true;
      this.#pending = [];
      this.#release(false);
    });
    this.#schedule(); // the head leaves this turn, with the first bytes if there are any
  }

  /** True when nothing written can arrive any more: ended, or the client is gone. */
  get isClosed(): boolean {
    return this.#isEnded || this.#isGone;
  }

  /** Resolves when there is room for more: true, or false when the client is gone. Never rejects. */
  write(chunk: string | Uint8Array): Promise<boolean> {
    if (this.isClosed) return CLOSED;
    if (chunk.length > 0) {
      this.#pending.push(chunk);
      this.#pendingBytes += chunk.length;
      if (this.#pendingBytes >= FLUSH_AT_BYTES) this.#flush();
      else this.#schedule();
    }
    return this.#drained?.promise ?? OPEN;
  }

  /** Ends the answer after what is still pending. */
  end(): void {
    if (this.isClosed) return;
    this.#isEnded = true;
    const rest = this.#takePending();
    if (rest === undefined) this.#response.end();
    else this.#response.end(rest);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.isClosed) return;
    const data = this.#takePending();
    if (data === undefined) {
      // Both response types have flushHeaders; the types of HTTP/2 forget it.
      if (!this.#response.headersSent) (this.#response as ServerResponse).flushHeaders();
      return;
    }
    // The two response types overload write differently; both take text and bytes.
    const hasRoom = (this.#response as ServerResponse).write(data);
    if (!hasRoom && !this.#drained) this.#waitForDrain();
  }

  #takePending(): string | Uint8Array | undefined {
    const pieces = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (pieces.length <= 1) return pieces[0];
    if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
    return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
  }

  #waitForDrain(): void {
    let resolve: (isOpen: boolean) => void = () => {};
    const promise = new Promise<boolean>((release) => {
      resolve = release;
    });
    this.#drained = { promise, resolve };
    this.#stallTimer = setTimeout(() => this.#response.destroy(), this.#stallMs);
    this.#stallTimer.unref();
  }

  #release(isOpen: boolean): void {
    clearTimeout(this.#stallTimer);
    this.#drained?.resolve(isOpen);
    this.#drained = undefined;
  }
}

interface PromiseWithResolver {
  readonly promise: Promise<boolean>;
  readonly resolve: (isOpen: boolean) => void;
}
