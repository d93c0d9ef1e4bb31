import type { JournalStore, TurnSummary } from '../ports.ts';
import { type Database, inTransaction } from './database.ts';

const FLUSH_INTERVAL_MS = 250;
/** This many waiting turns are written without waiting for the timer. */
const FLUSH_AT = 500;
/** While the disk refuses, the newest turns wait in memory up to this bound. */
const MAX_PENDING = 5_000;

export interface SqliteJournal extends JournalStore {
  /** Why the last write failed; undefined when it went well. */
  readonly lastFailure: unknown;
  /** Writes what is left and stops the timer. */
  stop(): void;
}

export function createSqliteJournal(database: Database, maxTurns: number): SqliteJournal {
  const insert = database.prepare(
    'INSERT OR REPLACE INTO turns (turn_id, started_at_ms, summary) VALUES (?, ?, ?)',
  );
  const prune = database.prepare(
    'DELETE FROM turns WHERE seq <= (SELECT seq FROM turns ORDER BY seq DESC LIMIT 1 OFFSET ?)',
  );
  const selectRecent = database.prepare('SELECT summary FROM turns ORDER BY seq DESC LIMIT ?');
  let pending: TurnSummary[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastFailure: unknown;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return;
    try {
      inTransaction(database, () => {
        for (const turn of pending) insert.run(turn.turnId, turn.startedAtMs, JSON.stringify(turn));
        prune.run(maxTurns);
      });
      pending = [];
      lastFailure = undefined;
    } catch (error) {
      lastFailure = error;
      pending = pending.slice(-MAX_PENDING);
      schedule();
    }
  }

  function schedule(): void {
    timer ??= setTimeout(write, FLUSH_INTERVAL_MS).unref();
  }

  return {
    get lastFailure() {
      return lastFailure;
    },
    append(summary) {
      pending.push(summary);
      if (pending.length >= FLUSH_AT && lastFailure === undefined) write();
      else schedule();
      if (pending.length > MAX_PENDING) pending.shift();
    },
    async recent(limit) {
      write();
      if (limit <= 0) return [];
      const rows = selectRecent.all(limit) as { summary: string }[]; // the table's own shape
      return rows.map((row) => JSON.parse(row.summary) as TurnSummary); // written by write()
    },
    flush: async () => write(),
    stop() {
      write();
      clearTimeout(timer);
    },
  };
}
