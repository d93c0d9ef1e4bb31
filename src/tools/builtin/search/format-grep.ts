import type { JsonObject } from '../../../core/index.ts';
import type { GrepEntry } from './grep-entry.ts';
import type { GrepQuery } from './grep-query.ts';
import type { GrepResult } from './search-text.ts';

/** Grouped by file as ripgrep does at a terminal: `:` after the number of a matching line, `-` of a context line. */
export function formatContent(entries: readonly GrepEntry[]): string {
  const lines: string[] = [];
  let last: GrepEntry | undefined;
  for (const entry of entries) {
    if (last?.file !== entry.file) {
      if (last) lines.push('');
      lines.push(entry.file);
    } else if (entry.line > last.line + 1 && (entry.isContext || last.isContext)) lines.push('--');
    lines.push(`${entry.line}${entry.isContext ? '-' : ':'}${entry.text}`);
    last = entry;
  }
  return lines.join('\n');
}

export function formatGrep(query: GrepQuery, result: GrepResult): string {
  if (result.shown === 0) return [noneFound(query, result), ...notices(query, result)].join('\n');
  const body =
    query.mode === 'content'
      ? formatContent(result.entries)
      : result.entries
          .map((entry) => (query.mode === 'count' ? `${entry.file}:${entry.count}` : entry.file))
          .join('\n');
  return [headline(query, result), '', body, ...notices(query, result)].join('\n');
}

function noneFound(query: GrepQuery, result: GrepResult): string {
  return query.offset > 0 && result.totalMatches > 0
    ? `No more matches: offset ${query.offset} is past the end.`
    : 'No matches found.';
}

function headline(query: GrepQuery, result: GrepResult): string {
  const bound = result.isComplete ? '' : 'at least ';
  const files = `${bound}${count(result.totalFiles, 'file')}`;
  if (query.mode === 'files_with_matches') return `Found ${files}.`;
  return `Found ${bound}${count(result.totalMatches, 'matching line')} in ${files}.`;
}

function notices(query: GrepQuery, result: GrepResult): string[] {
  const notes: string[] = [];
  const what = query.mode === 'content' ? 'matches' : 'files';
  if (result.hasMore && result.shown > 0) {
    const next = query.offset + result.shown;
    const why = result.isCapped ? ' (the result reached its size limit)' : '';
    notes.push(
      `[${what} ${query.offset + 1} to ${next} shown${why}; continue with offset ${next}, or narrow the search]`,
    );
  }
  if (result.isTimedOut)
    notes.push('[the time limit was reached; narrow the search with path, glob or type]');
  return notes.length > 0 ? ['', ...notes] : [];
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** In the shape of the native result messages. */
export function grepData(query: GrepQuery, result: GrepResult): JsonObject {
  const common = {
    client_truncated: result.hasMore,
    ripgrep_truncated: !result.isComplete,
    ...(Number.isFinite(query.limit) ? { head_limit_applied: query.limit } : {}),
    ...(query.offset > 0 ? { offset_applied: query.offset } : {}),
  };
  switch (query.mode) {
    case 'files_with_matches':
      return {
        files: {
          files: result.entries.map((entry) => entry.file),
          total_files: result.totalFiles,
          ...common,
        },
      };
    case 'count':
      return {
        count: {
          counts: result.entries.map((entry) => ({ file: entry.file, count: entry.count })),
          total_files: result.totalFiles,
          total_matches: result.totalMatches,
          ...common,
        },
      };
    case 'content':
      return {
        content: {
          matches: byFile(result.entries),
          total_lines: result.entries.length,
          total_matched_lines: result.totalMatches,
          ...common,
        },
      };
    default:
      return query.mode satisfies never;
  }
}

function byFile(entries: readonly GrepEntry[]): JsonObject[] {
  return groupByFile(entries, (entry) => [
    {
      line_number: entry.line,
      content: entry.text,
      content_truncated: entry.isCut,
      is_context_line: entry.isContext,
    },
  ]).map(([file, matches]) => ({ file, matches }));
}

/** In the order in which the files come, with what each of their lines becomes. */
export function groupByFile(
  entries: readonly GrepEntry[],
  describe: (entry: GrepEntry) => readonly JsonObject[],
): [file: string, described: JsonObject[]][] {
  const files = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const described = files.get(entry.file) ?? [];
    described.push(...describe(entry));
    files.set(entry.file, described);
  }
  return [...files];
}
