// Execs that look for files: a listing, a text search, and a glob, which travels as a search for nothing in the files
// that fit. Known from public reconstructions; file names of the official SDK begin with `./`.
import picomatch from 'picomatch';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { formatGrep } from '../../builtin/search/format-grep.ts';
import type { GrepEntry } from '../../builtin/search/grep-entry.ts';
import type { OutputMode } from '../../builtin/search/grep-query.ts';
import { AGENT_CALLS } from '../../codecs/agent-calls.ts';
import { agentResult } from '../../codecs/agent-results.ts';
import { named, present } from '../../codecs/call-form.ts';
import { listOf } from '../../codecs/result-form.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { succeed, type ToolOutcome } from '../../tool-outcome.ts';
import type { ExecForm } from './exec-form.ts';
import { renderTree } from './render-tree.ts';

const GREP_CALL = AGENT_CALLS.grep ?? named();
const LISTED = agentResult('ls_tool_call');
const GLOBBED = agentResult('glob_tool_call');
/** As many paths as a model is shown of one glob. */
const MAX_PATHS = 1_000;
const MAX_LINES = 2_000;

export const LS: ExecForm = {
  args: 'ls_args',
  result: 'ls_result',
  tool: 'list_dir',
  encodeArgs: named({ target_directory: 'path', ignore_globs: 'ignore' }).encode,
  decodeArgs: named({ target_directory: 'path', ignore_globs: 'ignore' }).decode,
  encodeResult: (outcome) => LISTED.encode(outcome),
  decodeResult(result) {
    const isCut = result.timeout !== undefined;
    const root = objectAt(objectAt(result, isCut ? 'timeout' : 'success'), 'directory_tree_root');
    const tree = renderTree(root);
    const body =
      tree.lines.length === 0
        ? ['(nothing to list: the folder is empty, or all of it is hidden or ignored)']
        : tree.lines;
    const notes = isCut ? ['', '[the time limit was reached; list a folder below for the rest]'] : [];
    return succeed([`${String(root.abs_path ?? '.')}/`, ...body, ...notes].join('\n'), {
      attachments: { file_path: String(root.abs_path ?? ''), match_count: tree.fileCount },
      data: { directory_tree_root: root },
    });
  },
};

export const GREP: ExecForm = {
  args: 'grep_args',
  result: 'grep_result',
  tool: 'grep',
  encodeArgs: GREP_CALL.encode,
  decodeArgs: GREP_CALL.decode,
  encodeResult: ({ data }) => ({ ...data }),
  decodeResult(result, args) {
    const success = objectAt(result, 'success');
    const isLeftOut = leftOutBy(args.ignore_globs);
    const found = readUnions(success, isLeftOut);
    const mode = modeOf(args, found.mode);
    const offset = typeof args.offset === 'number' ? args.offset : 0;
    const entries = found.entries.slice(0, MAX_LINES);
    const isCapped = entries.length < found.entries.length;
    const shown = mode === 'content' ? entries.filter((entry) => !entry.isContext).length : entries.length;
    const content = formatGrep(
      { mode, offset, pattern: String(args.pattern ?? '') } as Parameters<typeof formatGrep>[0], // all it reads
      {
        ok: true,
        entries,
        shown,
        totalMatches: Math.max(found.totalMatches, shown),
        totalFiles: Math.max(found.totalFiles, new Set(entries.map((entry) => entry.file)).size),
        isComplete: !found.isCut,
        hasMore: isCapped || found.isCut,
        isCapped,
        isTimedOut: false,
      },
    );
    return succeed(content, { attachments: { match_count: found.totalMatches }, data: { success } });
  },
};

function modeOf(args: JsonObject, found: OutputMode | undefined): OutputMode {
  const asked = args.output_mode;
  return found ?? (asked === 'count' || asked === 'files_with_matches' ? asked : 'content');
}

interface Found {
  readonly entries: readonly GrepEntry[];
  readonly mode: OutputMode | undefined;
  readonly totalMatches: number;
  readonly totalFiles: number;
  readonly isCut: boolean;
}

