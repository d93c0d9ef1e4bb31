import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import picomatch from 'picomatch';
import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';
import { comparePaths } from './compare-paths.ts';
import { absoluteOf, listFiles } from './list-files.ts';
import { SEARCH_TIME_LIMIT_MS } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

/** Up to here every match is dated here; beyond, ripgrep does it, which costs it its threads. */
const MAX_DATED_FILES = 5_000;
const STATS_AT_ONCE = 64;

export interface FoundFiles {
  readonly ok: true;
  /** Relative to the workspace, newest first. */
  readonly files: readonly string[];
  /** A lower bound unless `isComplete`. */
  readonly total: number;
  readonly isComplete: boolean;
}

/**
 * Ripgrep walks and applies the ignore files, narrowed by the last part of the pattern as a file type (a `--glob` would
 * override the ignore files); the whole pattern is matched here.
 */
export async function findFiles(
  pattern: string,
  root: SearchRoot,
  context: ToolContext,
  maxFiles: number,
): Promise<FoundFiles | ToolFailure> {
  const glob = rooted(pattern, root);
  const search = { root, context, maxFiles, isMatch: matcher(glob, root), ...filters(glob) };
  const started = context.nowMs();
  // A pattern for files of any name finds too many to be dated here.
  const few = search.args.length === 0 ? undefined : await findFew(search);
  if (few?.ok === false || few?.isComplete) return few;
  const left = SEARCH_TIME_LIMIT_MS - (context.nowMs() - started);
  if (few?.isOverflowing === false || left < MIN_TIME_MS) return few ?? (await findFew(search));
  const many = await findMany(search, few ? left : left - MIN_TIME_MS);
  if (!many.ok || many.total > 0 || many.isComplete) return many;
  // Ripgrep gives nothing before it has sorted all of it.
  return few ?? (await findFew(search, MIN_TIME_MS));
}

/** What a search that gives what it has met so far needs at least. */
const MIN_TIME_MS = 2_000;

interface Search {
  readonly root: SearchRoot;
  readonly context: ToolContext;
  readonly maxFiles: number;
  readonly args: readonly string[];
  readonly includeHidden: boolean;
  readonly isMatch: (file: string) => boolean;
}

/** Walks with all threads and dates what it finds; gives up on too many. */
async function findFew(
  search: Search,
  timeLimitMs = SEARCH_TIME_LIMIT_MS,
): Promise<(FoundFiles & { readonly isOverflowing: boolean }) | ToolFailure> {
  const { root, context, isMatch, args, includeHidden, maxFiles } = search;
  const matches: string[] = [];
  const end = await listFiles(root, context, { args, includeHidden, timeLimitMs }, (file) => {
    if (isMatch(file)) matches.push(file);
    return matches.length <= MAX_DATED_FILES;
  });
  if (end.reason === 'cancelled') return CANCELLED;
  return {
    ok: true,
    files: (await sortByTime(matches, root)).slice(0, maxFiles),
    total: matches.length,
    isComplete: end.reason === 'done',
    isOverflowing: end.reason === 'stopped',
  };
}

/** Lets ripgrep sort, and only counts beyond what is wanted. */
async function findMany(search: Search, timeLimitMs: number): Promise<FoundFiles | ToolFailure> {
  const { root, context, isMatch, includeHidden, maxFiles } = search;
  const args = [...search.args, '--sortr=modified'];
  const files: string[] = [];
  let total = 0;
  const end = await listFiles(root, context, { args, includeHidden, timeLimitMs }, (file) => {
    if (isMatch(file) && ++total <= maxFiles) files.push(file);
    return true;
  });
  if (end.reason === 'cancelled') return CANCELLED;
  return { ok: true, files, total, isComplete: end.reason === 'done' };
}

const CANCELLED = fail('ECANCELED', 'The search was cancelled.');

function matcher(glob: string, root: SearchRoot): (file: string) => boolean {
  const isMatch = picomatch(glob, { windows: path.sep === '\\' });
  if (root.path === root.workspaceRoot) return (file) => isMatch(file);
  return (file) => isMatch(path.relative(root.path, absoluteOf(root, file)));
}

function filters(glob: string): Pick<Search, 'args' | 'includeHidden'> {
  return { args: nameFilter(glob), includeHidden: /(?:^|\/)\.[^./]/.test(glob) };
}

/** Relative to the root, at any depth unless it says otherwise; an absolute pattern below the root is taken as meant. */
function rooted(pattern: string, root: SearchRoot): string {
  const posix = path.sep === '\\' ? pattern.replaceAll('\\', '/') : pattern;
  const base = `${root.path.replaceAll(path.sep, '/')}/`;
  if (posix.startsWith(base)) return posix.slice(base.length);
  // Ripgrep and shells negate a set with `!`, picomatch with `^` alone.
  const bare = posix.replace(/^(?:\.?\/)+/, '').replaceAll('[!', '[^');
  return bare.startsWith('**/') ? bare : `**/${bare}`;
}

/** Only for a last part that ripgrep and picomatch certainly read alike. */
function nameFilter(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  const isPlain = /^(?:[\w.*?-]|\{[\w.*?,-]*\})+$/.test(name) && !/\{[^}]*\//.test(glob);
  return isPlain && !name.includes('**') && name !== '*'
    ? ['--type-add', `wanted:${name}`, '--type', 'wanted']
    : [];
}

async function sortByTime(files: readonly string[], root: SearchRoot): Promise<string[]> {
  const dated: { file: string; mtimeMs: number }[] = [];
  for (const file of files) {
    dated.push({ file, mtimeMs: timeOf(absoluteOf(root, file)) });
    if (dated.length % STATS_AT_ONCE === 0) await setImmediate(); // others have their turn
  }
  dated.sort((left, right) => right.mtimeMs - left.mtimeMs || comparePaths(left.file, right.file));
  return dated.map(({ file }) => file);
}

/** Not awaited: a turn of the event loop for each costs several times the look itself. */
function timeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0; // it was there a moment ago; whoever opens it will learn why it cannot be
  }
}
