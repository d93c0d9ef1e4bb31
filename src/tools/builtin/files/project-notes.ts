import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../tool-context.ts';
import { errnoOf } from './file-fault.ts';

/** The project's notes live in the state folder, one file per workspace, apart from the code they are about. */
export function projectNotesPath(context: ToolContext): string {
  const key = createHash('sha256').update(context.workspace.root).digest('hex').slice(0, 16);
  return path.join(context.stateFolder, 'projects', `${key}.md`);
}

export async function readProjectNotes(context: ToolContext): Promise<string> {
  try {
    return await readFile(projectNotesPath(context), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

export async function writeProjectNotes(context: ToolContext, text: string): Promise<void> {
  const file = projectNotesPath(context);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, file);
}
