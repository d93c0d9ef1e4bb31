// The first text search of the editor, in two forms: flat (query, regex, case_sensitive, max_results, patterns) as models write
// it, and nested (options, pattern_info) as the wire carries it. Superseded by `grep`, still understood.
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { groupByFile } from './format-grep.ts';
import type { GrepEntry } from './grep-entry.ts';
import type { GrepQuery } from './grep-query.ts';
import { findSearchRoot, readTouch, withNotes } from './search-root.ts';
import { searchText } from './search-text.ts';

const DEFAULT_MAX_RESULTS = 50;

const globs = z.array(z.string());

const args = toolArguments(
  {
    query: z.string().min(1).describe('What to look for.'),
    regex: z.boolean().default(true).describe('Whether the query is a regular expression.'),
    case_sensitive: z.boolean().default(false).describe('Whether case matters.'),
    whole_word: z.boolean().default(false).describe('Find whole words only.'),
    multiline: z.boolean().default(false).describe('Let a match span lines.'),
    max_results: z
      .number()
      .int()
      .min(1)
      .max(2_000)
      .default(DEFAULT_MAX_RESULTS)
      .describe('At most this many matches.'),
    include_pattern: globs.optional().describe('Only files that match one of these globs.'),
    exclude_pattern: globs.optional().describe('No files that match one of these globs.'),
  },
  {
    aliases: {
      query: ['pattern'],
      regex: ['is_regexp', 'is_regex', 'isRegExp'],
      case_sensitive: ['caseSensitive', 'is_case_sensitive'],
      max_results: ['head_limit', 'limit', 'maxResults'],
      include_pattern: ['include', 'glob', 'include_patterns'],
      exclude_pattern: ['exclude', 'exclude_patterns'],
    },
    rewrite: flattenWireForm,
  },
);

/** As rules know it. */
const TOOL = { number: 3, name: 'ripgrep_search' } as const;

export const ripgrepSearch = defineTool({
  ...TOOL,
  description:
    'Search file contents for text or a regular expression and get up to 50 matching lines as path:line: text. Files hidden by .gitignore or .cursorignore are left out. Prefer grep, which has context lines, paging and other output modes.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'few',
  status: 'local',
  touches: (_given, context) => [readTouch('.', context)],
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot('.', context, TOOL);
    if (!root.ok) return root;
    const result = await searchText(queryOf(given), root, context);
    if (!result.ok) return result;
    const lines = result.entries.map((entry) => `${entry.file}:${entry.line}: ${entry.text}`);
    const bound = result.isComplete ? '' : 'at least ';
    const total = `${bound}${matches(result.totalMatches)}`;
    const content =
      result.shown === 0
        ? 'No matches found.'
        : `Found ${total}${result.hasMore ? `, the first ${result.shown} of them` : ''}:\n\n${lines.join('\n')}`;
    const attachments = omitUndefined({
      match_count: result.totalMatches,
      files_searched: result.filesSearched,
      duration_ms: context.nowMs() - started,
    });
    const data = { internal: { results: fileMatches(result.entries), limit_hit: result.hasMore } };
    return succeed(withNotes(content, root), { attachments, data });
  },
});

/**
 * As `RipgrepSearchResultInternal` has it: a match holds its text, and only a context line has a known field for a line
 * number (`range_locations` of a match is an empty message to us), so each match is followed by its number.
 */
function fileMatches(entries: readonly GrepEntry[]): JsonObject[] {
  return groupByFile(entries, ({ text, line }) => [
    { match: { preview_text: text } },
    { context: { line_number: line } },
  ]).map(([resource, results]) => ({ resource, results }));
}

function matches(number: number): string {
  return `${number} match${number === 1 ? '' : 'es'}`;
}

function queryOf(given: z.output<typeof args>): GrepQuery {
  const pattern = given.whole_word && given.regex ? `\\b(?:${given.query})\\b` : given.query;
  return {
    pattern: given.whole_word && !given.regex ? `\\b${escapeRegex(given.query)}\\b` : pattern,
    isLiteral: !given.regex && !given.whole_word,
    mode: 'content',
    before: 0,
    after: 0,
    ignoresCase: !given.case_sensitive,
    isMultiline: given.multiline,
    globs: [...(given.include_pattern ?? []), ...(given.exclude_pattern ?? []).map((glob) => `!${glob}`)],
    sort: 'none',
    isAscending: true,
    offset: 0,
    limit: given.max_results,
  };
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** `pattern_info` and `options` of the wire become the flat arguments. */
function flattenWireForm(given: Record<string, JsonValue>): void {
  const { pattern_info: info, options } = given;
  if (isJsonObject(info)) {
    given.query ??= info.pattern ?? '';
    // In the editor's own form a pattern is literal text unless it says otherwise.
    given.regex ??= info.is_reg_exp ?? false;
    if (info.is_case_sensitive !== undefined) given.case_sensitive ??= info.is_case_sensitive;
    if (info.is_word_match !== undefined) given.whole_word ??= info.is_word_match;
    if (info.is_multiline !== undefined) given.multiline ??= info.is_multiline;
  }
  if (isJsonObject(options)) {
    const include = patternsOf(options.include_pattern);
    const excludes = isJsonObject(options.exclude_pattern)
      ? options.exclude_pattern.exclude_pattern
      : undefined;
    const exclude = (Array.isArray(excludes) ? excludes : []).flatMap((item) =>
      isJsonObject(item) ? patternsOf(item.pattern) : [],
    );
    if (include.length > 0) given.include_pattern ??= include;
    if (exclude.length > 0) given.exclude_pattern ??= exclude;
    if (options.max_results !== undefined) given.max_results ??= options.max_results;
  }
  delete given.pattern_info;
  delete given.options;
}

function patternsOf(value: JsonValue | undefined): string[] {
  if (!isJsonObject(value)) return [];
  const many = Array.isArray(value.patterns) ? value.patterns : [];
  return [value.pattern, ...many].filter((item): item is string => typeof item === 'string' && item !== '');
}
