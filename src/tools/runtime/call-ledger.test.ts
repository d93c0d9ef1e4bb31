import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { succeed } from '../tool-outcome.ts';
import { createFolderLedger } from './call-ledger.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crosspoint-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps what became of a call, for the user alone', async () => {
  const record = { fingerprint: 'f', outcome: succeed('done') };
  await createFolderLedger(folder).write('../call', record);
  expect(await createFolderLedger(folder).read('../call')).toEqual(record);
  const [name = ''] = readdirSync(folder);
  expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  expect(await createFolderLedger(folder).read('other')).toBeUndefined();
});

it('takes a damaged record for a call whose end is not known', async () => {
  const ledger = createFolderLedger(folder);
  await ledger.write('call', { fingerprint: 'f' });
  const [name = ''] = readdirSync(folder);
  writeFileSync(path.join(folder, name), '{');
  expect(await ledger.read('call')).toEqual({ fingerprint: '' });
});

it('forgets calls that nobody repeats any more', async () => {
  await createFolderLedger(folder).write('old', { fingerprint: 'f' });
  const [name = ''] = readdirSync(folder);
  utimesSync(path.join(folder, name), 1, 1);
  const ledger = createFolderLedger(folder, { keepMs: 1_000, nowMs: () => 1_000_000 });
  await ledger.write('new', { fingerprint: 'g' });
  await expect.poll(() => ledger.read('old')).toBeUndefined();
  expect(await ledger.read('new')).toEqual({ fingerprint: 'g' });
});
