import { GatewayError } from '../../../core/index.ts';
import type { Timers } from '../../upstream-timers.ts';

export interface LivenessOptions {
  readonly timers: Timers;
  /** Without a single byte for this long the run is dead. */
  readonly silenceMs: number;
  /** Heartbeats alone keep a run alive only for this long while the server owes an answer. */
  readonly idleMs: number;
  readonly upstream: string;
  readonly onDead: (error: GatewayError) => void;
}

/** Tells a dead run from a slow one. Only time spent waiting for the server counts, never that of a slow reader. */
export class Liveness {
  readonly #options: LivenessOptions;
  #lastByteMs: number;
  #lastContentMs: number;
  /** When the reader stopped listening; undefined while it listens. */
  #pausedMs: number | undefined;
  #isExpecting = true;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
    const now = options.timers.nowMs();
    this.#lastByteMs = now;
    this.#lastContentMs = now;
    this.#pausedMs = now;
  }

  /** False while the server waits for us: then nothing but heartbeats is due. */
  setExpecting(isExpecting: boolean): void {
    if (isExpecting && !this.#isExpecting) this.#lastContentMs = this.#options.timers.nowMs();
    this.#isExpecting = isExpecting;
    this.#disarm();
    if (this.#pausedMs === undefined) this.#arm();
  }

  startWaiting(): void {
    if (this.#pausedMs === undefined) return;
    const now = this.#options.timers.nowMs();
    this.#lastByteMs = now;
    this.#lastContentMs += now - this.#pausedMs;
    this.#pausedMs = undefined;
    this.#arm();
  }

  stopWaiting(): void {
    this.#pausedMs ??= this.#options.timers.nowMs();
  }

  sawContent(): void {
    this.#lastContentMs = this.#options.timers.nowMs();
    // Content seen by a reader that is not listening now: its pause counts from here.
    if (this.#pausedMs !== undefined) this.#pausedMs = this.#lastContentMs;
  }

  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

  #arm(): void {
    if (this.#isClosed || this.#cancelTimer) return;
    const { timers } = this.#options;
    this.#cancelTimer = timers.after(Math.max(0, this.#dueMs() - timers.nowMs()), () => {
      this.#cancelTimer = undefined;
      if (this.#pausedMs !== undefined || this.#isClosed) return;
      const error = this.#judge();
      if (error === undefined) this.#arm();
      else this.#options.onDead(error);
    });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #dueMs(): number {
    const silent = this.#lastByteMs + this.#options.silenceMs;
    return this.#isExpecting ? Math.min(silent, this.#lastContentMs + this.#options.idleMs) : silent;
  }

  #judge(): GatewayError | undefined {
    const { timers, silenceMs, idleMs, upstream } = this.#options;
    const now = timers.nowMs();
    if (now >= this.#lastByteMs + silenceMs) {
      return new GatewayError('deadline-exceeded', `${upstream} sent nothing at all for ${silenceMs} ms.`, {
        detail: { reason: 'run_silent' },
      });
    }
    if (this.#isExpecting && now >= this.#lastContentMs + idleMs) {
      return new GatewayError('deadline-exceeded', `${upstream} sent only heartbeats for ${idleMs} ms.`, {
        detail: { reason: 'run_stalled' },
      });
    }
    return undefined;
  }
}
