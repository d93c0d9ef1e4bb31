import type { Timers } from '../upstream-timers.ts';
import type { PendingCall } from './pending-call.ts';

/** How long nothing more must come before calls without any other sign are taken for all of their round. */
const QUIET_MS = 150;
/** How often a round is put off for a call that has only begun: 3 s in all. */
const MAX_DELAYS = 20;

export interface RoundListener {
  /** False when the round cannot be given out yet. */
  announce(calls: readonly PendingCall[]): boolean;
  onStuck(): void;
}

/**
 * Decides when the calls of a round are complete: parallel calls are several execs, and the caller must get them
 * together. Signs are a checkpoint that lists them, the end of a step, of the turn or of the stream, a new question for
 * the context, or a short silence.
 */
export class RoundBoundary {
  readonly #timers: Timers;
  readonly #listener: RoundListener;
  readonly #announced = new Set<string>();
  readonly #arrived = new Set<string>();
  #calls: PendingCall[] = [];
  #delays = 0;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(timers: Timers, listener: RoundListener) {
    this.#timers = timers;
    this.#listener = listener;
  }

  /** Whether calls have come that were not given out yet. */
  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** A call was announced, or more of its arguments came; its exec will follow. */
  expect(callId: string): void {
    if (this.#arrived.has(callId)) return;
    this.#announced.add(callId);
    if (this.hasCalls) this.#wait();
  }

  add(call: PendingCall): void {
    this.#arrived.add(call.callId);
    this.#calls.push(call);
    this.#wait();
  }

  /** Some backends write a checkpoint between two execs of one round; such a one lists more calls than have come. */
  flushIfListed(pendingToolCalls: readonly string[]): void {
    for (const callId of pendingToolCalls.flatMap(readCallIds)) this.#announced.add(callId);
    this.flushIfComplete();
  }

  flushIfComplete(): void {
    if ([...this.#announced].every((callId) => this.#arrived.has(callId))) this.flush();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.hasCalls || this.#isStopped) return;
    if (!this.#listener.announce(this.#calls)) {
      if (++this.#delays > MAX_DELAYS) this.#listener.onStuck();
      else this.#wait();
      return;
    }
    this.#calls = [];
    this.#delays = 0;
    this.#announced.clear();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #wait(): void {
    this.#cancel?.();
    this.#cancel = this.#isStopped ? undefined : this.#timers.after(QUIET_MS, () => this.flush());
  }
}

/** An entry is the JSON of an assistant message with `tool-call` parts. */
function readCallIds(json: string): string[] {
  return [...json.matchAll(/"toolCallId"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].flatMap((match) => match[1] ?? []);
}
