// The blobs of one conversation: state beyond a few bytes is stored by the SHA-256 of its bytes, at the client (that is
// the protocol) and among our own documents, so that a restart, or a client that lost them, can still go on.
import { createHash } from 'node:crypto';
import { GatewayError } from '../../../core/index.ts';
import type { DocumentShelf } from '../../dialect.ts';
import { BLOB_KIND } from '../blob-store.ts';
import type { KvRequests } from './kv-requests.ts';

const ID_BYTES = 32;
/** What is larger stays with the client alone: our documents are small ones. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

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
      this.#given.set(keyOf(id), value);
      this.#placed.add(keyOf(id));
    }
  }

  /** Takes a blob of our own making and returns its id; `place` stores it. */
  add(data: Uint8Array): Uint8Array {
    const id = new Uint8Array(createHash('sha256').update(data).digest());
    const key = keyOf(id);
    this.#hand(key, id, data);
    return id;
  }

  async get(id: Uint8Array): Promise<Uint8Array | undefined> {
    if (id.length === 0) return undefined;
    const key = keyOf(id);
    const here = this.#given.get(key) ?? this.#fresh.get(key)?.data;
    if (here) return here;
    const kept = await this.#readDocument(key);
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
    const key = keyOf(id);
    const data = this.#given.get(key) ?? this.#fresh.get(key)?.data ?? (await this.#readDocument(key));
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
      `Blob not found: ${what} (${keyOf(entry).slice(0, 12)}…) came with no request, is not kept here, and the ` +
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
      await this.#options.documents.put(BLOB_KIND, key, { data: Buffer.from(data).toString('base64') });
    } catch {
      this.#options.onDrift('a blob that could not be kept'); // the client has it
    }
  }

  async #readDocument(key: string): Promise<Uint8Array | undefined> {
    const kept = await this.#options.documents.get(BLOB_KIND, key);
    return typeof kept?.data === 'string' ? new Uint8Array(Buffer.from(kept.data, 'base64')) : undefined;
  }
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex');
}
