import { omitUndefined } from '../../core/index.ts';
import { hashKeySecret, keyState, newKeyRecord, newKeySecret, TOUCH_INTERVAL_MS } from '../key-secret.ts';
import type { KeyRecord, KeyStore, StoreContext, StoredKey } from '../ports.ts';
import type { Database } from './database.ts';

interface KeyRow {
  readonly id: string;
  readonly secret_hash: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at_ms: number;
  readonly models: string | null;
  readonly requests_per_minute: number | null;
  readonly max_concurrent: number | null;
  readonly expires_at_ms: number | null;
  readonly last_used_at_ms: number | null;
  readonly revoked_at_ms: number | null;
}

/** No cache: a look-up costs microseconds, and a key revoked by another process stops working at once. */
export function createSqliteKeys(database: Database, context: StoreContext): KeyStore {
  const insert = database.prepare(
    `INSERT INTO keys (id, secret_hash, name, prefix, created_at_ms, models, requests_per_minute, max_concurrent,
       expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectAll = database.prepare('SELECT * FROM keys ORDER BY created_at_ms, rowid');
  const selectByHash = database.prepare('SELECT * FROM keys WHERE secret_hash = ?');
  const setRevoked = database.prepare(
    'UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL',
  );
  const setUsed = database.prepare(
    'UPDATE keys SET last_used_at_ms = ? WHERE id = ? AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?)',
  );
  const lastTouches = new Map<string, number>();

  function findByHash(secretHash: string): StoredKey | undefined {
    const [row] = selectByHash.all(secretHash) as KeyRow[]; // the table's own shape
    return row && { record: toRecord(row), secretHash: row.secret_hash };
  }

  return {
    async create(key) {
      const secret = newKeySecret();
      const record = newKeyRecord(key, secret, context);
      insert.run(
        record.id,
        hashKeySecret(secret),
        record.name,
        record.prefix,
        record.createdAtMs,
        record.models === undefined ? null : JSON.stringify(record.models),
        record.requestsPerMinute ?? null,
        record.maxConcurrent ?? null,
        record.expiresAtMs ?? null,
      );
      return { record, secret };
    },
    list: async () => (selectAll.all() as KeyRow[]).map(toRecord), // the table's own shape
    revoke: async (id) => setRevoked.run(context.clock(), id).changes > 0,
    async findBySecret(secret) {
      const record = findByHash(hashKeySecret(secret))?.record;
      return record && keyState(record, context.clock()) === 'active' ? record : undefined;
    },
    findByHash: async (secretHash) => findByHash(secretHash),
    async touch(id) {
      const nowMs = context.clock();
      const last = lastTouches.get(id);
      if (last !== undefined && nowMs - last < TOUCH_INTERVAL_MS) return;
      lastTouches.set(id, nowMs);
      setUsed.run(nowMs, id, nowMs - TOUCH_INTERVAL_MS);
    },
  };
}

function toRecord(row: KeyRow): KeyRecord {
  return omitUndefined({
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdAtMs: row.created_at_ms,
    models: row.models === null ? undefined : (JSON.parse(row.models) as string[]), // written by create()
    requestsPerMinute: row.requests_per_minute ?? undefined,
    maxConcurrent: row.max_concurrent ?? undefined,
    expiresAtMs: row.expires_at_ms ?? undefined,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  });
}
