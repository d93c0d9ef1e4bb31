import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodeIndex, INDEX_VERSION, type StoredIndex } from './code-index.ts';

/** A larger index is made anew by the next process; it would cost more to keep than to make. */
const MAX_STORED_BYTES = 64_000_000;

export function indexFileOf(stateFolder: string, workspaceRoot: string): string {
  const key = createHash('sha256').update(workspaceRoot).digest('hex').slice(0, 24);
  return path.join(stateFolder, 'code-index', `${key}.json`);
}

/** An absent, damaged or older file gives an empty index. */
export async function loadIndex(file: string): Promise<CodeIndex> {
  try {
    if ((await stat(file)).size > MAX_STORED_BYTES) return new CodeIndex();
    // Only the version is looked at before use; anything else that does not fit throws and counts as damaged.
    const stored = JSON.parse(await readFile(file, 'utf8')) as StoredIndex;
    return stored.version === INDEX_VERSION ? new CodeIndex(stored) : new CodeIndex();
  } catch {
    return new CodeIndex();
  }
}

/** Written beside and moved into place, so that a reader never meets half of it. */
export async function saveIndex(file: string, index: CodeIndex): Promise<void> {
  const text = JSON.stringify(index.toStored());
  if (text.length > MAX_STORED_BYTES) return void (await rm(file, { force: true }));
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.tmp`;
  const handle = await open(beside, 'w', 0o600);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  await rename(beside, file);
}
