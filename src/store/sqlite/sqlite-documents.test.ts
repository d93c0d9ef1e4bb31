import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore, type Store } from '../index.ts';
import { type Database, openDatabase } from './database.ts';
import { createSqliteDocuments } from './sqlite-documents.ts';

const MAX_BYTES = 10_000;

let folder = '';
let path = '';
const opened: { close(): unknown }[] = [];

/** As a Crosspoint of format 2 left it. */
const FORMAT_2 = `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, prefix TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, models TEXT, requests_per_minute INTEGER, max_concurrent INTEGER,
    expires_at_ms INTEGER, last_used_at_ms INTEGER, revoked_at_ms INTEGER);
  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT NOT NULL UNIQUE, started_at_ms INTEGER NOT NULL,
    summary TEXT NOT NULL);
  CREATE TABLE documents (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    kept_at_ms INTEGER NOT NULL, bytes INTEGER NOT NULL, value TEXT NOT NULL, UNIQUE (owner, kind, id));
  PRAGMA user_version = 2;`;

/** How a process of format 2 writes; it may still run when another migrates the file. */
const WRITE_2 =
  'INSERT OR REPLACE INTO documents (owner, kind, id, kept_at_ms, bytes, value) VALUES (?, ?, ?, ?, ?, ?)';

function write2(
  database: Database,
  [owner, kind, id]: [string, string, string],
  text = 'x'.repeat(200),
): void {
  const value = JSON.stringify({ text });
  database.prepare(WRITE_2).run(owner, kind, id, 1_000, value.length, value);
}

async function open(): Promise<Store> {
  const store = await openStore({
    kind: 'sqlite',
    path,
    documents: { maxBytes: MAX_BYTES, maxAgeMs: 1_000 },
    clock: () => 1_000,
  });
  opened.push(store);
  return store;
}

/** Opens the file as it is, without any migration. */
async function openRaw(): Promise<Database> {
  const { default: Driver } = await import('libsql');
  const database = new Driver(path) as unknown as Database; // the driver that openDatabase takes, too
  opened.push(database);
  return database;
}

function totals(database: Database): unknown[] {
  return database
    .prepare('SELECT * FROM document_totals WHERE ordinary_bytes + guarding_bytes <> 0 ORDER BY owner')
    .all();
}

function recount(database: Database): unknown[] {
  return database
    .prepare(
      `SELECT owner, sum(iif(is_guarding, 0, bytes)) AS ordinary_bytes, sum(iif(is_guarding, bytes, 0)) AS guarding_bytes
       FROM documents GROUP BY owner ORDER BY owner`,
    )
    .all();
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-sqlite-documents-'));
  path = join(folder, 'crosspoint.db');
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

test('an old file is migrated: its documents stay, in their order, and count with their keys', async () => {
  const old = await openRaw();
  old.exec(FORMAT_2);
  write2(old, ['', 'ended-session', 's']);
  for (let id = 1; id <= 30; id++) write2(old, ['a', 'agent-blob', String(id)]);
  write2(old, ['b', 'agent-call', 'c']);

  const store = await open();
  expect(await store.documents.get({ owner: 'a', kind: 'agent-blob', id: '1' })).toEqual({
    text: 'x'.repeat(200),
  });
  expect(totals(old)).toEqual([
    { owner: '', ordinary_bytes: 0, guarding_bytes: 211 + 14 + 200 },
    { owner: 'a', ordinary_bytes: 30 * (211 + 1 + 10 + 200) + 9 + 21 * 2, guarding_bytes: 0 },
    { owner: 'b', ordinary_bytes: 0, guarding_bytes: 211 + 12 + 200 },
  ]);

  // Its room was counted by values alone; the next write brings it under the bound.
  await store.documents.put({ owner: 'b', kind: 'agent-blob', id: 'new' }, { a: 1 });
  const left = old.prepare('SELECT owner, id FROM documents ORDER BY seq').all() as { id: string }[]; // as selected
  expect(left.map(({ id }) => id)).toEqual([
    's',
    ...Array.from({ length: 21 }, (_, index) => String(index + 10)),
    'c',
    'new',
  ]);
});

test('totals stay true when a process of an older version writes beside a newer one', async () => {
  const old = await openRaw();
  old.exec(FORMAT_2);
  write2(old, ['a', 'agent-blob', '1']);
  const store = await open();
  for (let round = 1; round <= 3; round++) write2(old, ['a', 'agent-blob', '1'], 'y'.repeat(round));
  await store.documents.put({ owner: 'a', kind: 'agent-blob', id: '1' }, { now: true });
  await store.documents.put({ owner: 'a', kind: 'agent-rounds', id: '1' }, { now: true });
  await store.documents.delete({ owner: 'a', kind: 'agent-blob', id: '2' });
  expect(totals(old)).toEqual(recount(old));
  expect(totals(old)).toMatchObject([{ owner: 'a', guarding_bytes: 12 + 14 + 200 }]);
});

test('what each owner holds is known after a restart and to every process', async () => {
  const text = 'x'.repeat(1_000);
  const first = await open();
  for (let id = 1; id <= 4; id++)
    await first.documents.put({ owner: 'a', kind: 'k', id: String(id) }, { text });
  await first.close();

  const [second, third] = [await open(), await open()];
  for (let id = 1; id <= 20; id++) {
    const store = id % 2 === 0 ? second : third;
    await store.documents.put({ owner: 'b', kind: 'k', id: String(id) }, { text });
  }
  const kept = async (owner: string, id: number) =>
    (await second.documents.get({ owner, kind: 'k', id: String(id) })) !== undefined;
  expect(await Promise.all([1, 2, 3, 4].map((id) => kept('a', id)))).toEqual([true, true, true, true]);
  expect(await Promise.all([16, 17, 18, 19, 20].map((id) => kept('b', id)))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});

test('no statement walks over the documents, however many there are', async () => {
  const database = await openDatabase(path);
  opened.push(database);
  const statements: string[] = [];
  const watched: Database = {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      statements.push(sql);
      return database.prepare(sql);
    },
  };
  createSqliteDocuments(watched, { maxBytes: MAX_BYTES, maxAgeMs: 1_000 }, () => 1_000);
  const walks = statements.filter((sql) => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`).all();
    return (plan as { detail: string }[]).some(({ detail }) => /^SCAN documents\b/.test(detail)); // SQLite's own shape
  });
  expect(statements.length).toBeGreaterThan(5);
  // The one that looks for age stops at the first document that is young enough.
  expect(walks).toEqual([expect.stringMatching(/kept_at_ms >= \? ORDER BY seq LIMIT 1\)$/)]);
});
