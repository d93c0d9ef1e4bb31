// The idempotent form as a client plays it: one key, numbers both ways, and a connection that may break after any message.
// The client comes back with the number of the last event it has and repeats what was not acknowledged. It remembers no
// calls: one that is sent twice would be run twice.
import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  type StreamUnifiedChatRequestWithToolsIdempotent as Request,
  StreamUnifiedChatRequestWithToolsIdempotentSchema as RequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
} from '../../../src/gen/aiserver/v1/chat_request_pb.ts';
import type { StreamUnifiedChatResponseWithToolsIdempotent as Response } from '../../../src/gen/aiserver/v1/chat_response_pb.ts';
import type { ClientSideToolV2Result } from '../../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { openIdempotentChat } from './carrier.ts';
import { type ChatClient, type ChatTurn, isWhole, type RequestInit, type TurnEnd } from './chat-client.ts';
import { TurnRecord } from './turn-record.ts';

const MAX_CONNECTIONS = 4;

/** Where the first connection breaks; neither: nowhere. */
export interface Cut {
  readonly afterReceived?: number;
  readonly afterSent?: number;
}

export interface IdempotentOptions {
  readonly request?: RequestInit;
  readonly cut?: Cut;
  /** The idempotency key; one of its own unless given. */
  readonly key?: string;
  readonly onMessage?: (message: Response, turn: IdempotentTurn) => void;
}

export class IdempotentTurn {
  readonly record = new TurnRecord();
  readonly key: string;
  received = 0;
  sent = 0;
  readonly #client: ChatClient;
  readonly #options: IdempotentOptions;
  readonly #results: ClientSideToolV2Result[] = [];
  #unacknowledged: Request[] = [];
  #lastEventId = 0;
  #seqno = 0;
  #carrier: ReturnType<typeof openIdempotentChat> | undefined;

  constructor(client: ChatClient, options: IdempotentOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.key = options.key ?? randomUUID();
  }

  async ask(text: string): Promise<ChatTurn> {
    const { record } = this;
    this.#queue({
      case: 'streamUnifiedChatRequest',
      value: this.#client.request(text, this.#options.request),
    });
    for (;;) {
      record.connections++;
      const end = await this.#connect();
      const isOver = end.kind !== 'left' || record.connections >= MAX_CONNECTIONS;
      if (isOver) return { record, end, results: this.#results };
    }
  }

  /** Tells the server that nobody wants the answer any more. */
  abort(): void {
    this.#say(create(RequestSchema, { request: { case: 'abort', value: {} }, seqno: ++this.#seqno }));
  }

  async #connect(): Promise<TurnEnd> {
    const { record } = this;
    const carrier = openIdempotentChat(
      this.#client.carrierOptions({
        'x-idempotency-key': this.key,
        'x-idempotency-event-id': String(this.#lastEventId),
        'x-idempotent-encryption-key': 'A'.repeat(43),
      }),
    );
    this.#carrier = carrier;
    let isWelcome = false;
    let isCut = false;
    const cut = () => {
      isCut = true;
      this.#carrier = undefined;
      carrier.cut();
    };
    this.#onSent = () => {
      if (record.connections === 1 && this.sent === this.#options.cut?.afterSent) setImmediate(cut);
    };
    for (const message of this.#unacknowledged) this.#say(message);
    try {
      for await (const message of carrier.frames) {
        if (isCut) break;
        this.received++;
        if (!isWelcome && message.response.case !== 'welcomeMessage')
          record.breaches.push(`${message.response.case} came before the welcome`);
        isWelcome = true;
        this.#see(message);
        this.#options.onMessage?.(message, this);
        if (record.connections === 1 && this.received === this.#options.cut?.afterReceived) cut();
      }
      if (isCut) return { kind: 'left' };
      record.judge.end();
      return { kind: 'done' };
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      return isCut || error.code === Code.Unknown ? { kind: 'left' } : { kind: 'failed', error };
    }
  }

  #see({ response }: Response): void {
    const { record } = this;
    if (response.case === 'seqnoAck') {
      this.#unacknowledged = this.#unacknowledged.filter(({ seqno = 0 }) => seqno > response.value);
    }
    if (response.case !== 'serverChunk') return;
    const { value: chunk } = response;
    if (chunk.eventId === '') {
      // Only what breaks a silence may go without a number: it is not repeated.
      if (chunk.response.case !== 'streamUnifiedChatResponse')
        record.breaches.push('a message without a number');
      return;
    }
    const id = Number(chunk.eventId);
    if (id !== this.#lastEventId + 1) record.breaches.push(`event ${id} came after ${this.#lastEventId}`);
    this.#lastEventId = id;
    record.note(chunk);
    if (chunk.response.case !== 'clientSideToolV2Call' || !isWhole(chunk.response.value)) return;
    const call = chunk.response.value;
    void this.#client.options.workspace.run(call).then((result) => {
      this.#results.push(result);
      record.judge.answered(call.toolCallId);
      const message = this.#queue({ case: 'clientSideToolV2Result', value: result });
      this.#say(message);
    });
  }

  #queue(request: MessageInitShape<typeof StreamUnifiedChatRequestWithToolsSchema>['request']): Request {
    const chunk = create(StreamUnifiedChatRequestWithToolsSchema, request ? { request } : {});
    const message = create(RequestSchema, {
      request: { case: 'clientChunk', value: chunk },
      idempotencyKey: this.key,
      seqno: ++this.#seqno,
    });
    this.#unacknowledged.push(message);
    return message;
  }

  #onSent: () => void = () => {};

  #say(message: Request): void {
    if (this.#carrier === undefined) return; // it goes out with the next connection
    this.#carrier.send(message);
    this.sent++;
    this.#onSent();
  }
}
