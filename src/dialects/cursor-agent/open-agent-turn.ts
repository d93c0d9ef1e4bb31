// A turn, over as many runs as it takes: a refused token is replaced once, a stream that was lost around the results of
// a round is taken up from its checkpoint, and where no checkpoint helps the run begins again from the transcript.
import {
  type ErrorCode,
  GatewayError,
  type IdSource,
  type TurnEvent,
  type TurnRequest,
} from '../../core/index.ts';
import type { EventBatch, UpstreamCall } from '../dialect.ts';
import type { Timers } from '../upstream-timers.ts';
import type { AgentConnection, AgentCredentials, AgentTransport } from './agent-connection.ts';
import { AgentRun, type RunOutcome } from './agent-run.ts';
import type { AgentSettings } from './agent-settings.ts';
import { BlobStore } from './blob-store.ts';
import { runFrame } from './client-frames.ts';
import { conversationIdOf } from './conversation-id.ts';
import { encodeRun, type RunPlan } from './encode-run.ts';
import { KnownResults } from './known-results.ts';
import { requestHeaders } from './request-headers.ts';
import { decodeResumePoint, type ResumePoint } from './resume-point.ts';
import { TurnProgress } from './turn-progress.ts';
import { uuidOf } from './uuid-of.ts';

export interface AgentTurnTools {
  readonly transport: AgentTransport;
  readonly credentials: AgentCredentials;
  readonly settings: AgentSettings;
  readonly timers: Timers;
  readonly newId: IdSource;
  readonly knownModels: ReadonlySet<string>;
  /** The operator's own headers; they win over ours. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Refusals that a checkpoint or a conversation id may have caused: lost blobs, unknown state, a run with no words. */
const BLAMES_THE_STATE: ReadonlySet<ErrorCode> = new Set([
  'invalid-request',
  'not-found',
  'conflict',
  'upstream-rejected',
  'upstream-malformed',
  'internal',
]);
/** What the backend says, under various codes, when a state names things it cannot find. */
const LOST_STATE = /(?:blob|image) not found|conversation data missing/i;

interface Attempt {
  readonly plan: RunPlan;
  readonly known: KnownResults;
}

/** How often a run that takes a turn up again is tried when the backend is out of reach. */
const MAX_REBUILDS = 3;
const FIRST_DELAY_MS = 500;

export async function* openAgentTurn(use: AgentTurnTools, call: UpstreamCall): AsyncGenerator<EventBatch> {
  const turn = new AgentTurn(use, call);
  // Made anew for every try: an attempt uses up the results it knows.
  let makeAttempt = () => turn.firstAttempt();
  let hasRefusedToken = false;
  let rebuilds = 0;
  for (;;) {
    const attempt = makeAttempt();
    const token = await tokenOrError(use.credentials, call.signal);
    if (token instanceof GatewayError) {
      yield turn.endWith(token);
      return;
    }
    const outcome = yield* turn.play(attempt, token);
    if (outcome.type === 'ended') return;
    const { error } = outcome;
    if (error.code === 'unauthenticated') use.credentials.refuse(token);
    if (outcome.type === 'lost') {
      turn.forgetUnsaid();
      const { point } = outcome;
      makeAttempt = () => turn.resumedAttempt(point);
      rebuilds = 0;
      continue;
    }
    const canRetry = !outcome.hasSpoken && !call.signal.aborted;
    if (canRetry && error.code === 'unauthenticated' && !hasRefusedToken) {
      hasRefusedToken = true;
    } else if (canRetry && attempt.plan.isResumed && blamesTheState(error)) {
      makeAttempt = () => turn.freshAttempt();
    } else if (canRetry && turn.hasStarted && isOutOfReach(error) && rebuilds < MAX_REBUILDS) {
      // Nobody else can finish a turn that has begun; a first attempt is the gateway's to repeat.
      await turn.pause(FIRST_DELAY_MS * 2 ** rebuilds++);
    } else {
      yield turn.endWith(error);
      return;
    }
  }
}

async function tokenOrError(
  credentials: AgentCredentials,
  signal: AbortSignal,
): Promise<string | GatewayError> {
  try {
    return await credentials.accessToken(signal);
  } catch (thrown) {
    return GatewayError.from(thrown, 'unauthenticated');
  }
}

function isOutOfReach({ code }: GatewayError): boolean {
  return code === 'upstream-unavailable' || code === 'deadline-exceeded';
}

function blamesTheState({ code, message }: GatewayError): boolean {
  return BLAMES_THE_STATE.has(code) || LOST_STATE.test(message);
}

class AgentTurn {
  readonly #use: AgentTurnTools;
  readonly #call: UpstreamCall;
  readonly #progress: TurnProgress;
  readonly #blobs: BlobStore;
  readonly #originalRequestId: string;
  #runs = 0;

