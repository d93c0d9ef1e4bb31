import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';
import { comparePaths } from './compare-paths.ts';
import { CursorIgnore } from './cursor-ignore.ts';
import {
  type GrepEntry,
  readContentRecord,
  readCountRecord,
  readFileRecord,
  readFilesSearched,
} from './grep-entry.ts';
import {
  type GrepQuery,
  grepArguments,
  MAX_OUTPUT_LINES,
  maxPerFile,
  type OutputMode,
} from './grep-query.ts';
import { GrepWindow } from './grep-window.ts';
import { type RipgrepEnd, runRipgrep, SEARCH_TIME_LIMIT_MS } from './ripgrep.ts';
import type { SearchRoot } from './search-root.ts';

const MAX_CHARACTERS = 90_000;
/** What is sorted in memory; a larger result is asked for again in path order and read only as far as needed. */
const MAX_HELD_ENTRIES = 20_000;
const MAX_HELD_CHARACTERS = 8_000_000;

export interface GrepResult {
  readonly ok: true;
  readonly entries: readonly GrepEntry[];
  /** Matching lines (files in the other modes) in `entries`. */
  readonly shown: number;
  /** All that were met; a lower bound unless `isComplete`. */
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly isComplete: boolean;
  readonly hasMore: boolean;
  readonly isCapped: boolean;
  readonly isTimedOut: boolean;
  readonly filesSearched?: number | undefined;
}

const READERS: Readonly<Record<OutputMode, (record: string) => GrepEntry | undefined>> = {
  content: readContentRecord,
  files_with_matches: readFileRecord,
  count: readCountRecord,
};

/** The same query on the same tree gives the same answer in the same order, however many threads ripgrep used. */
export async function searchText(
  query: GrepQuery,
  root: SearchRoot,
  context: ToolContext,
): Promise<GrepResult | ToolFailure> {
  const deadline = context.nowMs() + SEARCH_TIME_LIMIT_MS;
  const first = await readAll(query, root, context);
  const failure = failureOf(first.end, query, first.held.length);
  if (failure) return failure;
  if (!first.isOverflowing || query.sort !== 'none') return answer(query, first);
  const timeLimitMs = Math.max(1_000, deadline - context.nowMs());
  const second = await readOrdered(query, root, context, timeLimitMs);
  return failureOf(second.end, query, second.window.taken) ?? summarise(second.window, first, second.end);
}

interface FirstPass {
  readonly held: GrepEntry[];
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly isOverflowing: boolean;
  /** Some file has, or may have, more matches than ripgrep was asked for. */
  readonly isCutInFile: boolean;
  readonly filesSearched?: number | undefined;
  readonly end: RipgrepEnd;
}

async function readAll(query: GrepQuery, root: SearchRoot, context: ToolContext): Promise<FirstPass> {
  const isHidden = hiddenIn(root);
  const held: GrepEntry[] = [];
  const files = new Map<string, number>();
  let isCutInFile = false;
  let totalMatches = 0;
  let characters = 0;
  let isOverflowing = false;
  let filesSearched: number | undefined;
  const end = await runRipgrep(runOf(query, root, false), context, (record) => {
    const entry = READERS[query.mode](record);
    if (!entry) filesSearched ??= readFilesSearched(record);
    if (!entry || isHidden(entry.file)) return true;
    held.push(entry);
    characters += entry.text.length + entry.file.length;
    const matches = entry.isContext ? 0 : query.mode === 'count' ? entry.count : 1;
    const inFile = (files.get(entry.file) ?? 0) + matches;
    files.set(entry.file, inFile);
    totalMatches += matches;
    isCutInFile ||= query.mode === 'content' && inFile >= maxPerFile(query);
    isOverflowing = held.length >= MAX_HELD_ENTRIES || characters >= MAX_HELD_CHARACTERS;
    return !isOverflowing;
  });
  return { held, totalMatches, totalFiles: files.size, isOverflowing, isCutInFile, filesSearched, end };
}

async function readOrdered(query: GrepQuery, root: SearchRoot, context: ToolContext, timeLimitMs: number) {
  const isHidden = hiddenIn(root);
  const window = openWindow(query);
  const end = await runRipgrep({ ...runOf(query, root, true), timeLimitMs }, context, (record) => {
    const entry = READERS[query.mode](record);
    return !entry || isHidden(entry.file) || window.push(entry);
  });
  return { window, end };
}

/** Asked for every line; the lines of a file come together. */
function hiddenIn({ workspaceRoot, forbidden }: SearchRoot): (file: string) => boolean {
  const ignored = new CursorIgnore(workspaceRoot);
  let last: string | undefined;
  let isHidden = false;
  return (file) => {
    if (file !== last) {
      last = file;
      isHidden = ignored.hides(file) || forbidden?.hides(file) === true;
    }
    return isHidden;
  };
}

function runOf(query: GrepQuery, root: SearchRoot, isOrdered: boolean) {
  const separator = query.mode === 'files_with_matches' ? '\0' : '\n';
  return { args: grepArguments(query, root, isOrdered), cwd: root.workspaceRoot, separator } as const;
}

function openWindow(query: GrepQuery): GrepWindow {
  const { offset, limit, before, after } = query;
  return new GrepWindow({
    offset,
    limit,
    before,
    after,
    maxLines: MAX_OUTPUT_LINES,
    maxCharacters: MAX_CHARACTERS,
  });
}

function answer(query: GrepQuery, pass: FirstPass): GrepResult {
  const window = openWindow(query);
  // A stable sort: lines of one file stay as ripgrep gave them.
  if (query.sort === 'none') pass.held.sort((left, right) => comparePaths(left.file, right.file));
  for (const entry of pass.held) if (!window.push(entry)) break;
  return summarise(window, pass, pass.end);
}

function summarise(window: GrepWindow, pass: FirstPass, end: RipgrepEnd): GrepResult {
  return {
    ok: true,
    entries: window.entries,
    shown: window.taken,
    totalMatches: pass.totalMatches,
    totalFiles: pass.totalFiles,
    isComplete: pass.end.reason === 'done' && !pass.isCutInFile,
    hasMore: window.hasMore || pass.isOverflowing,
    isCapped: window.isCapped,
    isTimedOut: end.reason === 'timeout',
    filesSearched: pass.filesSearched,
  };
}

/** An error besides results (an unreadable folder) is no failure. */
function failureOf(end: RipgrepEnd, query: GrepQuery, found: number): ToolFailure | undefined {
  if (end.reason === 'cancelled') return fail('ECANCELED', 'The search was cancelled.');
  if (end.reason === 'timeout' && found === 0) {
    return fail(
      'ETIMEDOUT',
      `Nothing was found in ${SEARCH_TIME_LIMIT_MS / 1000} s; narrow the search with path, glob or type.`,
    );
  }
  if (end.exitCode !== 2 || found > 0 || end.errors === '') return undefined;
  if (/unrecognized file type/.test(end.errors)) {
    return fail(
      'EINVAL',
      `"${query.type}" is no file type of ripgrep. Use one such as ts, js, py, rust, go, java, or a glob instead.`,
    );
  }
  const hint = /regex parse error/.test(end.errors)
    ? 'The pattern is a regular expression of ripgrep: escape ( ) [ ] { } . * + ? \\ | ^ $ to find them literally.'
    : 'Check the pattern and the glob.';
  return fail('EINVAL', `The search for ${JSON.stringify(query.pattern)} failed. ${hint}\n${end.errors}`);
}
