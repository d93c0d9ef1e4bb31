// One stream of a run, played as the official SDK plays it: everything the server asks is carried out and answered.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { omitUndefined } from '../../../src/core/index.ts';
import type { ExecServerMessage } from '../../../src/gen/agent/v1/exec_pb.ts';
import type { AgentRunRequestSchema, AgentServerMessage } from '../../../src/gen/agent/v1/run_pb.ts';
import { type AnswerQuery, approve } from './answer-query.ts';
import { type Carrier, type CarrierOptions, clientMessage, openCarrier } from './carrier.ts';
import type { ConversationMemory } from './conversation-memory.ts';
import { Judge } from './judge.ts';
import type { TurnRecord } from './turn-record.ts';
import type { Workspace } from './workspace/index.ts';

const HEARTBEAT_MS = 5_000;
const EXEC_HEARTBEAT_MS = 3_000;

export type RunRequestInit = Exclude<MessageInitShape<typeof AgentRunRequestSchema>, { $typeName: string }>;
export type ClientFrame = Parameters<typeof clientMessage>[0];

/** Where the connection breaks: after so many frames of the server, or of the client. */
export interface Cut {
  readonly afterReceived?: number;
  readonly afterSent?: number;
}

export interface AttemptOptions {
  readonly carrier: CarrierOptions;
  readonly request: RunRequestInit;
  readonly isResumed: boolean;
  readonly workspace: Workspace;
  readonly memory: ConversationMemory;
  readonly record: TurnRecord;
  readonly answerQuery?: AnswerQuery;
  readonly cut?: Cut;
  readonly signal?: AbortSignal;
  /** Sees every frame and may answer with frames of its own. */
  readonly onFrame?: (frame: AgentServerMessage, send: (frame: ClientFrame) => void) => void;
}

export type AttemptEnd =
  | { readonly kind: 'done' }
  /** By the caller's wish. */
  | { readonly kind: 'cancelled' }
  /** The connection broke, or the stream ended well without the end of the turn: worth another attempt. */
  | { readonly kind: 'cut'; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

export async function runAttempt(options: AttemptOptions): Promise<AttemptEnd> {
  return new Attempt(options).run();
}

class Attempt {
  readonly #options: AttemptOptions;
  readonly #carrier: Carrier;
  readonly #judge: Judge;
  readonly #execs = new Map<number, AbortController>();
  #sent = 0;
  #received = 0;
  #isCut = false;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#carrier = openCarrier(options.carrier);
    this.#judge = new Judge(options.memory, options.record.violations, options.isResumed);
  }

  async run(): Promise<AttemptEnd> {
    const { request, signal } = this.#options;
    const cancel = () => this.#carrier.cut();
    signal?.addEventListener('abort', cancel, { once: true });
    const heart = setInterval(() => this.#send({ case: 'clientHeartbeat', value: {} }), HEARTBEAT_MS);
    try {
      this.#send({ case: 'runRequest', value: request });
      for await (const frame of this.#carrier.frames) {
        this.#take(frame);
        if (this.#isCut) break;
      }
    } catch (error) {
      if (signal?.aborted === true) return { kind: 'cancelled' };
      return this.#isCut || isBreak(error) ? { kind: 'cut', error } : { kind: 'failed', error };
    } finally {
      clearInterval(heart);
      signal?.removeEventListener('abort', cancel);
    }
    if (this.#judge.hasTurnEnded) return { kind: 'done' };
    return { kind: 'cut' };
  }

  #take(frame: AgentServerMessage): void {
    const { record, memory, onFrame, cut } = this.#options;
    record.add(frame);
    this.#judge.see(frame);
    this.#received++;
    // A client keeps what it has received before it learns that the connection is gone.
    if (frame.message.case === 'conversationCheckpointUpdate') memory.state = frame.message.value;
    if (cut?.afterReceived === this.#received) this.#breakOff();
    this.#answer(frame.message);
    onFrame?.(frame, (answer) => this.#send(answer));
  }

  #answer(message: AgentServerMessage['message']): void {
    const { memory, record, answerQuery = approve } = this.#options;
    if (message.case === 'kvServerMessage') {
      const { reply, problem } = memory.answer(message.value);
      if (problem !== undefined) record.violations.push(problem);
      this.#send({ case: 'kvClientMessage', value: reply });
    } else if (message.case === 'interactionQuery') {
      const value = omitUndefined({ id: message.value.id, result: answerQuery(message.value) });
      this.#send({ case: 'interactionResponse', value });
    } else if (message.case === 'execServerMessage') {
      void this.#execute(message.value);
    } else if (message.case === 'execServerControlMessage' && message.value.message.case === 'abort') {
      this.#execs.get(message.value.message.value.id)?.abort();
    }
  }

  /** Runs on when the connection is lost, as a process does; only its answer is lost with it. */
  async #execute(exec: ExecServerMessage): Promise<void> {
    const { id } = exec;
    const stop = new AbortController();
    this.#execs.set(id, stop);
    const control = (message: ControlFrame) =>
      this.#send({ case: 'execClientControlMessage', value: { message } });
    const heart = setInterval(() => control({ case: 'heartbeat', value: { id } }), EXEC_HEARTBEAT_MS);
    const startedAt = performance.now();
    try {
      await this.#options.workspace.execute(exec, stop.signal, (answer) => {
        const localExecutionTimeMs = Math.round(performance.now() - startedAt);
        this.#send({ case: 'execClientMessage', value: { id, message: answer, localExecutionTimeMs } });
      });
    } catch (error) {
      control({
        case: 'throw',
        value: { id, error: error instanceof Error ? error.message : String(error) },
      });
    } finally {
      clearInterval(heart);
      this.#execs.delete(id);
      control({ case: 'streamClose', value: { id } });
    }
  }

  #send(frame: ClientFrame): void {
    if (this.#isCut || this.#options.signal?.aborted === true) return;
    this.#carrier.send(clientMessage(frame));
    this.#sent++;
    if (this.#options.cut?.afterSent === this.#sent) setImmediate(() => this.#breakOff());
  }

  #breakOff(): void {
    this.#isCut = true;
    this.#carrier.cut();
  }
}

/** An error that the server sends has no cause; one of the connection is wrapped round the error of the socket. */
function isBreak(error: unknown): boolean {
  return error instanceof ConnectError && error.cause instanceof Error && 'code' in error.cause;
}

type ControlFrame = NonNullable<
  Extract<ClientFrame, { case: 'execClientControlMessage' }>['value']['message']
>;
