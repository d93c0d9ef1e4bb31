// What every store does with documents, and which it lets go; one list of cases, run over every store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { documentBytes } from './document-rules.ts';
import { type DocumentKey, type OpenStoreOptions, openStore, type Store } from './index.ts';

const MAX_BYTES = 100_000;
const MAX_AGE_MS = 60_000;

let nowMs = 0;
let folder = '';
let store: Store;

const STORES: readonly { readonly name: string; options(): OpenStoreOptions }[] = [
  { name: 'memory', options: () => ({ kind: 'memory' }) },
  { name: 'sqlite', options: () => ({ kind: 'sqlite', path: join(folder, 'crosspoint.db') }) },
];

function open(options: OpenStoreOptions): Promise<Store> {
  return openStore({
    ...options,
    documents: { maxBytes: MAX_BYTES, maxAgeMs: MAX_AGE_MS },
    clock: () => nowMs,
  });
}

const blob = (owner: string, id: number | string): DocumentKey => ({
  owner,
  kind: 'agent-blob',
  id: String(id),
});
const call = (owner: string, id: number | string): DocumentKey => ({
  owner,
  kind: 'agent-call',
  id: String(id),
});

/** Puts a document that costs exactly so many bytes. */
async function putSized(key: DocumentKey, bytes: number): Promise<void> {
  const empty = documentBytes(key, JSON.stringify({ text: '' }));
  await store.documents.put(key, { text: 'x'.repeat(bytes - empty) });
}

