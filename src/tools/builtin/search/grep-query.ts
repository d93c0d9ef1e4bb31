import { ignoreArguments } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

export const OUTPUT_MODES = ['content', 'files_with_matches', 'count'] as const;
export type OutputMode = (typeof OUTPUT_MODES)[number];

export const SORT_KEYS = ['path', 'modified', 'accessed', 'created', 'none'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** A longer line is cut by ripgrep itself, so that a minified file never fills a result. */
export const MAX_LINE_BYTES = 2_000;

export interface GrepQuery {
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly mode: OutputMode;
  readonly before: number;
  readonly after: number;
  readonly ignoresCase: boolean;
  readonly isMultiline: boolean;
  /** Ripgrep's own globs; one that starts with `!` excludes. */
  readonly globs: readonly string[];
  readonly type?: string | undefined;
  readonly sort: SortKey;
  readonly isAscending: boolean;
  /** Matches (files in the other modes) to pass over and to give at most. */
  readonly offset: number;
  readonly limit: number;
}

/** As many output lines as a model gets of one search. */
export const MAX_OUTPUT_LINES = 2_000;

/** Matches of one file that ripgrep is asked for: one more than can be shown, so that there is a sign of more. */
export function maxPerFile(query: GrepQuery): number {
  return query.offset + Math.min(query.limit, MAX_OUTPUT_LINES) + 1;
}

/** Path order costs ripgrep its threads, so it is asked for only when `isOrdered` says that the result needs it. */
export function grepArguments(query: GrepQuery, root: SearchRoot, isOrdered: boolean): string[] {
  const args = ['--color=never', '--no-heading', '--with-filename', '--null', '--crlf', '--no-messages'];
  args.push(...ignoreArguments(root.workspaceRoot));
  if (query.mode === 'files_with_matches') args.push('--files-with-matches');
  // Not with --stats, which looks at every match of a line and more than doubles the time.
  else if (query.mode === 'count') args.push('--count');
  else {
    // Ripgrep holds what it finds in a file until it has read the file: without a bound a log with a match in every line
    // would fill its memory and show nothing in time.
    args.push(
      '--line-number',
      '--stats',
      `--max-count=${maxPerFile(query)}`,
      `--max-columns=${MAX_LINE_BYTES}`,
      '--max-columns-preview',
    );
    if (query.before > 0) args.push(`--before-context=${query.before}`);
    if (query.after > 0) args.push(`--after-context=${query.after}`);
  }
  args.push(query.ignoresCase ? '--ignore-case' : '--case-sensitive');
  if (query.isLiteral) args.push('--fixed-strings');
  if (query.isMultiline) args.push('--multiline', '--multiline-dotall');
  if (query.type !== undefined) args.push(`--type=${query.type}`);
  for (const glob of query.globs) args.push(`--glob=${glob}`);
  // A broad glob overrides the rule that skips hidden folders; nobody means the object store of git.
  if (query.globs.some((glob) => !glob.startsWith('!'))) args.push('--glob=!.git');
  const sort = query.sort === 'none' ? (isOrdered ? 'path' : undefined) : query.sort;
  if (sort !== undefined) args.push(`${query.isAscending ? '--sort' : '--sortr'}=${sort}`);
  args.push('-e', query.pattern, '--', root.argument);
  return args;
}
