import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countingIds } from '../../core/index.ts';
import { hashKeySecret, type Store, type TurnSummary } from '../index.ts';
import type { StoreContext } from '../ports.ts';
import { openDatabase } from './database.ts';
import { createSqliteJournal } from './sqlite-journal.ts';
import { openSqliteStore } from './sqlite-store.ts';

let folder = '';
let path = '';
const opened: Store[] = [];
const context: StoreContext = {
  clock: () => 5_000,
  newId: countingIds(),
  maxTurns: 100,
  documents: { maxBytes: 1_000_000, maxAgeMs: 1_000_000 },
};

async function open(): Promise<Store> {
  const store = await openSqliteStore(path, context);
  opened.push(store);
  return store;
}

function turn(turnId: string): TurnSummary {
  return {
    turnId,
    startedAtMs: 1,
    front: 'f',
    model: 'm',
    stream: false,
    outcome: 'ok',
    attempts: 1,
    toolCalls: 0,
    passThrough: false,
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-sqlite-'));
  path = join(folder, 'home', 'crosspoint.db');
});
afterEach(async () => {
  vi.useRealTimers();
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the sqlite file', () => {
  test('is readable by its owner only, as are its folder and side files', async () => {
    const store = await open();
    await store.keys.create({ name: 'a' });
    expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
  });

  test('never holds a secret, only its hash', async () => {
    const store = await open();
    const { secret } = await store.keys.create({ name: 'a' });
    await store.close();
    const bytes = readFileSync(path, 'latin1');
    expect(bytes).toContain(hashKeySecret(secret));
    expect(bytes).not.toContain(secret);
  });

  test('keeps keys and turns across a restart', async () => {
    const first = await open();
    const { secret } = await first.keys.create({ name: 'a' });
    first.journal.append(turn('t1'));
    await first.close();
    const second = await open();
    expect(await second.keys.findBySecret(secret)).toMatchObject({ name: 'a' });
    expect(await second.journal.recent(5)).toEqual([turn('t1')]);
  });

  test('shows the keys, revocations and turns of one handle to another at once', async () => {
    const [a, b] = [await open(), await open()];
    const { record, secret } = await a.keys.create({ name: 'shared' });
    expect(await b.keys.findBySecret(secret)).toEqual(record);
    expect(await b.keys.revoke(record.id)).toBe(true);
    expect(await a.keys.findBySecret(secret)).toBeUndefined();
    a.journal.append(turn('from-a'));
    b.journal.append(turn('from-b'));
    await a.journal.flush();
    expect((await b.journal.recent(5)).map((line) => line.turnId)).toEqual(['from-b', 'from-a']);
  });

  test('sees a key revoked by another process', async () => {
    const store = await open();
    const { record, secret } = await store.keys.create({ name: 'a' });
    const script = `
      const Database = require(${JSON.stringify(fileURLToPath(import.meta.resolve('libsql')))});
      const db = new Database(process.argv[1]);
      db.prepare('UPDATE keys SET revoked_at_ms = 1 WHERE id = ?').run(process.argv[2]);
      db.close();`;
    const child = spawn(process.execPath, ['-e', script, path, record.id], { stdio: 'inherit' });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await store.keys.findBySecret(secret)).toBeUndefined();
  });

  test('opened by many at once is migrated once', async () => {
    const stores = await Promise.all([open(), open(), open(), open()]);
    for (const store of stores) await store.keys.create({ name: 'x' });
    expect(await stores[0]?.keys.list()).toHaveLength(4);
  });

  test('of a newer version is refused with the remedy', async () => {
    const database = await openDatabase(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await expect(open()).rejects.toThrow(/format 99.*Upgrade Crosspoint/);
  });

  test('that is no database is refused with its name and the remedy', async () => {
    path = join(folder, 'notes.txt');
    writeFileSync(path, 'these are my notes, and there are enough of them to fill a header '.repeat(20));
    await expect(open()).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining(path) });
  });

  test('without the libsql package says what to install', async () => {
    const missing = () => Promise.reject(new Error("Cannot find package 'libsql'"));
    await expect(openSqliteStore(path, context, missing)).rejects.toThrow(/npm install libsql.*kind: memory/);
  });
});

describe('the sqlite journal', () => {
  test('writes appended turns within 250 ms, in one go', async () => {
    const database = await openDatabase(path);
    const other = await open();
    vi.useFakeTimers();
    const journal = createSqliteJournal(database, 100);
    journal.append(turn('t1'));
    journal.append(turn('t2'));
    expect(await other.journal.recent(5)).toEqual([]);
    vi.advanceTimersByTime(250);
    expect(await other.journal.recent(5)).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
    database.close();
  });

  test('keeps turns while the file refuses them, reports the failure and writes them later', async () => {
    const database = await openDatabase(path);
    vi.useFakeTimers();
    let refuses = true;
    const flaky = {
      ...database,
      prepare: (sql: string) => database.prepare(sql),
      close: () => database.close(),
      exec(sql: string) {
        if (refuses && sql.startsWith('BEGIN')) throw new Error('database or disk is full');
        return database.exec(sql);
      },
    };
    const journal = createSqliteJournal(flaky, 100);
    journal.append(turn('t1'));
    vi.advanceTimersByTime(250);
    expect(journal.lastFailure).toMatchObject({ message: 'database or disk is full' });
    refuses = false;
    vi.advanceTimersByTime(250);
    expect(journal.lastFailure).toBeUndefined();
    expect(await journal.recent(5)).toEqual([turn('t1')]);
    database.close();
  });

  test('a closed store says so when checked', async () => {
    const store = await open();
    await store.close();
    await expect(store.check()).rejects.toThrow(/is closed/);
  });
});
