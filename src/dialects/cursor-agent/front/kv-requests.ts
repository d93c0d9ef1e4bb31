// The key-value channel from the server's side: blobs by hash that the client keeps for the conversation.
import { GatewayError } from '../../../core/index.ts';
import type { KvClientMessage } from '../../../gen/agent/v1/kv_pb.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { Outbox } from './outbox.ts';
import { kvFrame } from './server-frames.ts';

/** The official SDK answers in 2 to 40 ms; public servers give up after this long. */
const ANSWER_MS = 5_000;

/** What became of a blob that was handed to the client. */
export type BlobFate = 'stored' | 'refused' | 'unanswered';

type KvAnswer = KvClientMessage['message'];

export class KvRequests {
  readonly #outbox: Outbox;
  readonly #timers: Timers;
  readonly #open = new Map<number, (answer: KvAnswer | undefined) => void>();
  #lastId = 0;
  #isOver = false;

  constructor(outbox: Outbox, timers: Timers) {
    this.#outbox = outbox;
    this.#timers = timers;
  }

  async setBlob(blobId: Uint8Array, blobData: Uint8Array): Promise<BlobFate> {
    const frameOf = (id: number) =>
      kvFrame({ id, message: { case: 'setBlobArgs', value: { blobId, blobData } } });
    // A client that has closed its side still reads.
    if (this.#isOver) await this.#outbox.send(frameOf(++this.#lastId));
    const answer = await this.#ask(frameOf);
    if (answer === undefined) return 'unanswered';
    return answer.case === 'setBlobResult' && answer.value.error === undefined ? 'stored' : 'refused';
  }

  /** Undefined when the client does not have it. Throws when it does not answer. */
  async getBlob(blobId: Uint8Array): Promise<Uint8Array | undefined> {
    const answer = await this.#ask((id) =>
      kvFrame({ id, message: { case: 'getBlobArgs', value: { blobId } } }),
    );
    if (answer === undefined) {
      const name = Buffer.from(blobId).toString('hex').slice(0, 12);
      throw new GatewayError(
        'deadline-exceeded',
        `The client did not say within ${ANSWER_MS} ms whether it has the blob ${name}…; send the message again.`,
      );
    }
    return answer.case === 'getBlobResult' ? answer.value.blobData : undefined;
  }

  receive({ id, message }: KvClientMessage): void {
    this.#take(id)?.(message);
  }

  /** Nothing will be answered any more. */
  close(): void {
    this.#isOver = true;
    for (const id of [...this.#open.keys()]) this.#take(id)?.(undefined);
  }

  async #ask(frameOf: (id: number) => Uint8Array): Promise<KvAnswer | undefined> {
    if (this.#isOver) return undefined;
    const id = ++this.#lastId;
    const answer = new Promise<KvAnswer | undefined>((resolve) => this.#open.set(id, resolve));
    await this.#outbox.send(frameOf(id)); // a slow line is not a slow client
    const stopTimer = this.#timers.after(ANSWER_MS, () => this.#take(id)?.(undefined));
    try {
      return await answer;
    } finally {
      stopTimer();
    }
  }

  #take(id: number): ((answer: KvAnswer | undefined) => void) | undefined {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    return resolve;
  }
}
