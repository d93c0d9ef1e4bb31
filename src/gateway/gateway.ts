import { GatewayError, type IdSource, type TurnRequest } from '../core/index.ts';
import type { EventBatch, UpstreamCall } from '../dialects/dialect.ts';
import type { DocumentStore, TurnSummary } from '../store/ports.ts';
import { shelfOf } from './document-shelf.ts';
import { DEFAULT_RETRY_POLICY, type OpenedTurn, openWithFailover, type RetryPolicy } from './failover.ts';
import { fitHostedTools } from './fit-tools.ts';
import type { ModelRouter, ModelTarget, Route } from './model-router.ts';
import type { TurnGate } from './turn-gate.ts';
import { TurnRecord } from './turn-record.ts';

/** Who watches: metrics, the log, the journal. */
export interface TurnObserver {
  turnStarted(): void;
  turnEnded(summary: TurnSummary, error: GatewayError | undefined): void;
  upstreamAttempt(upstream: string, error: GatewayError | undefined): void;
  grammarProblem(turnId: string, upstream: string, problem: string): void;
  drift(dialect: string, kind: string): void;
}

export interface GatewayOptions {
  readonly router: ModelRouter;
  readonly gate: TurnGate;
  readonly observer: TurnObserver;
  readonly newId: IdSource;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where upstreams that must remember something keep it. */
  readonly documents?: DocumentStore;
  /** Tries per upstream, where they differ from the default. */
  readonly retriesOf?: (upstream: string) => number | undefined;
}

export interface TurnInput {
  readonly turnId: string;
  readonly front: string;
  readonly request: TurnRequest;
  /** The client's own bytes, for an upstream of the same dialect. */
  readonly body: Uint8Array;
  readonly keyId?: string | undefined;
  readonly allowedModels?: readonly string[] | undefined;
  /** Where the model is, when the request brought its own; otherwise its name is looked up. */
  readonly route?: Route | undefined;
  readonly signal: AbortSignal;
}

/** A turn whose first batch has arrived. Iterate `batches` to its end or leave the loop; both clean up. */
export interface RunningTurn {
  readonly turnId: string;
  readonly model: string;
  readonly upstream: string;
  readonly batches: AsyncIterable<EventBatch>;
}

export interface LiveTurn {
  readonly turnId: string;
  readonly front: string;
  readonly model: string;
  readonly startedAtMs: number;
  readonly keyId?: string;
  readonly session?: string;
}

interface LiveEntry {
  readonly record: TurnRecord;
  readonly controller: AbortController;
}

/** The use case: one request in, one stream of events out, whatever dialects stand at either end. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #live = new Map<string, LiveEntry>();

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Throws a GatewayError while nothing has been answered; afterwards failures are events. */
  async runTurn(input: TurnInput): Promise<RunningTurn> {
    const { request } = input;
    const { controller, unlink } = linkController(input.signal);
    const record = this.#startRecord(input);
    this.#live.set(input.turnId, { record, controller });
    let leaveGate: (() => void) | undefined;
    const finish = () => {
      unlink();
      leaveGate?.();
      this.#finish(record);
    };
    try {
      const route =
        input.route ?? (await this.#options.router.resolve(request.model, request.modelAlternatives));
      refuseForeignModel(route.name, input.allowedModels);
      refuseManyChoices(request, route, input.front);
      leaveGate = await this.#options.gate.enter(controller.signal);
      const opened = await this.#open(input, route, record, controller.signal);
      record.opened(opened.target, opened.attempts, opened.first.raw !== undefined);
      return {
        turnId: input.turnId,
        model: route.name,
        upstream: opened.target.upstream.name,
        batches: flow(opened, record, controller, finish),
      };
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      record.failed(error);
      finish();
      throw error;
    }
  }

  /** The upstream's own count of the request's tokens; undefined when the first target cannot count. */
  async countTokens(input: TurnInput): Promise<number | undefined> {
    const route = await this.#options.router.resolve(input.request.model, input.request.modelAlternatives);
    refuseForeignModel(route.name, input.allowedModels);
    const [target] = route.targets;
    const { call } = callFor(target, route, input, input.signal);
    return target.upstream.countTokens?.(call.request, input.signal);
  }

  liveTurns(): LiveTurn[] {
    return [...this.#live.values()].map(({ record }) => {
      const { turnId, front, model, keyId, session } = record.head;
      return {
        turnId,
        front,
        model,
        startedAtMs: record.startedAtMs,
        ...(keyId === undefined ? {} : { keyId }),
        ...(session === undefined ? {} : { session }),
      };
    });
  }

  cancelTurn(turnId: string): boolean {
    const entry = this.#live.get(turnId);
    entry?.controller.abort(new GatewayError('cancelled', 'The turn was cancelled by the operator.'));
    return entry !== undefined;
  }

  cancelAll(): void {
    for (const turnId of this.#live.keys()) this.cancelTurn(turnId);
  }

  #startRecord(input: TurnInput): TurnRecord {
    const { turnId, front, request, keyId } = input;
    const { observer } = this.#options;
    observer.turnStarted();
    const head = {
      turnId,
      front,
      model: request.model,
      stream: request.stream,
      keyId,
      session: request.session,
      requestCharacters: input.body.length,
    };
    return new TurnRecord(head, this.#options.nowMs, {
      onProblem: (problem) => observer.grammarProblem(turnId, request.model, problem),
      onDrift: (dialect, kind) => observer.drift(dialect, kind),
    });
  }

  #open(input: TurnInput, route: Route, record: TurnRecord, signal: AbortSignal): Promise<OpenedTurn> {
    return openWithFailover({
      targets: route.targets,
      open: (target) => {
        const { call, dropped } = callFor(target, route, input, signal);
        const documents = this.#options.documents && shelfOf(this.#options.documents, input.keyId ?? '');
        for (const tool of dropped) this.#options.observer.drift(input.front, `hosted-tool:${tool}`);
        return target.upstream.openTurn({ ...call, ...(documents ? { documents } : {}) });
      },
      policyOf: (target) => this.#policyOf(target),
      sleep: this.#options.sleep,
      random: this.#options.random,
      signal,
      onAttempt: (target, error) => {
        record.attempted(target);
        this.#options.observer.upstreamAttempt(target.upstream.name, error);
      },
    });
  }

  #policyOf(target: ModelTarget): RetryPolicy {
    const retries = this.#options.retriesOf?.(target.upstream.name) ?? DEFAULT_RETRY_POLICY.retries;
    return { ...DEFAULT_RETRY_POLICY, retries };
  }

  #finish(record: TurnRecord): void {
    if (!this.#live.delete(record.head.turnId)) return;
    this.#options.observer.turnEnded(record.summary(), record.error);
  }
}

