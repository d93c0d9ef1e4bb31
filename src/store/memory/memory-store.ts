import { hashKeySecret, keyState, newKeyRecord, newKeySecret, TOUCH_INTERVAL_MS } from '../key-secret.ts';
import type { JournalStore, KeyStore, Store, StoreContext, StoredKey, TurnSummary } from '../ports.ts';
import { createMemoryDocuments } from './memory-documents.ts';

/** Everything in this process; gone when it ends. */
export function createMemoryStore(context: StoreContext): Store {
  return {
    kind: 'memory',
    keys: createMemoryKeys(context),
    journal: createMemoryJournal(context.maxTurns),
    documents: createMemoryDocuments(context.documents, context.clock),
    check: async () => {},
    close: async () => {},
  };
}

function createMemoryKeys(context: StoreContext): KeyStore {
  const byHash = new Map<string, StoredKey>();

  function replace(id: string, change: (key: StoredKey) => StoredKey | undefined): boolean {
    for (const [hash, key] of byHash) {
      if (key.record.id !== id) continue;
      const changed = change(key);
      if (changed) byHash.set(hash, changed);
      return changed !== undefined;
    }
    return false;
  }

  return {
    async create(key) {
      const secret = newKeySecret();
      const record = newKeyRecord(key, secret, context);
      const secretHash = hashKeySecret(secret);
      byHash.set(secretHash, { record, secretHash });
      return { record, secret };
    },
    list: async () => [...byHash.values()].map((key) => key.record),
    async revoke(id) {
      return replace(id, (key) =>
        key.record.revokedAtMs === undefined
          ? { ...key, record: { ...key.record, revokedAtMs: context.clock() } }
          : undefined,
      );
    },
    async findBySecret(secret) {
      const record = byHash.get(hashKeySecret(secret))?.record;
      return record && keyState(record, context.clock()) === 'active' ? record : undefined;
    },
    findByHash: async (secretHash) => byHash.get(secretHash),
    async touch(id) {
      const nowMs = context.clock();
      replace(id, (key) =>
        nowMs - (key.record.lastUsedAtMs ?? Number.NEGATIVE_INFINITY) >= TOUCH_INTERVAL_MS
          ? { ...key, record: { ...key.record, lastUsedAtMs: nowMs } }
          : undefined,
      );
    },
  };
}

function createMemoryJournal(maxTurns: number): JournalStore {
  const turns = new Map<string, TurnSummary>(); // in the order of the last append
  return {
    append(summary) {
      turns.delete(summary.turnId);
      turns.set(summary.turnId, summary);
      if (turns.size <= maxTurns) return;
      for (const oldest of turns.keys()) {
        turns.delete(oldest);
        break;
      }
    },
    recent: async (limit) => (limit > 0 ? [...turns.values()].slice(-limit).reverse() : []),
    flush: async () => {},
  };
}
