import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { formatGrep, grepData } from './format-grep.ts';
import { type GrepQuery, OUTPUT_MODES, SORT_KEYS } from './grep-query.ts';
import { findSearchRoot, readTouch, withNotes } from './search-root.ts';
import { searchText } from './search-text.ts';

const lines = z.number().int().min(0).max(1_000);

const args = toolArguments(
  {
    pattern: z.string().min(1).describe('Regular expression to look for, in the syntax of ripgrep.'),
    path: z.string().optional().describe('File or folder to search; the whole workspace when left out.'),
    glob: z
      .string()
      .optional()
      .describe('Only files that match this glob, e.g. "*.ts" or "src/**/*.{js,jsx}".'),
    output_mode: z
      .enum(OUTPUT_MODES)
      .optional()
      .describe(
        '"content": matching lines (the default); "files_with_matches": file names; "count": matching lines per file.',
      ),
    '-A': lines.optional().describe('Lines of context after each match; content mode only.'),
    '-B': lines.optional().describe('Lines of context before each match; content mode only.'),
    '-C': lines.optional().describe('Lines of context on both sides; content mode only.'),
    '-i': z.boolean().optional().describe('Ignore case; false when left out.'),
    type: z
      .string()
      .optional()
      .describe('Only files of this type as ripgrep names it: ts, js, py, rust, go, java …'),
    head_limit: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('At most this many matches (files in the other modes); 0 or absent: as many as fit.'),
    offset: z.number().int().min(0).optional().describe('Pass over this many first; for the next page.'),
    multiline: z.boolean().optional().describe('Let a match span lines, with . matching the line end too.'),
    sort: z.enum(SORT_KEYS).optional().describe('Order of files; path when left out.'),
    sort_ascending: z.boolean().optional().describe('True when left out.'),
    ignore_globs: z.array(z.string()).optional().describe('Leave out files that match any of these globs.'),
  },
  {
    aliases: {
      pattern: ['query', 'regex', 'search'],
      path: ['target_directory', 'directory', 'dir_path', 'search_path', 'relative_workspace_path'],
      glob: ['include_pattern', 'include', 'file_pattern'],
      output_mode: ['outputMode'],
      '-A': ['context_after', 'after_context', 'contextAfter'],
      '-B': ['context_before', 'before_context', 'contextBefore'],
      '-C': ['context', 'context_lines'],
      '-i': ['case_insensitive', 'ignore_case', 'caseInsensitive'],
      type: ['file_type'],
      head_limit: ['max_results', 'limit', 'headLimit'],
      sort_ascending: ['sortAscending'],
      ignore_globs: ['exclude_pattern', 'exclude', 'ignoreGlobs'],
    },
    // Line numbers are always there.
    ignored: ['-n', 'case_sensitive', 'is_regexp', 'sandbox_policy'],
    rewrite(given) {
      if (typeof given.case_sensitive === 'boolean') given['-i'] ??= !given.case_sensitive;
    },
  },
);

/** As rules know it. */
const TOOL = { number: 41, name: 'grep' } as const;

export const grep = defineTool({
  ...TOOL,
  description: `Search file contents with ripgrep: fast, exact, by regular expression.
- Use it for symbols, strings and patterns you can spell; use codebase_search when you only know what the code does.
- Escape special characters to find them literally: "foo\\\\(" finds "foo(". For matches over several lines set multiline.
- Files named in .gitignore and .cursorignore, hidden files and binary files are left out. A hidden or ignored place is searched when path names it; a very broad glob such as "*" reaches ignored files too, so avoid it.
- Results are grouped by file. "N:" marks a matching line, "N-" a context line. Long results end with a notice and the offset of the next page.`,
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'few',
  status: 'local',
  touches: (given, context) => [readTouch(given.path, context)],
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot(given.path, context, TOOL);
    if (!root.ok) return root;
    const query = queryOf(given);
    const result = await searchText(query, root, context);
    if (!result.ok) return result;
    const data = {
      success: {
        pattern: given.pattern,
        path: given.path ?? '',
        output_mode: query.mode,
        workspace_results: { [context.workspace.root]: grepData(query, result) },
      },
    };
    const attachments = omitUndefined({
      match_count: result.totalMatches,
      files_searched: result.filesSearched,
      duration_ms: context.nowMs() - started,
    });
    return succeed(withNotes(formatGrep(query, result), root), { data, attachments });
  },
});

function queryOf(given: z.output<typeof args>): GrepQuery {
  const both = given['-C'] ?? 0;
  return {
    pattern: given.pattern,
    isLiteral: false,
    mode: given.output_mode ?? 'content',
    before: given['-B'] ?? both,
    after: given['-A'] ?? both,
    ignoresCase: given['-i'] ?? false,
    isMultiline: given.multiline ?? false,
    globs: [
      ...(given.glob === undefined ? [] : [given.glob]),
      ...(given.ignore_globs ?? []).map((glob) => `!${glob}`),
    ],
    type: given.type,
    sort: given.sort ?? 'none',
    isAscending: given.sort_ascending ?? true,
    offset: given.offset ?? 0,
    limit: given.head_limit || Number.POSITIVE_INFINITY,
  };
}
