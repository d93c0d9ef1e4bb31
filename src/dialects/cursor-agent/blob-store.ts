// Blobs that the backend keeps at the client, named by the SHA-256 of their bytes (32 raw bytes on the wire).
import { createHash } from 'node:crypto';
import type { DocumentShelf } from '../dialect.ts';

export const BLOB_KIND = 'agent-blob';

export interface BlobLimits {
  readonly maxBytes: number;
  readonly maxBlobs: number;
}

const DEFAULT_LIMITS: BlobLimits = { maxBytes: 64 * 1024 * 1024, maxBlobs: 8_192 };

/**
 * The blobs of one turn. A full store refuses new ones: to drop an old one would cut the head off the prompt.
 * Nothing is written elsewhere until `persist`: a turn that never waits for results needs no second process.
 */
export class BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #unsaved = new Set<string>();
  readonly #documents: DocumentShelf | undefined;
  readonly #limits: BlobLimits;
  #bytes = 0;

  constructor(documents?: DocumentShelf, limits: BlobLimits = DEFAULT_LIMITS) {
    this.#documents = documents;
    this.#limits = limits;
  }

  /** Stores a blob of our own making and returns its id. */
  add(data: Uint8Array): Uint8Array {
    const id = new Uint8Array(createHash('sha256').update(data).digest());
    this.set(id, data);
    return id;
  }

  /** False when there is no room left. The backend's id is taken as it is: it asks by it later. */
  set(id: Uint8Array, data: Uint8Array): boolean {
    const key = keyOf(id);
    const known = this.#blobs.get(key);
    const bytes = this.#bytes - (known?.length ?? 0) + data.length;
    const isOneTooMany = !known && this.#blobs.size >= this.#limits.maxBlobs;
    if (bytes > this.#limits.maxBytes || isOneTooMany) return false;
    this.#bytes = bytes;
    this.#blobs.set(key, data);
    this.#unsaved.add(key);
    return true;
  }

  /** What is in memory. */
  peek(id: Uint8Array): Uint8Array | undefined {
    return this.#blobs.get(keyOf(id));
  }

  /** Looks in memory, then among what an earlier process left. */
  async get(id: Uint8Array): Promise<Uint8Array | undefined> {
    const key = keyOf(id);
    const known = this.#blobs.get(key);
    if (known) return known;
    const kept = await this.#documents?.get(BLOB_KIND, key);
    return typeof kept?.data === 'string' ? new Uint8Array(Buffer.from(kept.data, 'base64')) : undefined;
  }

  /** Puts every blob where another process finds it. */
  async persist(): Promise<void> {
    for (const key of [...this.#unsaved]) {
      const data = this.#blobs.get(key);
      if (data) await this.#documents?.put(BLOB_KIND, key, { data: Buffer.from(data).toString('base64') });
      this.#unsaved.delete(key);
    }
  }
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
}
