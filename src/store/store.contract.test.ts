// One list of cases, run over every store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countingIds } from '../core/index.ts';
import {
  hashKeySecret,
  keyState,
  type OpenStoreOptions,
  openStore,
  type Store,
  type TurnSummary,
} from './index.ts';

let nowMs = 0;
let folder = '';
let store: Store;

const STORES: readonly { readonly name: string; options(): OpenStoreOptions }[] = [
  { name: 'memory', options: () => ({ kind: 'memory' }) },
  { name: 'sqlite', options: () => ({ kind: 'sqlite', path: join(folder, 'state', 'crosspoint.db') }) },
];

function turn(turnId: string, more: Partial<TurnSummary> = {}): TurnSummary {
  return {
    turnId,
    startedAtMs: nowMs,
    front: 'openai-chat',
    model: 'fast',
    stream: false,
    outcome: 'ok',
    attempts: 1,
    toolCalls: 0,
    passThrough: true,
    ...more,
  };
}

describe.each(STORES)('the $name store', ({ options }) => {
  beforeEach(async () => {
    nowMs = 1_000_000;
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-store-'));
    store = await openStore({
      ...options(),
      maxTurns: 5,
      clock: () => nowMs,
      newId: countingIds(),
    });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('creates a key whose secret has the documented form and is never listed', async () => {
    const { record, secret } = await store.keys.create({
      name: ' ci ',
      models: ['fast'],
      requestsPerMinute: 5,
    });
    expect(secret).toMatch(/^xp_[0-9A-Za-z]{40}$/);
    expect(record).toEqual({
      id: 'key_1',
      name: 'ci',
      prefix: secret.slice(0, 9),
      createdAtMs: 1_000_000,
      models: ['fast'],
      requestsPerMinute: 5,
    });
    const listed = await store.keys.list();
    expect(listed).toEqual([record]);
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(JSON.stringify(listed)).not.toContain(hashKeySecret(secret));
  });

  test('finds a key by its secret and by its hash, and nothing by another', async () => {
    const { record, secret } = await store.keys.create({ name: 'a', maxConcurrent: 2 });
    expect(await store.keys.findBySecret(secret)).toEqual(record);
    expect(await store.keys.findByHash(hashKeySecret(secret))).toEqual({
      record,
      secretHash: hashKeySecret(secret),
    });
    expect(await store.keys.findBySecret(`${secret}x`)).toBeUndefined();
    expect(await store.keys.findByHash('')).toBeUndefined();
  });

  test('lists keys oldest first', async () => {
    for (const name of ['a', 'b', 'c']) {
      nowMs += 1;
      await store.keys.create({ name });
    }
    expect((await store.keys.list()).map((key) => key.name)).toEqual(['a', 'b', 'c']);
  });

  test('revokes a key once, keeps it in the list and no longer finds it', async () => {
    const { record, secret } = await store.keys.create({ name: 'a' });
    nowMs += 5;
    expect(await store.keys.revoke(record.id)).toBe(true);
    expect(await store.keys.revoke(record.id)).toBe(false);
    expect(await store.keys.revoke('key_unknown')).toBe(false);
    expect(await store.keys.findBySecret(secret)).toBeUndefined();
    expect((await store.keys.list())[0]?.revokedAtMs).toBe(1_000_005);
    const stored = await store.keys.findByHash(hashKeySecret(secret));
    expect(stored && keyState(stored.record, nowMs)).toBe('revoked');
  });

  test('no longer finds a key from the millisecond it expires', async () => {
    const { secret } = await store.keys.create({ name: 'a', expiresAtMs: nowMs + 10 });
    nowMs += 9;
    expect(await store.keys.findBySecret(secret)).toBeDefined();
    nowMs += 1;
    expect(await store.keys.findBySecret(secret)).toBeUndefined();
  });

  test.each([
    [{ name: '  ' }, 'name'],
    [{ name: 'a', requestsPerMinute: 0 }, 'requestsPerMinute'],
    [{ name: 'a', maxConcurrent: 1.5 }, 'maxConcurrent'],
    [{ name: 'a', expiresAtMs: 5 }, 'expiresAtMs'],
  ])('refuses the new key %j and names the field', async (key, field) => {
    await expect(store.keys.create(key)).rejects.toMatchObject({
      code: 'invalid-request',
      detail: { param: field },
    });
    expect(await store.keys.list()).toEqual([]);
  });

  test('notes the last use at most once a minute', async () => {
    const { record } = await store.keys.create({ name: 'a' });
    await store.keys.touch(record.id);
    nowMs += 59_999;
    await store.keys.touch(record.id);
    expect((await store.keys.list())[0]?.lastUsedAtMs).toBe(1_000_000);
    nowMs += 1;
    await store.keys.touch(record.id);
    expect((await store.keys.list())[0]?.lastUsedAtMs).toBe(1_060_000);
    await store.keys.touch('key_unknown');
  });

  test('gives back journal lines whole, the newest first', async () => {
    const full = turn('t2', {
      outcome: 'error',
      errorCode: 'upstream-malformed',
      session: 'späti "x"',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, estimated: true },
    });
    store.journal.append(turn('t1'));
    store.journal.append(full);
    expect(await store.journal.recent(10)).toEqual([full, turn('t1')]);
    expect(await store.journal.recent(1)).toEqual([full]);
    expect(await store.journal.recent(0)).toEqual([]);
  });

  test('keeps a bounded journal and drops the oldest', async () => {
    for (let index = 1; index <= 8; index++) store.journal.append(turn(`t${index}`));
    await store.journal.flush();
    store.journal.append(turn('t9'));
    expect((await store.journal.recent(100)).map((line) => line.turnId)).toEqual([
      't9',
      't8',
      't7',
      't6',
      't5',
    ]);
  });

  test('replaces a line of the same turn and counts it as the newest', async () => {
    store.journal.append(turn('t1'));
    store.journal.append(turn('t2'));
    store.journal.append(turn('t1', { outcome: 'cancelled' }));
    expect((await store.journal.recent(9)).map((line) => [line.turnId, line.outcome])).toEqual([
      ['t1', 'cancelled'],
      ['t2', 'ok'],
    ]);
  });

  test('checks well while open and closes twice without complaint', async () => {
    await expect(store.check()).resolves.toBeUndefined();
    await store.close();
    await store.close();
  });
});

test('a sqlite store without a path says what to set', async () => {
  await expect(openStore({ kind: 'sqlite' })).rejects.toThrow(/store\.path/);
});
