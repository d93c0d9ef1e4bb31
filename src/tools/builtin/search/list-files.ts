import { availableParallelism } from 'node:os';
import path from 'node:path';
import { omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { CursorIgnore } from './cursor-ignore.ts';
import { PathReader } from './path-reader.ts';
import { ignoreArguments, type RipgrepEnd, streamRipgrep } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

/** One core is left to the reader of the list, who has as much to do as ripgrep. */
const THREADS = Math.min(12, Math.max(1, availableParallelism() - 1));

export interface ListOptions {
  /** More of ripgrep's arguments, e.g. a file type or a sort order. */
  readonly args?: readonly string[];
  readonly includeHidden?: boolean;
  /** Further ignore files besides `.cursorignore`. */
  readonly ignoreFiles?: readonly string[];
  readonly timeLimitMs?: number;
}

/**
 * Files under a root that no ignore file hides and no rule forbids, as paths relative to the workspace (absolute outside of it), in no order.
 * `onFile` answers false when it wants no more.
 */
export function listFiles(
  root: SearchRoot,
  context: Pick<ToolContext, 'signal' | 'env'>,
  options: ListOptions,
  onFile: (file: string) => boolean,
): Promise<RipgrepEnd> {
  return walkFiles(root, context, options, (paths) => onFile(paths.path()));
}

/** The same without a string for each: `onPath` looks at what the reader stands at. */
export function walkFiles(
  root: SearchRoot,
  context: Pick<ToolContext, 'signal' | 'env'>,
  options: ListOptions,
  onPath: (paths: PathReader) => boolean,
): Promise<RipgrepEnd> {
  const hidden = new CursorIgnore(root.workspaceRoot, ['.cursorignore', ...(options.ignoreFiles ?? [])]);
  const args = ['--files', '--null', `--threads=${THREADS}`, ...ignoreArguments(root.workspaceRoot)];
  if (options.includeHidden) args.push('--hidden', '--glob', '!.git');
  args.push(...(options.args ?? []), '--', root.argument);
  const run = omitUndefined({ args, cwd: root.workspaceRoot, timeLimitMs: options.timeLimitMs });
  const { forbidden } = root;
  const paths = new PathReader();
  let folder: string | undefined;
  let hasRules = false;
  return streamRipgrep(run, context, (chunk) => {
    paths.feed(chunk);
    while (paths.next()) {
      if (paths.folder !== folder) {
        folder = paths.folder;
        hasRules = hidden.hasRulesIn(folder);
      }
      if (hasRules && hidden.hides(paths.path())) continue;
      if (forbidden?.hidesIn(paths.folder, paths.name())) continue;
      if (!onPath(paths)) return false;
    }
    return true;
  });
}

/** Where a listed file is. */
export function absoluteOf(root: SearchRoot, file: string): string {
  return path.resolve(root.workspaceRoot, file);
}
