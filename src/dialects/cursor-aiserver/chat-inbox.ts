import { GatewayError, invalidRequest } from '../../core/index.ts';
import type {
  StreamUnifiedChatRequest,
  StreamUnifiedChatRequestWithTools,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { Timers } from '../upstream-timers.ts';
import type { ResultDesk } from './result-desk.ts';

/** How long a stream may stay without its request; appended messages may come after the stream. */
const FIRST_MESSAGE_MS = 60_000;

interface Deferred {
  resolve(request: StreamUnifiedChatRequest): void;
  reject(error: GatewayError): void;
}

/** What the client says in one stream: first what it wants, then the results of calls. */
export class ChatInbox {
  readonly #desk: ResultDesk;
  readonly #onDrift: (kind: string) => void;
  readonly #broken = new AbortController();
  #deferred: Deferred = { resolve: () => undefined, reject: () => undefined };
  #hasRequest = false;

  /** Rejects when the client sends something else first, or nothing. */
  readonly request: Promise<StreamUnifiedChatRequest>;

  constructor(desk: ResultDesk, timers: Timers, onDrift: (kind: string) => void) {
    this.#desk = desk;
    this.#onDrift = onDrift;
    this.request = new Promise((resolve, reject) => {
      this.#deferred = { resolve, reject };
    });
    const stopTimer = timers.after(FIRST_MESSAGE_MS, () => this.fail(tooLate()));
    this.request.then(stopTimer, stopTimer); // whoever waits for it hears of a refusal
  }

  /** Fires, with the error, when the client's messages cannot be read any more. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  get hasRequest(): boolean {
    return this.#hasRequest;
  }

  accept({ request }: StreamUnifiedChatRequestWithTools): void {
    if (request.case === undefined) this.#onDrift('StreamUnifiedChatRequestWithTools without a request');
    else if (request.case === 'clientSideToolV2Result') {
      if (this.#hasRequest) this.#desk.deliver(request.value);
      else this.#deferred.reject(noRequest());
    } else if (this.#hasRequest) this.#onDrift('a second StreamUnifiedChatRequest');
    else {
      this.#hasRequest = true;
      this.#deferred.resolve(request.value);
    }
  }

  /** The client has no more to say. */
  close(): void {
    this.#deferred.reject(invalidRequest('The stream ended before a request came.', 'request'));
    this.#desk.close();
  }

  fail(thrown: unknown): void {
    const error = GatewayError.from(thrown, 'invalid-request');
    this.#deferred.reject(error);
    this.#broken.abort(error);
  }
}

function tooLate(): GatewayError {
  const seconds = FIRST_MESSAGE_MS / 1000;
  return new GatewayError('deadline-exceeded', `The stream was open for ${seconds} s and no request came.`);
}

function noRequest(): GatewayError {
  return invalidRequest(
    'The stream begins with a tool result: send `stream_unified_chat_request` first. A run that was begun on another stream cannot be joined; send its conversation, results included.',
    'request',
  );
}
