import { GatewayError, type IdSource, randomId } from '../core/index.ts';
import { createMemoryStore } from './memory/memory-store.ts';
import type { Clock, DocumentBounds, Store, StoreContext } from './ports.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';

export { hashKeySecret, type KeyState, keyState } from './key-secret.ts';
export type {
  Clock,
  DocumentBounds,
  DocumentKey,
  DocumentStore,
  JournalStore,
  KeyRecord,
  KeyStore,
  NewKey,
  Store,
  StoredKey,
  TurnSummary,
} from './ports.ts';

export interface OpenStoreOptions {
  readonly kind: 'memory' | 'sqlite';
  /** The database file; `sqlite` needs it. */
  readonly path?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly documents?: Partial<DocumentBounds> | undefined;
  readonly clock?: Clock;
  readonly newId?: IdSource;
}

const DEFAULT_MAX_TURNS = { memory: 1_000, sqlite: 20_000 };
const MEBIBYTE = 1024 * 1024;
const DEFAULT_DOCUMENT_BYTES = { memory: 64 * MEBIBYTE, sqlite: 512 * MEBIBYTE };
/** As long as OpenAI keeps a response. */
const DOCUMENT_AGE_MS = 30 * 24 * 60 * 60 * 1000;

export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const context: StoreContext = {
    clock: options.clock ?? Date.now,
    newId: options.newId ?? randomId,
    maxTurns: options.maxTurns ?? DEFAULT_MAX_TURNS[options.kind],
    documents: {
      maxBytes: options.documents?.maxBytes ?? DEFAULT_DOCUMENT_BYTES[options.kind],
      maxAgeMs: options.documents?.maxAgeMs ?? DOCUMENT_AGE_MS,
    },
  };
  switch (options.kind) {
    case 'memory':
      return createMemoryStore(context);
    case 'sqlite':
      if (options.path === undefined) {
        throw new GatewayError(
          'invalid-request',
          'The sqlite store needs a path: set store.path to a file name.',
        );
      }
      return openSqliteStore(options.path, context);
    default:
      throw new GatewayError(
        'invalid-request',
        `store.kind is "${String(options.kind satisfies never)}"; it must be memory or sqlite.`,
      );
  }
}
