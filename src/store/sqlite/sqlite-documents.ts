import { documentBytes, isGuarding, mustGuardsGiveWay, SWEEP_EVERY } from '../document-rules.ts';
import type { Clock, DocumentBounds, DocumentStore } from '../ports.ts';
import { type Database, inTransaction } from './database.ts';

interface Totals {
  readonly bytes: number;
  readonly guarding: number;
}

/** What each owner holds stands in `document_totals`, which triggers keep true whichever process writes. */
export function createSqliteDocuments(
  database: Database,
  bounds: DocumentBounds,
  clock: Clock,
): DocumentStore {
  const select = database.prepare(
    'SELECT value FROM documents WHERE owner = ? AND kind = ? AND id = ? AND kept_at_ms >= ?',
  );
  const insert = database.prepare(
    `INSERT INTO documents (owner, kind, id, kept_at_ms, bytes, value, is_guarding) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM documents WHERE owner = ? AND kind = ? AND id = ?');
  // From the oldest to the first that may stay: no further, so that it costs nothing when there is nothing to do.
  const removeAged = database.prepare(
    'DELETE FROM documents WHERE seq < (SELECT seq FROM documents WHERE kept_at_ms >= ? ORDER BY seq LIMIT 1)',
  );
  const selectTotals = database.prepare(
    'SELECT total(ordinary_bytes + guarding_bytes) AS bytes, total(guarding_bytes) AS guarding FROM document_totals',
  );
  const removeOrdinary = database.prepare(
    removeOldestOf(
      0,
      `SELECT owner FROM document_totals WHERE ordinary_bytes > 0
       ORDER BY ordinary_bytes + guarding_bytes DESC, owner LIMIT 1`,
    ),
  );
  const removeGuarding = database.prepare(
    removeOldestOf(1, 'SELECT owner FROM document_totals ORDER BY guarding_bytes DESC, owner LIMIT 1'),
  );
  let writes = 0;

  function readTotals(): Totals {
    const [totals] = selectTotals.all() as Totals[]; // as selected
    return totals ?? { bytes: 0, guarding: 0 };
  }

  function makeRoom(): void {
    let totals = readTotals();
    if (totals.bytes > bounds.maxBytes || writes % SWEEP_EVERY === 0) {
      if (removeAged.run(clock() - bounds.maxAgeMs).changes > 0) totals = readTotals();
    }
    while (totals.bytes > bounds.maxBytes) {
      const oldest = mustGuardsGiveWay(totals.guarding, bounds.maxBytes) ? removeGuarding : removeOrdinary;
      if (oldest.run().changes === 0) return;
      totals = readTotals();
    }
  }

  return {
    async get({ owner, kind, id }) {
      const [row] = select.all(owner, kind, id, clock() - bounds.maxAgeMs) as { value: string }[]; // as selected
      return row && JSON.parse(row.value);
    },
    async put(key, value) {
      const text = JSON.stringify(value);
      inTransaction(database, () => {
        insert.run(
          key.owner,
          key.kind,
          key.id,
          clock(),
          documentBytes(key, text),
          text,
          isGuarding(key.kind) ? 1 : 0,
        );
        writes += 1;
        makeRoom();
      });
    },
    async delete({ owner, kind, id }) {
      return remove.run(owner, kind, id).changes > 0;
    },
  };
}

function removeOldestOf(isGuardingColumn: 0 | 1, selectOwner: string): string {
  return `DELETE FROM documents WHERE seq = (
    SELECT seq FROM documents WHERE owner = (${selectOwner}) AND is_guarding = ${isGuardingColumn}
    ORDER BY seq LIMIT 1)`;
}
