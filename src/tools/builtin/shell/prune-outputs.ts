import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Outputs of earlier runs stay readable for a week. */
export async function pruneOutputs(folder: string, nowMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.endsWith('.log')) continue;
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    // By another replica at the same time, perhaps; gone is gone.
    if (found !== undefined && nowMs - found.mtimeMs > KEPT_MS) await rm(file, { force: true });
  }
}
