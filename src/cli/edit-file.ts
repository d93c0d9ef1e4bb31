import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errnoOf } from '../config/index.ts';
import { GatewayError } from '../core/index.ts';

/** Makes the new text from the old one (empty for a file that is not there yet). Throws when the old one is broken. */
export type EditText = (before: string) => string;

export interface PlannedEdit {
  /** The file itself, links followed: many people keep their settings elsewhere and link them. */
  readonly file: string;
  readonly exists: boolean;
  readonly before: string;
  readonly after: string;
  readonly mode: number;
}

/** Reads and edits in memory only. */
export async function planEdit(file: string, edit: EditText): Promise<PlannedEdit> {
  const target = await realpath(file).catch(() => file);
  let before = '';
  let mode = 0o600; // a new file may hold a key
  let exists = true;
  try {
    before = await readFile(target, 'utf8');
    mode = (await stat(target)).mode & 0o777;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') {
      const why = error instanceof Error ? error.message : String(error);
      throw new GatewayError('internal', `${target} cannot be read: ${why}. Nothing was changed.`, {
        cause: error,
      });
    }
    exists = false;
  }
  return { file: target, exists, before, after: edit(before), mode };
}

/** Writes a planned edit: a backup first, then the whole file in one step. Returns the path of the backup. */
export async function applyEdit(plan: PlannedEdit, nowMs: number): Promise<string | undefined> {
  await mkdir(path.dirname(plan.file), { recursive: true });
  let backup: string | undefined;
  if (plan.exists) {
    backup = `${plan.file}.bak-${timestamp(nowMs)}`;
    await copyFile(plan.file, backup);
    await chmod(backup, plan.mode);
  }
  const draft = `${plan.file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, plan.after, { mode: plan.mode, flag: 'wx' });
    await chmod(draft, plan.mode); // the umask may have taken bits away
    await rename(draft, plan.file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return backup;
}

function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
}
