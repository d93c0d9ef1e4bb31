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
  // `bytes` was the length of the value alone. REPLACE fires no DELETE triggers of its own accord, so a document that is
  // written again is deleted before: then the totals are right for a process of an older version, too.
  `ALTER TABLE documents ADD COLUMN is_guarding INTEGER NOT NULL DEFAULT 0;
   UPDATE documents SET
     bytes = bytes + length(owner) + length(kind) + length(id) + 200,
     is_guarding = kind IN ('agent-call', 'agent-rounds', 'ended-session');
   CREATE INDEX documents_by_owner ON documents (owner, is_guarding);
   CREATE TABLE document_totals (
     owner TEXT PRIMARY KEY,
     ordinary_bytes INTEGER NOT NULL,
     guarding_bytes INTEGER NOT NULL
   ) WITHOUT ROWID;
   INSERT INTO document_totals
     SELECT owner, sum(bytes * (1 - is_guarding)), sum(bytes * is_guarding) FROM documents GROUP BY owner;
   CREATE TRIGGER documents_replace BEFORE INSERT ON documents BEGIN
     DELETE FROM documents WHERE owner = NEW.owner AND kind = NEW.kind AND id = NEW.id;
   END;
   CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
     INSERT INTO document_totals
       VALUES (NEW.owner, NEW.bytes * (1 - NEW.is_guarding), NEW.bytes * NEW.is_guarding)
       ON CONFLICT (owner) DO UPDATE SET
         ordinary_bytes = ordinary_bytes + excluded.ordinary_bytes,
         guarding_bytes = guarding_bytes + excluded.guarding_bytes;
   END;
   CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
     UPDATE document_totals SET
       ordinary_bytes = ordinary_bytes - OLD.bytes * (1 - OLD.is_guarding),
       guarding_bytes = guarding_bytes - OLD.bytes * OLD.is_guarding
       WHERE owner = OLD.owner;
   END;`,
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