  constructor(use: AgentTurnTools, call: UpstreamCall) {
    this.#use = use;
    this.#call = call;
    this.#progress = new TurnProgress(call.request);
    this.#blobs = new BlobStore(call.documents);
    this.#originalRequestId = uuidOf(use.newId('run_'));
  }

  get hasStarted(): boolean {
    return this.#progress.hasStarted;
  }

  /** Ends early when the turn is cancelled. */
  pause(delayMs: number): Promise<void> {
    const { signal } = this.#call;
    return new Promise((resolve) => {
      const cancel = this.#use.timers.after(delayMs, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = () => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  firstAttempt(): Attempt {
    const { request, resume, owner } = this.#call;
    const point = resume && decodeResumePoint(resume);
    if (point) return this.resumedAttempt(point);
    return this.#encode(request, conversationIdOf(request, owner, this.#use.newId), new KnownResults());
  }

  /** Goes on from a checkpoint that holds the waiting calls, or from the transcript where there is none. */
  resumedAttempt(point: ResumePoint): Attempt {
    const request = this.#progress.currentRequest();
    const { conversationId, checkpoint, calls } = point;
    const known = KnownResults.of(request.messages, checkpoint ? calls : []);
    return this.#encode(request, conversationId, known, checkpoint);
  }

  /** What a lost run had said and nobody has seen is as if it were never said. */
  forgetUnsaid(): void {
    this.#progress.forgetUnreleased();
  }

  /** The transcript under a new conversation id: the old one's state at the backend is what failed. */
  freshAttempt(): Attempt {
    const conversationId = uuidOf(this.#use.newId('conversation-'));
    const request = this.#progress.currentRequest();
    return this.#encode(request, conversationId, KnownResults.of(request.messages));
  }

  async *play({ plan, known }: Attempt, token: string): AsyncGenerator<EventBatch, RunOutcome> {
    const { timers, newId } = this.#use;
    const { signal, request, receiveResults } = this.#call;
    let connection: AgentConnection;
    try {
      connection = await this.#open(token, plan);
    } catch (thrown) {
      const error = GatewayError.from(thrown, 'upstream-unavailable');
      return { type: 'failed', error, hasSpoken: false };
    }
    const run = new AgentRun({
      connection,
      plan,
      model: request.model,
      progress: this.#progress,
      blobs: this.#blobs,
      known,
      timers,
      newId,
      signal,
      isStreaming: request.stream,
      receiveResults,
    });
    return yield* run.play();
  }

  /** Thrown while the client has seen nothing, so that the gateway may try elsewhere; an event afterwards. */
  endWith(error: GatewayError): EventBatch {
    if (!this.#progress.hasStarted) throw error;
    const events: TurnEvent[] = [];
    this.#progress.spans.abort(events);
    events.push({ type: 'turn-error', error });
    return { events: this.#progress.release(events) };
  }

  async #open(token: string, plan: RunPlan): Promise<AgentConnection> {
    const { transport, settings, newId, headers } = this.#use;
    const connection = await transport.openRun({
      requestId: this.#runs++ === 0 ? this.#originalRequestId : uuidOf(newId('run_')),
      originalRequestId: this.#originalRequestId,
      headers: requestHeaders({ token, isPrivate: settings.isPrivate, configured: headers }),
      signal: this.#call.signal,
    });
    try {
      await connection.send(runFrame(plan.request));
    } catch (thrown) {
      connection.close();
      throw thrown;
    }
    return connection;
  }

  #encode(
    turn: TurnRequest,
    conversationId: string,
    known: KnownResults,
    checkpoint?: ResumePoint['checkpoint'],
  ): Attempt {
    const { settings, knownModels } = this.#use;
    const { turnId } = this.#call;
    const blobs = this.#blobs;
    const plan = encodeRun({ turn, settings, blobs, conversationId, turnId, knownModels, checkpoint });
    return { plan: this.#runs === 0 ? plan : { ...plan, warnings: [] }, known };
  }
}
