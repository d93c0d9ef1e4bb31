import { stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';
import { comparePaths } from './compare-paths.ts';
import { absoluteOf, listFiles } from './list-files.ts';
import { SEARCH_TIME_LIMIT_MS } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

/** Up to here every match is dated here; beyond, ripgrep sorts, which costs it its threads. */
const MAX_DATED_FILES = 20_000;
const STAT_BATCH = 64;

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
  const isMatch = picomatch(glob, { windows: path.sep === '\\' });
  const options = { args: nameFilter(glob), includeHidden: /(?:^|\/)\.[^./]/.test(glob) };
  const started = context.nowMs();
  const relativeTo = path.relative(root.workspaceRoot, root.path);
  const below = (file: string) =>
    relativeTo === '' ? file : path.relative(root.path, absoluteOf(root, file));
  const matches: string[] = [];
  let total = 0;
  const end = await listFiles(root, context, options, (file) => {
    if (!isMatch(below(file))) return true;
    total++;
    if (matches.length < MAX_DATED_FILES) matches.push(file);
    return true;
  });
  if (end.reason === 'cancelled') return fail('ECANCELED', 'The search was cancelled.');
  const isComplete = end.reason === 'done';
  const left = SEARCH_TIME_LIMIT_MS - (context.nowMs() - started);
  if (total > matches.length && left > 1_000) {
    const newest = await newestFirst(left);
    if (newest.length >= maxFiles) return { ok: true, files: newest, total, isComplete };
  }
  return { ok: true, files: (await sortByTime(matches, root)).slice(0, maxFiles), total, isComplete };

  async function newestFirst(timeLimitMs: number): Promise<string[]> {
    const files: string[] = [];
    const sorted = { ...options, args: [...options.args, '--sortr=modified'], timeLimitMs };
    await listFiles(root, context, sorted, (file) => {
      if (isMatch(below(file))) files.push(file);
      return files.length < maxFiles;
    });
    return files;
  }
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
  for (let start = 0; start < files.length; start += STAT_BATCH) {
    const batch = files.slice(start, start + STAT_BATCH);
    const times = await Promise.all(batch.map((file) => stat(absoluteOf(root, file)).catch(() => undefined)));
    for (const [index, file] of batch.entries()) dated.push({ file, mtimeMs: times[index]?.mtimeMs ?? 0 });
  }
  dated.sort((left, right) => right.mtimeMs - left.mtimeMs || comparePaths(left.file, right.file));
  return dated.map(({ file }) => file);
}
