import path from 'node:path';
import { omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { CursorIgnore } from './cursor-ignore.ts';
import { ignoreArguments, type RipgrepEnd, runRipgrep, withoutDotSlash } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

export interface ListOptions {
  /** More of ripgrep's arguments, e.g. a file type or a sort order. */
  readonly args?: readonly string[];
  readonly includeHidden?: boolean;
  /** Further ignore files besides `.cursorignore`. */
  readonly ignoreFiles?: readonly string[];
  readonly timeLimitMs?: number;
}

/**
 * Files under a root that no ignore file hides, as paths relative to the workspace (absolute outside of it), in no order.
 * `onFile` answers false when it wants no more.
 */
export function listFiles(
  root: SearchRoot,
  context: Pick<ToolContext, 'signal' | 'env'>,
  options: ListOptions,
  onFile: (file: string) => boolean,
): Promise<RipgrepEnd> {
  const hidden = new CursorIgnore(root.workspaceRoot, ['.cursorignore', ...(options.ignoreFiles ?? [])]);
  const args = ['--files', '--null', ...ignoreArguments(root.workspaceRoot)];
  if (options.includeHidden) args.push('--hidden', '--glob', '!.git');
  args.push(...(options.args ?? []), '--', root.argument);
  const run = omitUndefined({
    args,
    cwd: root.workspaceRoot,
    separator: '\0' as const,
    timeLimitMs: options.timeLimitMs,
  });
  return runRipgrep(run, context, (record) => {
    const file = withoutDotSlash(record);
    return file === '' || hidden.hides(file) || onFile(file);
  });
}

/** Where a listed file is. */
export function absoluteOf(root: SearchRoot, file: string): string {
  return path.resolve(root.workspaceRoot, file);
}