async function* flow(
  opened: OpenedTurn,
  record: TurnRecord,
  controller: AbortController,
  finish: () => void,
): AsyncGenerator<EventBatch> {
  try {
    let batch = opened.first;
    for (;;) {
      record.observe(batch);
      yield batch;
      if (record.isEnded) return;
      batch = await nextBatch(opened.rest, record);
    }
  } finally {
    // Reached at the end, and when the reader leaves early: the upstream must hear of it at once.
    if (!record.isEnded) controller.abort(new GatewayError('cancelled', 'The client went away.'));
    finish();
    // The upstream's own clean-up may take its time and has nothing left to tell us.
    void opened.rest.return?.().catch(() => {});
  }
}

/** An upstream owes a terminal event; if it throws or stops without one, the turn still ends properly. */
async function nextBatch(rest: AsyncIterator<EventBatch>, record: TurnRecord): Promise<EventBatch> {
  try {
    const next = await rest.next();
    if (!next.done) return next.value;
    const error = new GatewayError('upstream-malformed', 'The upstream stopped in the middle of its answer.');
    return { events: record.failureEvents(error) };
  } catch (thrown) {
    return { events: record.failureEvents(GatewayError.from(thrown)) };
  }
}

function callFor(
  target: ModelTarget,
  route: Route,
  input: TurnInput,
  signal: AbortSignal,
): { call: UpstreamCall; dropped: readonly string[] } {
  const { front, body } = input;
  const withExtras = withDefaults(input.request, target, route);
  const { request, dropped } = fitHostedTools(withExtras, target.upstream.kind);
  const call = {
    turnId: input.turnId,
    request: { ...request, model: target.model },
    ...(request === input.request ? { original: { dialect: front, body } } : {}),
    rawDialect: front,
    owner: input.keyId ?? '',
    signal,
  };
  return { call, dropped };
}

/** What the configuration or the spelling of the model name adds; what the request says itself always wins. */
function withDefaults(request: TurnRequest, target: ModelTarget, { alternative }: Route): TurnRequest {
  const effort = alternative?.reasoningEffort ?? target.reasoningEffort;
  const addsEffort = effort !== undefined && request.reasoning?.effort === undefined;
  const serviceTier = request.serviceTier === undefined ? alternative?.serviceTier : undefined;
  if (!addsEffort && serviceTier === undefined) return request;
  return {
    ...request,
    ...(addsEffort ? { reasoning: { ...request.reasoning, effort } } : {}),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  };
}

function refuseForeignModel(name: string, allowed: readonly string[] | undefined): void {
  if (allowed === undefined || allowed.some((pattern) => matchesModel(name, pattern))) return;
  throw new GatewayError(
    'permission-denied',
    `This key may not use model ${name}; it may use ${allowed.join(', ')}.`,
    { detail: { param: 'model', reason: 'model_not_allowed' } },
  );
}

/** `local/*` allows every model of one upstream; anything else is an exact name. */
export function matchesModel(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function refuseManyChoices(request: TurnRequest, route: Route, front: string): void {
  const choices = request.sampling.choices ?? 1;
  if (choices <= 1) return;
  const unable = route.targets.find(({ upstream }) => !upstream.supportsChoices || upstream.kind !== front);
  if (!unable) return;
  throw new GatewayError(
    'invalid-request',
    `n = ${choices} is not possible with upstream ${unable.upstream.name} (${unable.upstream.kind}); ask for one choice, or use a chat upstream.`,
    { detail: { param: 'n', reason: 'unsupported_value' } },
  );
}

/** Unlinked when the turn is over: one signal may outlive many turns, those of a whole run. */
function linkController(signal: AbortSignal): { controller: AbortController; unlink: () => void } {
  const controller = new AbortController();
  const pass = () => controller.abort(signal.reason);
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return { controller, unlink: () => signal.removeEventListener('abort', pass) };
}
