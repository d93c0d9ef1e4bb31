import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pruneOutputs } from './prune-outputs.ts';

it('removes outputs older than a week and nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'crosspoint-prune-'));
  const day = 24 * 3600;
  for (const [name, days] of [
    ['old.log', 8],
    ['new.log', 6],
    ['old.txt', 8],
  ] as const) {
    writeFileSync(path.join(folder, name), '');
    utimesSync(path.join(folder, name), 100 * day - days * day, 100 * day - days * day);
  }
  await pruneOutputs(folder, 100 * day * 1000);
  expect(readdirSync(folder).sort()).toEqual(['new.log', 'old.txt']);
  rmSync(folder, { recursive: true });
  await pruneOutputs(folder, 0);
});
