// One run on one connection, the turn's side: gives out what the reader of the stream has put into the queue, and waits
// for the caller's results between the rounds.
import { type ErrorCode, GatewayError, type IdSource, type ToolResultPart } from '../../core/index.ts';
import type { EventBatch } from '../dialect.ts';
import { countRequestCharacters } from '../request-characters.ts';
import type { Timers } from '../upstream-timers.ts';
import type { AgentConnection } from './agent-connection.ts';
import type { BlobStore } from './blob-store.ts';
import type { RunPlan } from './encode-run.ts';
import type { KnownResults } from './known-results.ts';
import type { PendingCall } from './pending-call.ts';
import { encodeResumePoint, type ResumePoint } from './resume-point.ts';
import { RunQueue } from './run-queue.ts';
import { RunReader } from './run-reader.ts';
import { hasContent, type TurnProgress } from './turn-progress.ts';

export interface AgentRunOptions {
  readonly connection: AgentConnection;
  readonly plan: RunPlan;
  readonly model: string;
  readonly progress: TurnProgress;
  readonly blobs: BlobStore;
  readonly known: KnownResults;
  readonly timers: Timers;
  readonly newId: IdSource;
  readonly signal: AbortSignal;
  /** Whether the client sees the answer as it comes. */
  readonly isStreaming: boolean;
  readonly receiveResults?: (() => Promise<readonly ToolResultPart[]>) | undefined;
}

export type RunOutcome =
  | { readonly type: 'ended' }
  /** `hasSpoken`: content of this run has left, so it cannot be begun again unseen. */
  | { readonly type: 'failed'; readonly error: GatewayError; readonly hasSpoken: boolean }
  /** The stream was lost around the results of a round; with them the turn can go on in another run. */
  | { readonly type: 'lost'; readonly error: GatewayError; readonly point: ResumePoint };

/** Losses after which the same turn may go on in another run. */
const RECOVERABLE: ReadonlySet<ErrorCode> = new Set([
  'upstream-unavailable',
  'upstream-malformed',
  'deadline-exceeded',
  'unauthenticated', // a token may expire while a call waits
  'internal',
]);

export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #queue = new RunQueue();
  readonly #reader: RunReader;
  #lastRound: readonly PendingCall[] = [];
  #hasSpoken = false;
  #hasSpokenSinceResults = false;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.#reader = new RunReader(options, this.#queue);
  }

  /** Plays the run to its end. Never throws for what the backend does; the outcome says how it ended. */
  async *play(): AsyncGenerator<EventBatch, RunOutcome> {
    const { signal, plan, progress } = this.#options;
    const onAbort = () => this.#reader.fail(GatewayError.from(signal.reason, 'cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#queue.push({ type: 'events', events: plan.warnings });
    void this.#reader.read(); // never throws
    try {
      for (;;) {
        const item = await this.#queue.take();
        if (item.type === 'end') return this.#outcome(item.error);
        if (item.type === 'round') {
          const outcome = yield* this.#holdRound(item.calls);
          if (outcome) return outcome;
          continue;
        }
        const events = progress.release(item.events);
        if (events.length === 0) continue;
        if (hasContent(events)) {
          this.#hasSpoken = true;
          this.#hasSpokenSinceResults = true;
        }
        yield { events };
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#reader.stop();
    }
  }

  /** The calls of a round go to the caller; its results come back here, perhaps in portions, in any order. */
  async *#holdRound(calls: readonly PendingCall[]): AsyncGenerator<EventBatch, RunOutcome | undefined> {
    const { progress, blobs, receiveResults, connection } = this.#options;
    const callIds = calls.map(({ callId }) => callId);
    this.#lastRound = calls;
    await blobs.persist();
    const usage = this.#reader.usage.segment(() => countRequestCharacters(progress.currentRequest()));
    const resume = encodeResumePoint({ ...this.#resumePoint(), calls });
    yield { events: progress.release([{ type: 'awaiting-results', callIds, usage, resume }]) };
    if (!receiveResults) {
      yield { events: progress.release([{ type: 'turn-end', reason: 'tool-calls', usage }]) };
      return { type: 'ended' };
    }
    connection.setExpecting?.(false);
    const missing = new Set(callIds);
    const received: ToolResultPart[] = [];
    while (missing.size > 0) {
      const results = await receiveResults().catch((thrown: unknown) =>
        GatewayError.from(thrown, 'cancelled'),
      );
      if (results instanceof GatewayError) return { type: 'failed', error: results, hasSpoken: true };
      for (const result of results) {
        if (!missing.delete(result.callId)) continue; // a result that came twice is delivered once
        received.push(result);
        if (missing.size === 0) {
          // Before the last one is sent: the model may speak before the send returns.
          connection.setExpecting?.(true);
          this.#reader.beginRound();
        }
        await this.#reader.deliver(result);
      }
    }
    progress.closeRound(received);
    this.#hasSpokenSinceResults = false;
    const { failure } = this.#reader;
    return failure && this.#outcome(failure);
  }

  #outcome(error: GatewayError | undefined): RunOutcome {
    if (!error) return { type: 'ended' };
    const isBetween = this.#lastRound.length > 0 && !this.#hasSpokenSinceResults;
    if (isBetween && RECOVERABLE.has(error.code)) return { type: 'lost', error, point: this.#resumePoint() };
    return { type: 'failed', error, hasSpoken: this.#hasSpoken };
  }

  #resumePoint(): ResumePoint {
    const { plan, model } = this.#options;
    const { checkpoint } = this.#reader;
    const { conversationId } = plan;
    return { conversationId, model, calls: this.#lastRound, ...(checkpoint ? { checkpoint } : {}) };
  }
}
