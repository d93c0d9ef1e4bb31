import { isJsonObject, type JsonObject } from '../../core/index.ts';
import type { Timers } from '../upstream-timers.ts';
import type { PendingCall } from './pending-call.ts';

/** How long nothing more must come before calls without any other sign are taken for all that come now. */
const QUIET_MS = 150;
/** How often a round is put off for a call that has only begun: 3 s in all. */
const MAX_DELAYS = 20;

export interface RoundListener {
  /** The calls in the model's order. False when the round cannot be given out yet. */
  announce(calls: readonly PendingCall[]): boolean;
  onStuck(): void;
}

/**
 * Decides when the calls of a round are complete: parallel calls are several execs, and the caller must get them
 * together. Signs are a checkpoint that lists them, before or after their execs, the end of a step, of the turn or of
 * the stream, a new question for the context, or a short silence. After a silence the rest of the round may still come:
 * some servers run the calls of one answer one after the other. All ids here are the backend's.
 */
export class RoundBoundary {
  readonly #timers: Timers;
  readonly #listener: RoundListener;
  /** Calls that were begun and whose exec has not come, in order; true for those of the caller's tools. */
  readonly #begun = new Map<string, boolean>();
  /** Calls of the last checkpoint whose exec has not come. */
  readonly #listed = new Set<string>();
  readonly #settled = new Set<string>();
  /** The place of every call in the order in which the model made them, as far as the backend has shown it. */
  readonly #places = new Map<string, number>();
  #calls: { readonly call: PendingCall; readonly place: number }[] = [];
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

  /** Whether every call of the caller's tools that was begun or listed has come, or needs nobody any more. */
  get isComplete(): boolean {
    return this.#listed.size === 0 && !this.hasUnasked;
  }

  /** Whether a call of the caller's tools was begun, and its exec has not come. */
  get hasUnasked(): boolean {
    return [...this.#begun.values()].includes(true);
  }

  /**
   * Whether what the client sees of this call so far cannot stand in the way of another one: none waits to be given
   * out, and none that the model began earlier is still to come.
   */
  isNext(callId: string): boolean {
    const [first] = this.#begun.keys();
    return !this.hasCalls && (first === undefined || first === callId);
  }

  /** A call was begun, or more of its arguments came; its exec follows if it is one of the caller's tools. */
  expect(callId: string, isCallers: boolean): void {
    if (callId === '' || this.#settled.has(callId)) return;
    this.#placeOf(callId);
    this.#begun.set(callId, isCallers);
    if (isCallers && this.hasCalls) this.#wait();
  }

  add(call: PendingCall, callId: string): void {
    this.#calls.push({ call, place: this.#placeOf(callId) });
    this.#wait();
    this.settle(callId);
  }

  /** The exec of a call has come, or none will: the backend or this side has answered it alone. */
  settle(callId: string): void {
    if (callId === '') return;
    this.#settled.add(callId);
    this.#begun.delete(callId);
    if (this.#listed.delete(callId)) this.flushIfComplete();
  }

  /** The waiting calls of a checkpoint; none when every round is settled. */
  list(pendingToolCalls: readonly string[]): void {
    this.#listed.clear();
    for (const callId of readWaiting(pendingToolCalls)) {
      if (this.#settled.has(callId)) continue;
      this.#placeOf(callId);
      this.#listed.add(callId);
    }
    if (pendingToolCalls.length > 0) this.flushIfComplete();
  }

  flushIfComplete(): void {
    if (this.isComplete) this.flush();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.hasCalls || this.#isStopped) return;
    const inOrder = this.#calls.toSorted((left, right) => left.place - right.place);
    if (!this.#listener.announce(inOrder.map(({ call }) => call))) {
      if (++this.#delays > MAX_DELAYS) this.#listener.onStuck();
      else this.#wait();
      return;
    }
    this.#calls = [];
    this.#delays = 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #placeOf(callId: string): number {
    const place = this.#places.get(callId) ?? this.#places.size;
    this.#places.set(callId, place);
    return place;
  }

  #wait(): void {
    this.#cancel?.();
    this.#cancel = this.#isStopped ? undefined : this.#timers.after(QUIET_MS, () => this.flush());
  }
}

/** An entry is the JSON of a message: the model's, with its calls, and those with the results that some of them have. */
function readWaiting(pendingToolCalls: readonly string[]): ReadonlySet<string> {
  const parts = pendingToolCalls.flatMap(readParts);
  const waiting = new Set<string>();
  for (const { type, toolCallId } of parts) {
    if (type === 'tool-call' && typeof toolCallId === 'string') waiting.add(toolCallId);
  }
  for (const { type, toolCallId } of parts) {
    if (type === 'tool-result' && typeof toolCallId === 'string') waiting.delete(toolCallId);
  }
  return waiting;
}

function readParts(json: string): JsonObject[] {
  try {
    const message: unknown = JSON.parse(json);
    const content = isJsonObject(message) ? message.content : undefined;
    return Array.isArray(content) ? content.filter(isJsonObject) : [];
  } catch {
    return []; // another form than the one that is known; then silence decides
  }
}
