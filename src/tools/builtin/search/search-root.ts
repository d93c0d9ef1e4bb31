import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { PolicyTool } from '../../policy/rule.ts';
import type { Touch } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';
import { ForbiddenFiles } from './forbidden-files.ts';

/** A place to search in, with every link already followed. */
export interface SearchRoot {
  readonly ok: true;
  /** The real path. */
  readonly path: string;
  /** The workspace's real root, where processes run and what results are relative to. */
  readonly workspaceRoot: string;
  /** As ripgrep should get it, so that its results come out relative to the workspace where they can. */
  readonly argument: string;
  readonly isDirectory: boolean;
  /** What lies there and must not be shown. */
  readonly forbidden?: ForbiddenFiles | undefined;
}

export function readTouch(given: string | undefined, context: ToolContext): Touch {
  return { type: 'path', path: context.workspace.absolute(given ?? '.'), access: 'read' };
}

/**
 * Looked up at the moment of use: what a path led to when it was approved may have been swapped since. `tool` is the one
 * whose rules hold for what is found.
 */
export async function findSearchRoot(
  given: string | undefined,
  context: ToolContext,
  tool?: PolicyTool,
): Promise<SearchRoot | ToolFailure> {
  const { workspace } = context;
  const wanted = given === undefined || given === '' ? '.' : given;
  const found = await workspace.resolve(wanted);
  if (!found.exists) {
    return fail(
      'ENOENT',
      `There is no ${wanted} in ${workspace.root}. List its parent folder to see what is there.`,
    );
  }
  const isMeantInside = workspace.display(found.path) !== found.path;
  if (!found.isInside && isMeantInside) {
    return fail(
      'EACCES',
      `${wanted} is a link that leads out of the workspace to ${found.realPath}. Name that path itself.`,
    );
  }
  const { realPath: workspaceRoot } = await workspace.resolve('.');
  const relative = path.relative(workspaceRoot, found.realPath);
  return {
    ok: true,
    path: found.realPath,
    workspaceRoot,
    argument: found.isInside ? `.${path.sep}${relative}` : found.realPath,
    isDirectory: (await stat(found.realPath)).isDirectory(),
    forbidden:
      tool && ForbiddenFiles.find(tool, { named: found.path, real: found.realPath, workspaceRoot }, context),
  };
}

/** With a word on what was left out there. */
export function withNotes(content: string, { forbidden }: SearchRoot): string {
  const notes = forbidden?.notes ?? [];
  return notes.length === 0 ? content : [content, '', ...notes].join('\n');
}

/** Every name that any era gave to the folder a search or a listing is about. */
export const FOLDER_NAMES = [
  'target_directory',
  'path',
  'relative_workspace_path',
  'directory_path',
  'dir_path',
  'directory',
] as const;

/** The same where only a folder will do. */
export async function findSearchFolder(
  given: string | undefined,
  context: ToolContext,
  tool?: PolicyTool,
): Promise<SearchRoot | ToolFailure> {
  const root = await findSearchRoot(given, context, tool);
  if (!root.ok || root.isDirectory) return root;
  return fail('ENOTDIR', `${given} is a file, not a folder. Read it, or name the folder it is in.`);
}
