import type { JsonObject } from '../core/index.ts';
import type { EventBatch, ModelInfo, Upstream, UpstreamCall } from '../dialects/dialect.ts';
import { type FollowUp, fingerprint, readFollowUp } from './follow-up.ts';
import { HeldTurn } from './held-turn.ts';

export interface HeldTurnsOptions {
  /** How long a turn waits for its results before the stream is given up; it can still be taken up again. */
  readonly waitMs: number;
  /** How long a finished round can be read again by a client that retries. */
  readonly replayMs: number;
  /** The oldest waiting turn goes when there are more. */
  readonly maxHeld: number;
}

export const DEFAULT_HELD_TURNS: HeldTurnsOptions = { waitMs: 10 * 60_000, replayMs: 60_000, maxHeld: 1_000 };

const RESUME_POINT = 'held-turn';

/**
 * Lets stateless clients drive an upstream that keeps its stream open during tool calls. A round ends for the client
 * with `tool-calls`; the stream is parked under the call ids; the request that brings the results goes on with the same
 * stream. When the stream is gone (time-out, restart), the turn is taken up again from what was kept of it.
 */
export class HeldTurns implements Upstream {
  readonly name: string;
  readonly kind: string;
  readonly supportsChoices = false;
  readonly #inner: Upstream;
  readonly #options: HeldTurnsOptions;
  readonly #byCall = new Map<string, HeldTurn>();
  readonly #timers = new Map<HeldTurn, NodeJS.Timeout>();

  constructor(inner: Upstream, options: HeldTurnsOptions = DEFAULT_HELD_TURNS) {
    this.name = inner.name;
    this.kind = inner.kind;
    this.#inner = inner;
    this.#options = options;
  }

  /** How many streams are open, read or parked. */
  get heldCount(): number {
    return this.#timers.size;
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const followUp = readFollowUp(call.request);
    const held = followUp && this.#find(followUp, call);
    if (held) {
      held.deliver(followUp.results);
      this.#remember(held);
      yield* held.read(call.signal);
      return;
    }
    const resume = followUp && (await findResumePoint(followUp, call));
    yield* this.#begin(call, resume);
  }

  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    return this.#inner.listModels(signal);
  }

  async close(): Promise<void> {
    for (const turn of [...this.#timers.keys()]) turn.cancel('The gateway is closing.');
    await this.#inner.close();
  }

  async *#begin(call: UpstreamCall, resume: JsonObject | undefined): AsyncGenerator<EventBatch> {
    const { request, owner = '' } = call;
    const turn = new HeldTurn({
      owner,
      model: request.model,
      opened: { count: request.messages.length, print: fingerprint(request.messages) },
      onWaiting: (waiting, point) => this.#park(waiting, point, call),
      onEnded: (ended) => this.#forgetLater(ended),
    });
    turn.begin(
      this.#inner.openTurn({
        ...call,
        signal: turn.signal,
        receiveResults: turn.receiveResults,
        ...(resume ? { resume } : {}),
      }),
    );
    this.#remember(turn);
    yield* turn.read(call.signal);
  }

  /** The turn that waits for these results, or gave the answer to them already; not if the conversation was edited. */
  #find({ results }: FollowUp, call: UpstreamCall): HeldTurn | undefined {
    const { request, owner = '' } = call;
    const found = results.flatMap(({ callId }) => this.#byCall.get(keyOf(owner, callId)) ?? []).at(-1);
    if (!found) return undefined;
    const { opened, model } = found.options;
    const isSame =
      model === request.model && fingerprint(request.messages.slice(0, opened.count)) === opened.print;
    if (isSame && !found.hasFailed) return found;
    if (!isSame) found.cancel('The conversation was changed.');
    return undefined;
  }

  async #park(turn: HeldTurn, resume: JsonObject | undefined, call: UpstreamCall): Promise<void> {
    const { opened, model } = turn.options;
    for (const callId of turn.callIds) this.#byCall.set(keyOf(turn.options.owner, callId), turn);
    this.#remember(turn);
    if (!resume) return;
    const point = { model, print: opened.print, count: opened.count, resume };
    for (const callId of turn.callIds) await call.documents?.put(RESUME_POINT, callId, point);
  }

  #remember(turn: HeldTurn): void {
    clearTimeout(this.#timers.get(turn));
    this.#timers.delete(turn); // and in again at the end: the map is in order of last use
    const timer = setTimeout(
      () => turn.state === 'waiting' && turn.cancel('No result came in time.'),
      this.#options.waitMs,
    );
    timer.unref();
    this.#timers.set(turn, timer);
    if (this.#timers.size <= this.#options.maxHeld) return;
    const oldest = [...this.#timers.keys()].find(({ state }) => state === 'waiting');
    oldest?.cancel('Too many turns wait for results.');
  }

  #forgetLater(turn: HeldTurn): void {
    clearTimeout(this.#timers.get(turn));
    this.#timers.delete(turn);
    const keys = turn.callIds.map((callId) => keyOf(turn.options.owner, callId));
    for (const key of keys) this.#byCall.set(key, turn);
    const forget = () => {
      for (const [key, held] of this.#byCall) if (held === turn) this.#byCall.delete(key);
    };
    setTimeout(forget, this.#options.replayMs).unref();
  }
}

async function findResumePoint({ results }: FollowUp, call: UpstreamCall): Promise<JsonObject | undefined> {
  for (const { callId } of results) {
    const point = await call.documents?.get(RESUME_POINT, callId);
    if (!point || point.model !== call.request.model) continue;
    const prefix = call.request.messages.slice(0, Number(point.count));
    if (fingerprint(prefix) !== point.print) continue;
    return point.resume as JsonObject; // as it was put there
  }
  return undefined;
}

function keyOf(owner: string, callId: string): string {
  return `${owner}\n${callId}`;
}
