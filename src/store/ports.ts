// What the gateway keeps, whatever keeps it. Everything is asynchronous, because some stores live across a network.
import type { ErrorCode, FinishReason, IdSource, JsonObject, Usage } from '../core/index.ts';

/** Milliseconds since 1970; a parameter everywhere, so that tests own the time. */
export type Clock = () => number;

export interface NewKey {
  readonly name: string;
  /** Public model names this key may use; absent means all. */
  readonly models?: readonly string[] | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly maxConcurrent?: number | undefined;
  readonly expiresAtMs?: number | undefined;
}

/** One gateway key as it may be shown: never the secret, only its first characters. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** The first characters of the secret, to tell keys apart. */
  readonly prefix: string;
  readonly createdAtMs: number;
  readonly models?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly maxConcurrent?: number;
  readonly expiresAtMs?: number;
  /** At most a minute old. */
  readonly lastUsedAtMs?: number;
  readonly revokedAtMs?: number;
}

/** A record together with the SHA-256 (hex) of its secret, for the one place that checks secrets. */
export interface StoredKey {
  readonly record: KeyRecord;
  readonly secretHash: string;
}

export interface KeyStore {
  /** The secret is returned here and never again. */
  create(key: NewKey): Promise<{ readonly record: KeyRecord; readonly secret: string }>;
  /** All keys, revoked ones included, oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** False when there is no such key or it was revoked before. */
  revoke(id: string): Promise<boolean>;
  /** The key this secret opens; undefined for unknown, revoked and expired ones. */
  findBySecret(secret: string): Promise<KeyRecord | undefined>;
  /** Whatever is stored under this hash, revoked and expired keys included: ask `keyState` before trusting it. */
  findByHash(secretHash: string): Promise<StoredKey | undefined>;
  /** Notes that the key was used now; writes at most once a minute for each key. */
  touch(id: string): Promise<void>;
}

/** One line of the journal: what a turn was and what it cost. Holds no text of the conversation. */
export interface TurnSummary {
  readonly turnId: string;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly front: string;
  /** The name the client asked for. */
  readonly model: string;
  readonly upstream?: string;
  readonly upstreamModel?: string;
  readonly keyId?: string;
  readonly session?: string;
  readonly stream: boolean;
  readonly outcome: 'ok' | 'error' | 'cancelled';
  readonly errorCode?: ErrorCode;
  readonly finishReason?: FinishReason;
  readonly usage?: Usage;
  readonly firstByteMs?: number;
  readonly durationMs?: number;
  readonly attempts: number;
  readonly toolCalls: number;
  readonly passThrough: boolean;
}

export interface JournalStore {
  /** Never waits and never throws: a full disk must not stop a turn. A failure shows in `Store.check`. */
  append(summary: TurnSummary): void;
  /** The newest first; what was appended through this handle is always included. */
  recent(limit: number): Promise<readonly TurnSummary[]>;
  flush(): Promise<void>;
}

export interface DocumentKey {
  /** Whose document it is: a key id, or the empty string without keys. */
  readonly owner: string;
  readonly kind: string;
  readonly id: string;
}

/**
 * Small documents that fronts keep between requests. They go in time, or when all together are larger than the bound;
 * a document counts with its key and a share for what finds it again (`documentBytes`). Then the owner who holds the
 * most gives way, the documents first that were written the longest ago; the others keep theirs.
 * Kinds that guard something (`isGuarding`) go last: no other document displaces them. Only when they alone fill more than
 * half of the room, the owner who holds the most of them loses the oldest, so that nobody crowds the others out with them.
 */
export interface DocumentStore {
  get(key: DocumentKey): Promise<JsonObject | undefined>;
  put(key: DocumentKey, value: JsonObject): Promise<void>;
  delete(key: DocumentKey): Promise<boolean>;
}

export interface Store {
  readonly kind: string;
  readonly keys: KeyStore;
  readonly journal: JournalStore;
  readonly documents: DocumentStore;
  /** Throws when the store cannot be read or written now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface DocumentBounds {
  /** Of all owners together. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

export interface StoreContext {
  readonly clock: Clock;
  readonly newId: IdSource;
  /** How many turns the journal keeps. */
  readonly maxTurns: number;
  readonly documents: DocumentBounds;
}