async function idsKept(make: (id: number) => DocumentKey, count: number): Promise<number[]> {
  const kept: number[] = [];
  for (let id = 1; id <= count; id++) if (await store.documents.get(make(id))) kept.push(id);
  return kept;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

beforeEach(() => {
  nowMs = 1_000_000;
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-documents-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(STORES)('the documents of the $name store', ({ options }) => {
  beforeEach(async () => {
    store = await open(options());
  });
  afterEach(() => store.close());

  test('are kept apart by owner and kind, and forgotten on demand', async () => {
    const key = { owner: 'key_1', kind: 'response', id: 'r' };
    const value = { text: 'é 🎈', list: [1, null, { a: true }] };
    await store.documents.put(key, { old: 1 });
    await store.documents.put(key, value);
    value.list.push(2); // what was kept does not change any more
    expect(await store.documents.get(key)).toEqual({ text: 'é 🎈', list: [1, null, { a: true }] });
    expect(await store.documents.get({ ...key, owner: 'key_2' })).toBeUndefined();
    expect(await store.documents.get({ ...key, kind: 'item' })).toBeUndefined();
    expect(await store.documents.delete({ ...key, owner: 'key_2' })).toBe(false);
    expect(await store.documents.delete(key)).toBe(true);
    expect(await store.documents.delete(key)).toBe(false);
    expect(await store.documents.get(key)).toBeUndefined();
  });

  test('go in time', async () => {
    const key = blob('', 1);
    await store.documents.put(key, { a: 1 });
    nowMs += MAX_AGE_MS;
    expect(await store.documents.get(key)).toEqual({ a: 1 });
    nowMs += 1;
    expect(await store.documents.get(key)).toBeUndefined();
  });

  test('past their age make room before any other', async () => {
    await putSized(call('small', 1), 10_000);
    nowMs += MAX_AGE_MS;
    await putSized(blob('large', 1), 90_000);
    nowMs += 1;
    await putSized(blob('large', 2), 10_000);
    expect(await idsKept((id) => blob('large', id), 2)).toEqual([1, 2]);
  });

  test('fill the room to the last byte, and the oldest go first', async () => {
    for (let id = 1; id <= 10; id++) await putSized(blob('', id), 10_000);
    expect(await idsKept((id) => blob('', id), 10)).toEqual(range(1, 10));
    await putSized(blob('', 11), 10_001);
    expect(await idsKept((id) => blob('', id), 11)).toEqual(range(3, 11));
  });

  test('count as new when they are written again, but not when they are read', async () => {
    for (let id = 1; id <= 10; id++) await putSized(blob('', id), 10_000);
    await putSized(blob('', 1), 10_000);
    await store.documents.get(blob('', 2));
    await putSized(blob('', 11), 10_000);
    expect(await idsKept((id) => blob('', id), 11)).toEqual([1, ...range(3, 11)]);
  });

  test('make room when they are deleted or written again smaller', async () => {
    for (let id = 1; id <= 10; id++) await putSized(blob('', id), 10_000);
    await store.documents.delete(blob('', 5));
    await putSized(blob('', 6), 5_000);
    await putSized(blob('', 11), 15_000);
    expect(await idsKept((id) => blob('', id), 11)).toEqual([1, 2, 3, 4, ...range(6, 11)]);
  });

  test('of others stay when one owner floods the store', async () => {
    for (const owner of ['', 'key_1', 'key_2']) {
      for (let id = 1; id <= 2; id++) await putSized(blob(owner, id), 10_000);
    }
    for (let id = 1; id <= 100; id++) await putSized(blob('flood', id), 10_000);
    for (const owner of ['', 'key_1', 'key_2']) {
      expect(await idsKept((id) => blob(owner, id), 2)).toEqual([1, 2]);
    }
    expect(await idsKept((id) => blob('flood', id), 100)).toEqual(range(97, 100));
  });

  test('of the owner who holds the most give way to a new owner', async () => {
    for (let id = 1; id <= 10; id++) await putSized(blob('old', id), 10_000);
    for (let id = 1; id <= 10; id++) await putSized(blob('new', id), 10_000);
    expect(await idsKept((id) => blob('old', id), 10)).toEqual(range(6, 10));
    expect(await idsKept((id) => blob('new', id), 10)).toEqual(range(6, 10));
  });

  test('of the first owner by name go when several hold the same', async () => {
    for (const owner of ['b', 'a']) for (let id = 1; id <= 5; id++) await putSized(blob(owner, id), 10_000);
    await putSized(blob('c', 1), 10_000);
    expect(await idsKept((id) => blob('a', id), 5)).toEqual(range(2, 5));
    expect(await idsKept((id) => blob('b', id), 5)).toEqual(range(1, 5));
  });

  test('that could never fit go themselves, and leave the others alone', async () => {
    await putSized(blob('a', 1), 40_000);
    await putSized(blob('b', 1), 1_000);
    await putSized(blob('b', 2), MAX_BYTES + 1);
    expect(await store.documents.get(blob('a', 1))).toBeDefined();
    expect(await idsKept((id) => blob('b', id), 2)).toEqual([]);
  });

  test('count with their key and a share for the store, so that many tiny ones are bounded', async () => {
    for (let id = 1; id <= 1_000; id++) await store.documents.put(blob('', `${id}`.padStart(40, '0')), {});
    const kept = await idsKept((id) => blob('', `${id}`.padStart(40, '0')), 1_000);
    // 2 bytes of value, 40 of id, 10 of kind and 200 for the store.
    expect(kept).toEqual(range(1_001 - Math.floor(MAX_BYTES / 252), 1_000));
  });

  test.each(['agent-call', 'agent-rounds', 'ended-session'])(
    'of the guarding kind %s outlast any flood of others, whoever floods',
    async (kind) => {
      const guards = (owner: string) => (id: number) => ({ owner, kind, id: String(id) });
      for (let id = 1; id <= 5; id++) {
        await putSized(guards('')(id), 1_000);
        await putSized(guards('flood')(id), 1_000);
      }
      for (let id = 1; id <= 50; id++) await putSized(blob('flood', id), 10_000);
      for (let id = 1; id <= 50; id++) await putSized(blob('another', id), 10_000);
      expect(await idsKept(guards(''), 5)).toEqual(range(1, 5));
      expect(await idsKept(guards('flood'), 5)).toEqual(range(1, 5));
    },
  );

  test('that guard stay when many owners share the room and theirs is the largest part', async () => {
    for (let id = 1; id <= 10; id++)
      await putSized({ owner: '', kind: 'ended-session', id: String(id) }, 1_000);
    for (let id = 1; id <= 100; id++) await putSized(blob(`key_${id}`, 1), 2_000);
    expect(await idsKept((id) => ({ owner: '', kind: 'ended-session', id: String(id) }), 10)).toEqual(
      range(1, 10),
    );
  });

  test('that guard may fill half of the room; then their largest holder loses the oldest', async () => {
    for (let id = 1; id <= 4; id++) await putSized(blob('a', id), 10_000);
    for (let id = 1; id <= 2; id++) await putSized(call('a', id), 5_000);
    for (let id = 1; id <= 40; id++) await putSized(call('flood', id), 5_000);
    expect(await idsKept((id) => blob('a', id), 4)).toEqual(range(1, 4));
    expect(await idsKept((id) => call('a', id), 2)).toEqual([1, 2]);
    expect(await idsKept((id) => call('flood', id), 40)).toEqual(range(31, 40));
  });
});

test('every store keeps the same documents, within the bound, whatever is done', async () => {
  const key = fc.record({
    owner: fc.constantFrom('', 'key_1', 'key_2'),
    kind: fc.constantFrom('agent-blob', 'agent-call', 'ended-session'),
    id: fc.constantFrom('1', '2', '3', '4'),
  });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ put: key, size: fc.integer({ min: 0, max: 30_000 }) }) },
    { weight: 1, arbitrary: fc.record({ delete: key }) },
    { weight: 1, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 30_000 }) }) },
  );
  const everyKey = ['', 'key_1', 'key_2'].flatMap((owner) =>
    ['agent-blob', 'agent-call', 'ended-session'].flatMap((kind) =>
      ['1', '2', '3', '4'].map((id) => ({ owner, kind, id })),
    ),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      run += 1;
      const stores = [
        await open({ kind: 'memory' }),
        await open({ kind: 'sqlite', path: join(folder, `${run}.db`) }),
      ];
      const kept: string[][] = [];
      const startMs = nowMs;
      for (const { documents, close } of stores) {
        nowMs = startMs;
        for (const each of steps) {
          if ('put' in each) await documents.put(each.put, { text: 'x'.repeat(each.size) });
          else if ('delete' in each) await documents.delete(each.delete);
          else nowMs += each.passMs;
        }
        let bytes = 0;
        const names: string[] = [];
        for (const name of everyKey) {
          const value = await documents.get(name);
          if (!value) continue;
          const text = JSON.stringify(value);
          bytes += documentBytes(name, text);
          names.push(`${Object.values(name).join('/')} ${text.length}`);
        }
        expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
        kept.push(names);
        await close();
      }
      expect(kept[0]).toEqual(kept[1]);
    }),
    { numRuns: 30 },
  );
});
