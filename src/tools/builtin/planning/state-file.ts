import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../tool-context.ts';

/** Writes whole or not at all, readable by this user alone; `folder` is a name below the runtime's own folder. */
export async function writeStateFile(
  context: ToolContext,
  folder: string,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  const file = path.join(context.stateFolder, folder, name);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return file;
}

/** A name for files from words of a stranger: letters, digits and dashes of any language, never a path. */
export function fileSlug(words: string): string {
  const slug = words
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
  return Array.from(slug).slice(0, 40).join('').replace(/^-|-$/g, '') || 'untitled';
}

/** Stands for a workspace in names of files that are kept per workspace. */
export function workspaceKey(context: ToolContext): string {
  return createHash('sha256').update(context.workspace.root).digest('hex').slice(0, 16);
}
