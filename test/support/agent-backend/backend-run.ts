// One run as a script of the simulated backend sees it: what the client sent, and every frame a server may send.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ConversationStateStructureSchema } from '../../../src/gen/agent/v1/conversation_state_pb.ts';
import {
  type ExecClientControlMessage,
  type ExecClientMessage,
  ExecServerMessageSchema,
} from '../../../src/gen/agent/v1/exec_pb.ts';
import type {
  InteractionQuerySchema,
  InteractionResponse,
} from '../../../src/gen/agent/v1/interaction_query_pb.ts';
import type { InteractionUpdateSchema } from '../../../src/gen/agent/v1/interaction_update_pb.ts';
import type { RequestContext } from '../../../src/gen/agent/v1/request_context_pb.ts';
import {
  type AgentClientMessage,
  type AgentRunRequest,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from '../../../src/gen/agent/v1/run_pb.ts';
import { type ConnectError, encodeEndStream } from '../../../src/wire/connect-end-stream.ts';
import { COMPRESSED, encodeEnvelope } from '../../../src/wire/connect-envelope.ts';
import { ClientInbox, RunClosed } from './client-inbox.ts';
import type { CutKind, RunCarrier } from './run-carrier.ts';

export type ServerFrame = MessageInitShape<typeof AgentServerMessageSchema>['message'];
export type ExecArgs = MessageInitShape<typeof ExecServerMessageSchema>['message'];
export type Update = MessageInitShape<typeof InteractionUpdateSchema>['message'];
export type Query = MessageInitShape<typeof InteractionQuerySchema>['query'];
export type Checkpoint = MessageInitShape<typeof ConversationStateStructureSchema>;

export interface RunOptions {
  readonly index: number;
  readonly transport: 'Run' | 'RunSSE';
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly carrier: RunCarrier;
  readonly isGzip: boolean;
  readonly isDuplicating: boolean;
  readonly cutAfterFrame: number | undefined;
  readonly cutKind: CutKind;
}

/** A result, or the `throw` of a client that has none. */
export type ExecOutcome = ExecClientMessage | Extract<ExecClientControlMessage['message'], { case: 'throw' }>;

/** An exec under way: what the client answers to it, by its number. */
export interface ExecCall {
  readonly id: number;
  /** A result, or the next event of a stream. */
  next(): Promise<ExecClientMessage>;
  outcome(): Promise<ExecOutcome>;
  /** The client is done with it. */
  closed(): Promise<void>;
}

export class BackendRun {
  readonly options: RunOptions;
  readonly inbox = new ClientInbox();
  /** Everything sent, in order; the end-of-stream frame is not among them. */
  readonly sent: AgentServerMessage[] = [];
  /** Resolves when the stream is gone, whoever ended it. */
  readonly closed: Promise<void>;
  #frames = 0;
  #isCut = false;
  #nextExecId = 1;
  #nextKvId = 1;
  #nextQueryId = 1;

  constructor(options: RunOptions) {
    this.options = options;
    this.closed = options.carrier.closed.then(() => this.inbox.close());
  }

  get received(): readonly AgentClientMessage[] {
    return this.inbox.all;
  }

  /** The run request; throws when the client began with something else. */
  get request(): AgentRunRequest {
    const first = this.inbox.all[0]?.message;
    if (first?.case === 'runRequest') return first.value;
    throw new Error(`The first message of the run is ${first?.case ?? 'missing'}, not a run request.`);
  }

  get isResumed(): boolean {
    return this.request.action?.action.case === 'resumeAction';
  }

  /** The user's text, empty for a run that resumes. */
  get prompt(): string {
    const action = this.request.action?.action;
    return action?.case === 'userMessageAction' ? (action.value.userMessage?.text ?? '') : '';
  }

  /** All of them in one write, as backends send parallel calls. */
  async send(...frames: readonly ServerFrame[]): Promise<void> {
    const messages = frames.map((message) =>
      create(AgentServerMessageSchema, message === undefined ? {} : { message }),
    );
    await this.sendMessages(messages);
  }

  async sendMessages(messages: readonly AgentServerMessage[]): Promise<void> {
    const bytes: Uint8Array[] = [];
    for (const message of messages) {
      const times = this.options.isDuplicating ? 2 : 1;
      for (let time = 0; time < times && !this.#isCut; time++) {
        this.sent.push(message);
        bytes.push(this.#encode(toBinary(AgentServerMessageSchema, message), 0));
      }
    }
    await this.#write(bytes);
  }

  update(...updates: readonly Update[]): Promise<void> {
    return this.send(...updates.map((message) => updateFrame(message)));
  }

  async text(...pieces: readonly string[]): Promise<void> {
    for (const text of pieces) await this.update({ case: 'textDelta', value: { text } });
  }

  async thinking(...pieces: readonly string[]): Promise<void> {
    for (const text of pieces) await this.update({ case: 'thinkingDelta', value: { text } });
    await this.update({ case: 'thinkingCompleted', value: { thinkingDurationMs: 10 } });
  }

  tokens(tokens: number): Promise<void> {
    return this.update({ case: 'tokenDelta', value: { tokens } });
  }

  heartbeat(): Promise<void> {
    return this.update({ case: 'heartbeat', value: {} });
  }

  checkpoint(value: Checkpoint = {}): Promise<void> {
    return this.send({ case: 'conversationCheckpointUpdate', value });
  }

  turnEnded(
    usage: { inputTokens?: bigint; outputTokens?: bigint; cacheReadTokens?: bigint } = {},
  ): Promise<void> {
    return this.update({ case: 'turnEnded', value: usage });
  }

  /** Asks for the client's context, as nearly every turn begins. */
  async requestContext(): Promise<RequestContext | undefined> {
    const exec = this.prepareExec({ case: 'requestContextArgs', value: {} });
    await this.send(exec.frame);
    const { message } = await exec.call.next();
    await exec.call.closed();
    if (message.case !== 'requestContextResult' || message.value.result.case !== 'success') {
      throw new Error(`The context was answered with ${message.case}.`);
    }
    return message.value.result.value.requestContext;
  }

  async exec(args: ExecArgs): Promise<ExecCall> {
    const { frame, call } = this.prepareExec(args);
    await this.send(frame);
    return call;
  }

  /** The frame of an exec, to be sent together with others. */
  prepareExec(message: ExecArgs): { readonly frame: ServerFrame; readonly call: ExecCall } {
    const id = this.#nextExecId++;
    const init = { id, execId: `exec-${id}`, ...(message === undefined ? {} : { message }) };
    return {
      frame: { case: 'execServerMessage', value: create(ExecServerMessageSchema, init) },
      call: this.#execCall(id),
    };
  }

  /** An exec of a kind that no client knows yet. */
  async unknownExec(fieldNumber = 99): Promise<ExecCall> {
    const { frame, call } = this.prepareExec(undefined);
    const message = create(AgentServerMessageSchema, { message: frame ?? { case: undefined } });
    if (message.message.case === 'execServerMessage') {
      // Length-delimited and empty.
      message.message.value.$unknown = [{ no: fieldNumber, wireType: 2, data: new Uint8Array([0]) }];
    }
    await this.sendMessages([message]);
    return call;
  }

  abortExec(id: number): Promise<void> {
    return this.send({
      case: 'execServerControlMessage',
      value: { message: { case: 'abort', value: { id } } },
    });
  }

  /** Stores a blob with the client, waits for its word, and tells the blob's id. */
  async setBlob(text: string | Uint8Array): Promise<Uint8Array> {
    const blobData = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    const blobId = new Uint8Array(createHash('sha256').update(blobData).digest());
    const answer = await this.#askKv({ case: 'setBlobArgs', value: { blobId, blobData } });
    if (answer?.case !== 'setBlobResult' || answer.value.error) throw new Error('The blob was not stored.');
    return blobId;
  }

  async getBlob(blobId: Uint8Array): Promise<Uint8Array | undefined> {
    const answer = await this.#askKv({ case: 'getBlobArgs', value: { blobId } });
    if (answer?.case !== 'getBlobResult') throw new Error(`The blob was answered with ${answer?.case}.`);
    return answer.value.blobData;
  }

  async query(query: Query): Promise<InteractionResponse> {
    const id = this.#nextQueryId++;
    const value = query === undefined ? { id } : { id, query };
    await this.send({ case: 'interactionQuery', value });
    const { message } = await this.inbox.take(
      (one) => one.message.case === 'interactionResponse' && one.message.value.id === id,
    );
    if (message.case !== 'interactionResponse') throw new Error('unreachable');
    return message.value;
  }

  /** Ends the stream, well or with an error. */
  async end(error?: ConnectError): Promise<void> {
    await this.#write([this.#encodeEnd(error)]);
    if (!this.#isCut) this.options.carrier.end();
  }

  cut(kind: CutKind = 'stream'): void {
    this.#isCut = true;
    this.options.carrier.cut(kind);
  }

  /** For scripts that fall silent: throws once the client has gone. */
  async untilClosed(): Promise<never> {
    await this.closed;
    throw new RunClosed();
  }

  #execCall(id: number): ExecCall {
    const isResult = ({ message }: AgentClientMessage) =>
      message.case === 'execClientMessage' && message.value.id === id;
    const isControl = ({ message }: AgentClientMessage, kind: 'throw' | 'streamClose') =>
      message.case === 'execClientControlMessage' &&
      message.value.message.case === kind &&
      message.value.message.value.id === id;
    const outcome: ExecCall['outcome'] = async () => {
      const { message } = await this.inbox.take((one) => isResult(one) || isControl(one, 'throw'));
      if (message.case === 'execClientMessage') return message.value;
      if (message.case === 'execClientControlMessage' && message.value.message.case === 'throw') {
        return message.value.message;
      }
      throw new Error('unreachable');
    };
    return {
      id,
      outcome,
      next: async () => {
        const answer = await outcome();
        if ('case' in answer) throw new Error(`Exec ${id} was thrown: ${answer.value.error}`);
        return answer;
      },
      closed: async () => {
        await this.inbox.take((one) => isControl(one, 'streamClose'));
      },
    };
  }

  async #askKv(
    message: Extract<
      MessageInitShape<typeof AgentServerMessageSchema>['message'],
      { case: 'kvServerMessage' }
    >['value']['message'],
  ) {
    const id = this.#nextKvId++;
    await this.send({ case: 'kvServerMessage', value: message === undefined ? { id } : { id, message } });
    const answer = await this.inbox.take(
      (one) => one.message.case === 'kvClientMessage' && one.message.value.id === id,
    );
    return answer.message.case === 'kvClientMessage' ? answer.message.value.message : undefined;
  }

  #encode(payload: Uint8Array, flags: number): Uint8Array {
    this.#frames++;
    if (this.#frames === this.options.cutAfterFrame) this.#isCut = true;
    if (!this.options.isGzip) return encodeEnvelope(payload, flags);
    return encodeEnvelope(gzipSync(payload), flags | COMPRESSED);
  }

  #encodeEnd(error: ConnectError | undefined): Uint8Array {
    if (this.#isCut) return new Uint8Array();
    this.#frames++;
    return encodeEndStream(error);
  }

  async #write(frames: readonly Uint8Array[]): Promise<void> {
    if (frames.length > 0) await this.options.carrier.write(Buffer.concat(frames));
    if (!this.#isCut) return;
    this.options.carrier.cut(this.options.cutKind);
    throw new RunClosed();
  }
}

export function updateFrame(message: Update): ServerFrame {
  return { case: 'interactionUpdate', value: message === undefined ? {} : { message } };
}
