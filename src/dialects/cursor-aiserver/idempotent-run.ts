// aiserver.v1 `StreamUnifiedChatWithToolsIdempotent`: the same conversation, numbered in both directions, so that a client
// whose connection broke takes up the same run. Known: the wrapper messages, the headers and that a client resends what
// was not acknowledged. Guessed: that it counts from 0 or 1, and that it wants everything behind the event id it names.
import { create, toBinary } from '@bufbuild/protobuf';
import { GatewayError } from '../../core/index.ts';
import type { StreamUnifiedChatRequestWithToolsIdempotent } from '../../gen/aiserver/v1/chat_request_pb.ts';
import {
  type StreamUnifiedChatResponseWithToolsIdempotent as Response,
  StreamUnifiedChatResponseWithToolsIdempotentSchema as ResponseSchema,
  WelcomeMessageSchema,
} from '../../gen/aiserver/v1/chat_response_pb.ts';
import type { NativeContext } from '../native-front.ts';
import type { NativeOutbox } from '../native-outbox.ts';
import type { Timers } from '../upstream-timers.ts';
import { ChatInbox } from './chat-inbox.ts';
import { EventLog } from './event-log.ts';
import { ResultDesk } from './result-desk.ts';
import { type ChatSettings, runChat } from './run-chat.ts';

/** How long a run goes on without its client. */
const AWAY_MS = 120_000;

export interface RunSettings extends ChatSettings {
  readonly timers: Timers;
}

/** One run that outlives the connections of its client. */
export class IdempotentRun {
  readonly #log: EventLog;
  readonly #inbox: ChatInbox;
  readonly #stop = new AbortController();
  readonly #timers: Timers;
  #highestSeqno = -1;
  #reader: AbortController | undefined;
  #connection: NativeOutbox | undefined;
  #stopAway: (() => void) | undefined;

  constructor(settings: RunSettings, context: NativeContext, lastEventId: number, onEnd: () => void) {
    const { timers } = settings;
    const desk = new ResultDesk(timers, context.onDrift);
    this.#timers = timers;
    this.#log = new EventLog(lastEventId);
    this.#inbox = new ChatInbox(desk, timers, context.onDrift);
    const signal = AbortSignal.any([this.#stop.signal, this.#inbox.broken]);
    const run = async () => {
      const request = await this.#inbox.request;
      // The signal of the request that began the run fires with its connection, which the run must survive.
      const lasting = { ...context, signal };
      const stream = this.#log;
      await runChat({ settings, context: lasting, request, stream, desk, hasTools: true, signal });
      if (this.#inbox.broken.aborted) throw this.#inbox.broken.reason;
    };
    run()
      .then(
        () => this.#log.end(),
        (thrown: unknown) => this.#log.end(GatewayError.from(thrown)),
      )
      .finally(onEnd);
  }

  get isEnded(): boolean {
    return this.#log.isEnded;
  }

  /** Whether it was ever told what to do. */
  get hasRequest(): boolean {
    return this.#inbox.hasRequest;
  }

  /** Writes everything behind the event to this connection; an earlier connection of the same run ends. */
  async serve(sender: NativeOutbox, lastEventId: number, gone: AbortSignal): Promise<void> {
    this.#reader?.abort();
    this.#stopAway?.();
    const reader = new AbortController();
    this.#reader = reader;
    this.#connection = sender;
    const events = this.#log.readAfter(lastEventId, AbortSignal.any([reader.signal, gone]));
    if (events === undefined) {
      throw new GatewayError(
        'conflict',
        `The messages behind event ${lastEventId} are no longer kept; send the conversation again under a new idempotency key.`,
      );
    }
    await sender.send(encode({ case: 'welcomeMessage', value: create(WelcomeMessageSchema) }));
    try {
      for await (const bytes of events) if (!(await sender.send(bytes))) break;
    } finally {
      if (this.#reader === reader) this.#leave();
    }
  }

  /** One message of the client; one that came before is acknowledged again and dropped. */
  async accept(message: StreamUnifiedChatRequestWithToolsIdempotent, sender: NativeOutbox): Promise<void> {
    const { request, seqno } = message;
    const isNew = seqno === undefined || seqno > this.#highestSeqno;
    if (isNew) {
      this.#highestSeqno = seqno ?? this.#highestSeqno;
      if (request.case === 'clientChunk') this.#inbox.accept(request.value);
      else if (request.case === 'close') this.#inbox.close();
      else if (request.case === 'abort') this.abort();
    }
    if (seqno !== undefined) await sender.send(encode({ case: 'seqnoAck', value: seqno }));
  }

  /** A connection has no more to say; what the client has to say ends only with the message `close`. */
  disconnect(sender: NativeOutbox): void {
    if (!this.hasRequest && this.#connection === sender) this.#inbox.close();
  }

  /** What came by this connection cannot be read. A run that is under way waits for another one. */
  fail(thrown: unknown, sender: NativeOutbox): void {
    if (!this.hasRequest && this.#connection === sender) this.#inbox.fail(thrown);
  }

  abort(): void {
    this.#stop.abort();
    this.#inbox.close();
    this.#log.end();
  }

  #leave(): void {
    this.#reader = undefined;
    if (!this.isEnded) this.#stopAway = this.#timers.after(AWAY_MS, () => this.abort());
  }
}

function encode(response: Response['response']): Uint8Array {
  return toBinary(ResponseSchema, create(ResponseSchema, { response }));
}
