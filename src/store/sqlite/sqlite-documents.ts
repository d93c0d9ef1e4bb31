import type { Clock, DocumentBounds, DocumentStore } from '../ports.ts';
import type { Database } from './database.ts';

/** Looking for what must go costs a scan of the sizes; once in so many writes is enough for a soft bound. */
const PRUNE_EVERY = 64;

export function createSqliteDocuments(
  database: Database,
  bounds: DocumentBounds,
  clock: Clock,
): DocumentStore {
  const select = database.prepare(
    'SELECT value FROM documents WHERE owner = ? AND kind = ? AND id = ? AND kept_at_ms >= ?',
  );
  const insert = database.prepare(
    'INSERT OR REPLACE INTO documents (owner, kind, id, kept_at_ms, bytes, value) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM documents WHERE owner = ? AND kind = ? AND id = ?');
  const removeOld = database.prepare('DELETE FROM documents WHERE kept_at_ms < ?');
  // Everything older than the newest documents that fit.
  const removeSurplus = database.prepare(
    `DELETE FROM documents WHERE seq <= (
       SELECT seq FROM (SELECT seq, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM documents)
       WHERE total > ? ORDER BY seq DESC LIMIT 1)`,
  );
  let writes = 0;

  return {
    async get({ owner, kind, id }) {
      const [row] = select.all(owner, kind, id, clock() - bounds.maxAgeMs) as { value: string }[]; // as selected
      return row && JSON.parse(row.value);
    },
    async put({ owner, kind, id }, value) {
      const text = JSON.stringify(value);
      insert.run(owner, kind, id, clock(), text.length, text);
      writes += 1;
      if (writes % PRUNE_EVERY !== 0) return;
      removeOld.run(clock() - bounds.maxAgeMs);
      removeSurplus.run(bounds.maxBytes);
    },
    async delete({ owner, kind, id }) {
      return remove.run(owner, kind, id).changes > 0;
    },
  };
}