/** One union per workspace folder; with several folders each file is named with its own. */
function readUnions(success: JsonObject, isLeftOut: (file: string) => boolean): Found {
  const unions = Object.entries(objectAt(success, 'workspace_results'));
  const entries: GrepEntry[] = [];
  let mode: OutputMode | undefined;
  let totalMatches = 0;
  let totalFiles = 0;
  let isCut = false;
  for (const [folder, union] of unions) {
    if (!isJsonObject(union)) continue;
    const name = (file: JsonValue | undefined) => nameOf(file, unions.length > 1 ? folder : '');
    const { files, count, content } = union;
    const part = [files, count, content].find(isJsonObject) ?? {};
    isCut ||= part.client_truncated === true || part.ripgrep_truncated === true;
    totalFiles += Number(part.total_files ?? 0);
    totalMatches += Number(part.total_matches ?? part.total_matched_lines ?? 0);
    mode ??= files !== undefined ? 'files_with_matches' : count !== undefined ? 'count' : 'content';
    for (const file of textsIn(part.files)) entries.push(entryOf(name(file)));
    for (const one of listOf(part.counts))
      entries.push(entryOf(name(one.file), { count: Number(one.count ?? 0) }));
    for (const match of listOf(part.matches))
      for (const line of listOf(match.matches)) entries.push(lineOf(name(match.file), line));
  }
  return {
    entries: entries.filter((entry) => !isLeftOut(entry.file)),
    mode,
    totalMatches,
    totalFiles,
    isCut,
  };
}

function lineOf(file: string, line: JsonObject): GrepEntry {
  return entryOf(file, {
    line: Number(line.line_number ?? 0),
    text: `${String(line.content ?? '').replace(/\r?\n$/, '')}${line.content_truncated === true ? ' […]' : ''}`,
    isContext: line.is_context_line === true,
    isCut: line.content_truncated === true,
  });
}

function entryOf(file: string, more: Partial<GrepEntry> = {}): GrepEntry {
  return { file, line: 0, text: '', isContext: false, isCut: false, count: 0, ...more };
}

function nameOf(file: JsonValue | undefined, folder: string): string {
  const plain = String(file ?? '').replace(/^\.[\\/]/, '');
  return folder === '' ? plain : `${folder}/${plain}`;
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** `GrepArgs` has one glob, so what must be left out is left out of the answer. */
function leftOutBy(globs: JsonValue | undefined): (file: string) => boolean {
  const patterns = textsIn(globs).flatMap((glob) => {
    const anywhere = glob.startsWith('**/') ? glob : `**/${glob.replace(/^\.?\//, '')}`;
    return [anywhere, `${anywhere.replace(/\/+$/, '')}/**`];
  });
  return patterns.length === 0 ? () => false : picomatch(patterns, { dot: true });
}

export const GLOB: ExecForm = {
  args: 'grep_args',
  result: 'grep_result',
  tool: 'glob_file_search',
  encodeArgs: ({ glob_pattern, target_directory }) => ({
    pattern: '',
    path: target_directory,
    glob: typeof glob_pattern === 'string' ? anywhere(glob_pattern) : undefined,
    output_mode: 'files_with_matches',
    sort: 'modified',
    sort_ascending: false,
    head_limit: MAX_PATHS,
  }),
  decodeArgs: ({ glob, path }) => ({ glob_pattern: glob, target_directory: path }),
  encodeResult(outcome) {
    const { path, files, total_files, ripgrep_truncated } = objectAt(
      present(GLOBBED.encode(outcome)),
      'success',
    );
    const union = { files: present({ files, total_files, ripgrep_truncated }) };
    return {
      success: present({
        path,
        output_mode: 'files_with_matches',
        workspace_results: { [String(path ?? '')]: union },
      }),
    };
  },
  decodeResult(result, args): ToolOutcome {
    const success = objectAt(result, 'success');
    const found = readUnions(success, () => false);
    const files = found.entries.map((entry) => entry.file);
    const [folder] = Object.keys(objectAt(success, 'workspace_results'));
    const total = Math.max(found.totalFiles, files.length);
    const shown = files.slice(0, MAX_PATHS);
    const isMore = found.isCut || total > shown.length;
    const directory = present({
      abs_path: success.path ?? args.target_directory ?? folder,
      files: shown.map((file) => ({ rel_path: file })),
      total_files: total,
      ripgrep_truncated: isMore,
    });
    const content =
      files.length === 0
        ? `No files match ${String(args.glob_pattern ?? 'the pattern')}.`
        : [
            `Found ${isMore ? 'at least ' : ''}${total} file${total === 1 ? '' : 's'}, last changed first.`,
            '',
            ...shown,
            ...(isMore ? ['', `[${shown.length} shown; use a narrower pattern or target_directory]`] : []),
          ].join('\n');
    return succeed(content, { attachments: { match_count: total }, data: { directories: [directory] } });
  },
};

/** Without a slash a pattern fits at any depth anyway; with one it would be bound to the top folder. */
function anywhere(pattern: string): string {
  return /^(?:\*\*\/|\/|!)/.test(pattern) ? pattern : `**/${pattern.replace(/^\.\//, '')}`;
}
