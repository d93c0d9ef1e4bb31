import { GatewayError } from '../../core/index.ts';
import { type Database, inTransaction } from './database.ts';

/** Step n brings a file from `user_version` n to n + 1. Steps are only ever added, never changed. */
const STEPS: readonly string[] = [
  `CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     secret_hash TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     prefix TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     models TEXT,
     requests_per_minute INTEGER,
     max_concurrent INTEGER,
     expires_at_ms INTEGER,
     last_used_at_ms INTEGER,
     revoked_at_ms INTEGER
   );
   CREATE TABLE turns (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     turn_id TEXT NOT NULL UNIQUE,
     started_at_ms INTEGER NOT NULL,
     summary TEXT NOT NULL
   );`,
  `CREATE TABLE documents (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     owner TEXT NOT NULL,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     kept_at_ms INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     value TEXT NOT NULL,
     UNIQUE (owner, kind, id)
   );`,
];

/** Two processes may start at once: the version is read again under the write lock. */
export function migrate(database: Database, path: string): void {
  if (readVersion(database) === STEPS.length) return;
  inTransaction(database, () => {
    const version = readVersion(database);
    if (version > STEPS.length) {
      throw new GatewayError(
        'conflict',
        `The database ${path} has format ${version}; this Crosspoint knows formats up to ${STEPS.length}. ` +
          'Upgrade Crosspoint, or move the file away to start afresh.',
      );
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${STEPS.length}`);
  });
}

function readVersion(database: Database): number {
  const [row] = database.prepare('PRAGMA user_version').all() as { user_version: number }[]; // SQLite's own shape
  return row?.user_version ?? 0;
}
