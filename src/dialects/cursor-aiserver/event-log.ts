import { create, toBinary } from '@bufbuild/protobuf';
import type { GatewayError } from '../../core/index.ts';
import { StreamUnifiedChatResponseWithToolsIdempotentSchema } from '../../gen/aiserver/v1/chat_response_pb.ts';
import type { ResponseStream, ResponseWithTools } from './response-stream.ts';

/** Unsent beyond this, the run waits for its reader. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** What was sent is kept for a client that lost it, up to this. */
const MAX_KEPT_BYTES = 1024 * 1024;

interface Entry {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The numbered messages of one answer; a client that comes back reads on behind the last one it has. */
export class EventLog implements ResponseStream {
  #entries: Entry[] = [];
  #lastId: number;
  #sentId: number;
  #keptBytes = 0;
  #unsentBytes = 0;
  #ending: { readonly error: GatewayError | undefined } | undefined;
  readonly #waiters = new Set<() => void>();

  /** `lastId` is the number that the client has already. */
  constructor(lastId: number) {
    this.#lastId = lastId;
    this.#sentId = lastId;
  }

  get isEnded(): boolean {
    return this.#ending !== undefined;
  }

  async send(message: ResponseWithTools): Promise<boolean> {
    if (this.#ending) return false;
    const id = ++this.#lastId;
    const value = { ...message, eventId: String(id) };
    const wrapped = create(StreamUnifiedChatResponseWithToolsIdempotentSchema, {
      response: { case: 'serverChunk', value },
    });
    const bytes = toBinary(StreamUnifiedChatResponseWithToolsIdempotentSchema, wrapped);
    this.#entries.push({ id, bytes });
    this.#unsentBytes += bytes.length;
    this.#wake();
    while (this.#unsentBytes > MAX_UNSENT_BYTES && !this.#ending) await this.#change();
    return !this.#ending;
  }

  end(error?: GatewayError): void {
    this.#ending ??= { error };
    this.#wake();
  }

  /** Undefined when messages behind that number are gone already. */
  readAfter(id: number, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined {
    const first = this.#entries[0]?.id ?? this.#lastId + 1;
    return id + 1 < first ? undefined : this.#read(id, signal);
  }

  /** Ends when everything is read and no more will come, or when the reader has gone; throws how the answer ended. */
  async *#read(after: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let last = after;
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const next = this.#entries[this.#indexAfter(last)];
        if (next) {
          yield next.bytes;
          last = next.id;
          this.#markSent(next);
        } else if (this.#ending) {
          if (this.#ending.error) throw this.#ending.error;
          return;
        } else await this.#change();
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Numbers have no gaps. */
  #indexAfter(id: number): number {
    const first = this.#entries[0]?.id ?? id;
    return Math.max(0, id + 1 - first);
  }

  #markSent({ id, bytes }: Entry): void {
    if (id <= this.#sentId) return;
    this.#sentId = id;
    this.#unsentBytes -= bytes.length;
    this.#keptBytes += bytes.length;
    while (this.#keptBytes > MAX_KEPT_BYTES) {
      const oldest = this.#entries.shift();
      this.#keptBytes -= oldest?.bytes.length ?? this.#keptBytes;
    }
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  #wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }
}
