import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileStore } from './keyed-store.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'crosspoint-keyed-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps values for the next process, in a file of its owner alone', async () => {
  const file = path.join(folder, 'deep/pins.json');
  const store = fileStore(file);
  await Promise.all([store.set('a', 1), store.set('b', { c: [2] }), store.set('__proto__', 'x')]);
  await store.delete('a');
  const again = fileStore(file);
  expect(await again.get('b')).toEqual({ c: [2] });
  expect(await again.get('a')).toBeUndefined();
  expect(await again.get('toString')).toBeUndefined();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(file))).toEqual(['pins.json']);
});

it('does not start afresh from a damaged file, nor repeat what is in it', async () => {
  const file = path.join(folder, 'tokens.json');
  writeFileSync(file, '{"a": "secret');
  await expect(fileStore(file).get('a')).rejects.toThrow(`${file} is damaged`);
  await expect(fileStore(file).set('a', 1)).rejects.not.toThrow('secret');
});
