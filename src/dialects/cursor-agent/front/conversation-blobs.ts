// The blobs of one conversation: state beyond a few bytes is stored by the SHA-256 of its bytes, at the client (that is
// the protocol) and among our own documents, so that a restart, or a client that lost them, can still go on.
import { createHash } from 'node:crypto';
import { GatewayError } from '../../../core/index.ts';
import type { DocumentShelf } from '../../dialect.ts';
import { blobKey, findKeptBlob, keepBlob, MAX_KEPT_BYTES } from './kept-blobs.ts';
import type { KvRequests } from './kv-requests.ts';

const ID_BYTES = 32;

export interface ConversationBlobsOptions {
  readonly documents: DocumentShelf;
  readonly kv: KvRequests;
  /** Blobs that came with the request. */
  readonly given: readonly { readonly id: Uint8Array; readonly value: Uint8Array }[];
  readonly onDrift: (kind: string) => void;
}

export class ConversationBlobs {
  readonly #options: ConversationBlobsOptions;
  readonly #given = new Map<string, Uint8Array>();
  /** Made here and not yet stored elsewhere. */
  readonly #fresh = new Map<string, { readonly id: Uint8Array; readonly data: Uint8Array }>();
  /** What the client has, or has had to take. */
  readonly #placed = new Set<string>();
  /** Whether the client says in time that it has stored something. */
  #clientAnswers = true;
  /** Set when a blob that did not come with the request is one that the client does not have: it then gets it from us. */
  clientLacksThem = false;

  constructor(options: ConversationBlobsOptions) {
    this.#options = options;
    for (const { id, value } of options.given) {
      this.#given.set(blobKey(id), value);
      this.#placed.add(blobKey(id));
    }
  }

  /** Takes a blob of our own making and returns its id; `place` stores it. */
  add(data: Uint8Array): Uint8Array {
    const id = new Uint8Array(createHash('sha256').update(data).digest());
    this.#hand(blobKey(id), id, data);
    return id;
  }

  async get(id: Uint8Array): Promise<Uint8Array | undefined> {
    if (id.length === 0) return undefined;
    const key = blobKey(id);
    const here = this.#given.get(key) ?? this.#fresh.get(key)?.data;
    if (here) return here;
    const kept = await findKeptBlob(this.#options.documents, key);
    if (kept) {
      if (this.clientLacksThem) this.#hand(key, id, kept);
      return kept;
    }
    const fetched = await this.#options.kv.getBlob(id);
    if (fetched) {
      this.#given.set(key, fetched);
      this.#placed.add(key);
    }
    return fetched;
  }

  /** Gives the client a blob of our documents, if it is there and the client has not brought it along. */
  async offer(id: Uint8Array): Promise<Uint8Array | undefined> {
    const key = blobKey(id);
    const data =
      this.#given.get(key) ??
      this.#fresh.get(key)?.data ??
      (await findKeptBlob(this.#options.documents, key));
    if (data) this.#hand(key, id, data);
    return data;
  }

  /**
   * An entry of a state: the blob it names, or itself when it is data. Some servers put the data where an id belongs,
   * and clients carry it along.
   */
  async resolve(entry: Uint8Array, what: string): Promise<Uint8Array> {
    if (entry.length !== ID_BYTES) return entry;
    const data = await this.get(entry);
    if (data) return data;
    // The first words are those by which clients know that a fresh conversation helps.
    throw new GatewayError(
      'internal',
      `Blob not found: ${what} (${blobKey(entry).slice(0, 12)}…) came with no request, is not kept here, and the ` +
        'client does not have it. Start a new conversation.',
      { retryable: false, detail: { reason: 'blob_not_found' } },
    );
  }

  /** Stores what is new, at the client and here. A state may name a blob only after this. Nothing of it rejects. */
  async place(): Promise<void> {
    const fresh = [...this.#fresh.entries()];
    this.#fresh.clear();
    for (const [key] of fresh) this.#placed.add(key);
    const sent = fresh.map(async ([, { id, data }]) => {
      const fate = await this.#options.kv.setBlob(id, data);
      this.#clientAnswers = fate !== 'unanswered';
    });
    const kept = fresh.map(([key, { data }]) => this.#keep(key, data));
    // One that is late, or never answers, is not waited for again: it gets its blobs before the state that names them all
    // the same, and our own documents have them.
    await Promise.all(this.#clientAnswers ? [...sent, ...kept] : kept);
  }

  /** What came with the request has been read. */
  forgetGiven(): void {
    this.#given.clear();
  }

  #hand(key: string, id: Uint8Array, data: Uint8Array): void {
    if (!this.#placed.has(key)) this.#fresh.set(key, { id, data });
  }

  async #keep(key: string, data: Uint8Array): Promise<void> {
    if (data.length > MAX_KEPT_BYTES) return;
    try {
      await keepBlob(this.#options.documents, key, data);
    } catch {
      this.#options.onDrift('a blob that could not be kept'); // the client has it
    }
  }
}
