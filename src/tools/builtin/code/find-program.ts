import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../tool-context.ts';

/** Programs of the project or the machine are run only where a call may run commands at all. */
export function mayRunPrograms(context: Pick<ToolContext, 'mode'>): boolean {
  return context.mode === 'agent' || context.mode === 'debug';
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** In `node_modules/.bin` and the virtual environments of the workspace. */
export async function findProjectProgram(name: string, root: string): Promise<string | undefined> {
  for (const folder of ['node_modules/.bin', '.venv/bin', 'venv/bin']) {
    const file = path.join(root, folder, name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

/** On the PATH that processes get; its relative entries, and those inside the workspace, are never looked at. */
export async function findProgramOnPath(name: string, context: ToolContext): Promise<string | undefined> {
  for (const folder of (context.env.PATH ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder) || context.workspace.contains(folder)) continue;
    const file = path.join(folder, name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

/** A run as one would type it, for whoever permits it. */
export function shellText(command: string, args: readonly string[]): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
