// SQLite by way of libsql's synchronous API (better-sqlite3's shape). libsql is optional: loaded only when asked for.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { GatewayError } from '../../core/index.ts';
import { migrate } from './migrations.ts';

/** The few calls we use, so that another driver of the same shape can stand in. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number };
  all(...values: readonly SqlValue[]): unknown[];
}

/** A lone null is never bound: libsql takes a single object argument, null included, for named parameters. */
export type SqlValue = string | number | null;

type OpenDatabase = new (path: string) => Database;

export type LoadDriver = () => Promise<unknown>;

const loadLibsql: LoadDriver = () => import('libsql');

const BUSY_TIMEOUT_MS = 5_000;

export async function openDatabase(path: string, loadDriver: LoadDriver = loadLibsql): Promise<Database> {
  const Driver = await resolveDriver(loadDriver);
  try {
    createPrivateFile(path);
    const database = new Driver(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      database.exec('PRAGMA journal_mode = WAL');
      // With WAL this loses at most the last moments after a power cut, and never the database.
      database.exec('PRAGMA synchronous = NORMAL');
      migrate(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new GatewayError(
      'internal',
      `The database ${path} cannot be opened (${reason}). Check that the folder can be written and that the file ` +
        'is a Crosspoint database, or set "store: { kind: memory }".',
      { cause: error },
    );
  }
}

async function resolveDriver(loadDriver: LoadDriver): Promise<OpenDatabase> {
  try {
    const module = (await loadDriver()) as { readonly default: OpenDatabase }; // libsql is CommonJS: its class is the default
    return module.default;
  } catch (error) {
    throw new GatewayError(
      'unimplemented',
      'The SQLite store needs the optional package "libsql", which is not installed or has no build for this ' +
        'platform. Run "npm install libsql", or set "store: { kind: memory }".',
      { cause: error },
    );
  }
}

/** The file exists with mode 0600 before SQLite sees it; its -wal and -shm files then inherit the mode. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** Runs the work in one write transaction. IMMEDIATE takes the lock at once, so that a busy file waits, not fails. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, e.g. on a full disk; the first error is the one to report.
    }
    throw error;
  }
}
