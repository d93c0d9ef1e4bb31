import path from 'node:path';
import type { Touch } from '../tool.ts';

/** Why a call may not write where it would, in words for the model; undefined when it may. No folders: anywhere. */
export function findFolderRefusal(
  tool: string,
  touches: readonly Touch[],
  writableFolders: readonly string[],
): string | undefined {
  if (writableFolders.length === 0) return undefined;
  for (const touch of touches) {
    // A command may write anywhere, and nothing here could tell.
    if (touch.type === 'command')
      return `${tool} would run a command, and this task may only write to ${list(writableFolders)}.`;
    if (touch.type !== 'path' || touch.access === 'read') continue;
    if (!writableFolders.some((folder) => isWithin(folder, touch.path))) {
      return `${tool} would ${touch.access} ${touch.path}, and this task may only write to ${list(writableFolders)}.`;
    }
  }
  return undefined;
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative.startsWith('..') || path.isAbsolute(relative));
}

function list(folders: readonly string[]): string {
  return folders.join(', ');
}
