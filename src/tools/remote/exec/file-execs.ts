// Execs on files. Known from public reconstructions of the protobuf files and from the official SDK's answers.
// Guessed: that `offset` of a read counts from 1, and that lines of diagnostics do.
import { isJsonObject, type JsonObject, omitUndefined } from '../../../core/index.ts';
import { FileFault } from '../../builtin/files/file-fault.ts';
import { DEFAULT_LINES, firstLine, LineWindow } from '../../builtin/files/line-window.ts';
import { mediaTypeOf } from '../../builtin/files/media-type.ts';
import { type RangeArguments, readWholeRange } from '../../builtin/files/read-range.ts';
import { splitLines } from '../../builtin/files/text-form.ts';
import { agentResult } from '../../codecs/agent-results.ts';
import { named, present } from '../../codecs/call-form.ts';
import { editedFile } from '../../codecs/edited-files.ts';
import { listOf } from '../../codecs/result-form.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { MAX_CONTENT_CHARACTERS } from '../../trim-output.ts';
import type { ExecForm } from './exec-form.ts';

/** As much as model vendors take of one picture or document. */
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

export const READ: ExecForm = {
  args: 'read_args',
  result: 'read_result',
  tool: 'read_file',
  encodeArgs: named('path', 'offset', 'limit').encode,
  decodeArgs: named('path', 'offset', 'limit').decode,
  encodeResult({ content, data, parts }) {
    const media = parts?.map(({ source }) => source).find((source) => source.type === 'base64');
    const { path, contents, total_lines_in_file, file_size, start_line, truncated } = data ?? {};
    return {
      success: present({
        path,
        file_size,
        total_lines: total_lines_in_file,
        range_applied: truncated === true || Number(start_line ?? 1) > 1 ? true : undefined,
        ...(media ? { data: media.data } : { content: contents ?? content }),
      }),
    };
  },
  decodeResult(result, args) {
    const success = objectAt(result, 'success');
    const { data, content, path, output_blob_id } = success;
    const name = String(path ?? args.path ?? 'The file');
    if (data === undefined && content === undefined && output_blob_id !== undefined)
      return fail('EFBIG', `${name} is too large to be sent whole; read a part of it with offset and limit.`);
    const bytes =
      typeof data === 'string'
        ? Buffer.from(data, 'base64')
        : Buffer.from(typeof content === 'string' ? content : '');
    return readBytes(bytes, { name, success, args });
  },
};

interface ReadContent {
  readonly name: string;
  readonly success: JsonObject;
  readonly args: JsonObject;
}

function readBytes(bytes: Buffer, { name, success, args }: ReadContent): ToolOutcome {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType !== undefined) return readMedia(bytes, mediaType, name);
  const maxCharacters = numberOr(args.chars_limit) ?? MAX_CONTENT_CHARACTERS;
  const range = {
    offset: numberOr(args.offset),
    limit: numberOr(args.limit),
    line_numbers: args.line_numbers !== false,
  };
  if (success.range_applied === true) return readApplied(bytes, { name, success, range, maxCharacters });
  try {
    const outcome = readWholeRange(range, { name, path: name, bytes, maxCharacters });
    return success.truncated === true && outcome.ok ? cutByClient(outcome) : outcome;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    return fail(error.code, error.message, omitUndefined({ data: error.data }));
  }
}

/** The client sent the wanted lines alone: they are numbered from where they begin. */
function readApplied(
  bytes: Buffer,
  read: {
    readonly name: string;
    readonly success: JsonObject;
    readonly range: RangeArguments;
    readonly maxCharacters: number;
  },
): ToolOutcome {
  const { name, success, range, maxCharacters } = read;
  const total = Number(success.total_lines ?? 0);
  const start = firstLine(range.offset, total);
  const text = bytes.toString('utf8');
  const window = new LineWindow({
    range: { start, limit: range.limit ?? DEFAULT_LINES },
    maxCharacters,
    hasNumbers: range.line_numbers !== false,
  });
  for (const line of splitLines(text)) if (!window.add(line)) break;
  const hasMore = window.lastLine < total;
  const notice = hasMore
    ? `\n\n[Lines ${start}-${window.lastLine} of ${total}; go on with offset ${window.lastLine + 1}.]`
    : '';
  return succeed(`${window.text}${notice}`, {
    attachments: omitUndefined({ file_path: name, line_count: total > 0 ? total : undefined }),
    data: present({
      path: name,
      contents: text,
      total_lines_in_file: total > 0 ? total : undefined,
      file_size: success.file_size,
      start_line: start,
      end_line: window.lastLine,
      truncated: hasMore,
    }),
  });
}

function cutByClient(outcome: ToolOutcome & { ok: true }): ToolOutcome {
  const notice = '[The client cut the file here; read on with offset and limit, or search in it with grep.]';
  return {
    ...outcome,
    content: `${outcome.content}\n\n${notice}`,
    data: { ...outcome.data, truncated: true },
  };
}

function readMedia(bytes: Buffer, mediaType: string, path: string): ToolOutcome {
  if (bytes.length > MAX_MEDIA_BYTES)
    return fail(
      'EFBIG',
      `${path} (${mediaType}) has ${bytes.length} bytes; models take at most ${MAX_MEDIA_BYTES}. Make it smaller first.`,
    );
  const source = { type: 'base64', data: bytes.toString('base64'), mediaType } as const;
  const isImage = mediaType.startsWith('image/');
  const filename = path.split(/[\\/]/).at(-1) ?? path;
  return succeed(
    `${path} is ${isImage ? 'a picture' : 'a PDF document'} (${mediaType}, ${bytes.length} bytes); it is attached.`,
    {
      parts: [isImage ? { type: 'image', source } : { type: 'file', source, filename }],
      attachments: { file_path: path, size_bytes: bytes.length },
      data: { path, media_type: mediaType, file_size: bytes.length },
    },
  );
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** `contents_base64` is for bytes that are no UTF-8 text; no tool has such an argument. */
export const WRITE: ExecForm = {
  args: 'write_args',
  result: 'write_result',
  tool: 'write',
  encodeArgs: ({ path, contents, contents_base64, return_file_content_after_write }) => ({
    path,
    file_text: contents,
    file_bytes: contents_base64,
    return_file_content_after_write,
  }),
  decodeArgs: ({ path, file_text, file_bytes, return_file_content_after_write }) => ({
    path,
    contents: file_bytes === undefined ? (file_text ?? '') : undefined,
    contents_base64: file_bytes,
    return_file_content_after_write,
  }),
  encodeResult({ data }) {
    const { file } = editedFile(data);
    return {
      success: present({
        path: file.path,
        lines_created: file.num_lines_in_file,
        file_size: file.file_size,
        file_content_after_write: file.contents_after_edit,
      }),
    };
  },
  decodeResult(result, args) {
    const { path, lines_created, file_size, file_content_after_write } = objectAt(result, 'success');
    const file = present({
      path: path ?? args.path,
      num_lines_in_file: lines_created,
      file_size,
      contents_after_edit: file_content_after_write,
    });
    return succeed(`Wrote ${file.path}.`, { data: { files: [file], diff_string: '' } });
  },
};

const DELETED = agentResult('delete_tool_call');

export const DELETE: ExecForm = {
  args: 'delete_args',
  result: 'delete_result',
  tool: 'delete_file',
  encodeArgs: named('path').encode,
  decodeArgs: named('path').decode,
  encodeResult: (outcome) => DELETED.encode(outcome),
  decodeResult: (result) => DELETED.decode(result),
};

const LINTED = agentResult('read_lints_tool_call');
const MAX_SHOWN = 500;

/** One file a time; the tool takes several and asks once for each. */
export const DIAGNOSTICS: ExecForm = {
  args: 'diagnostics_args',
  result: 'diagnostics_result',
  tool: 'read_lints',
  encodeArgs: ({ paths }) => ({ path: Array.isArray(paths) ? paths[0] : undefined }),
  decodeArgs: ({ path }) => ({ paths: path === undefined ? [] : [path] }),
  encodeResult(outcome) {
    const [file = {}] = listOf(objectAt(present(LINTED.encode(outcome)), 'success').file_diagnostics);
    const { path, diagnostics, diagnostics_count } = file;
    return { success: present({ path, diagnostics, total_diagnostics: diagnostics_count }) };
  },
  decodeResult(result, args) {
    const { path, diagnostics } = objectAt(result, 'success');
    const [asked] = Array.isArray(args.paths) ? args.paths : [];
    const file = present({ path: path ?? asked, diagnostics: diagnostics ?? [] });
    const decoded = LINTED.decode({ success: { file_diagnostics: [file] } });
    return decoded.ok ? succeed(formatLints(decoded.data), omitUndefined({ data: decoded.data })) : decoded;
  },
};

const SEVERITIES = ['', 'error', 'warning', 'info', 'hint'];

export function formatLints(data: JsonObject | undefined): string {
  const lines = listOf(data?.linter_errors_by_file).flatMap(({ relative_workspace_path, errors }) => {
    const found = listOf(errors);
    return found.length === 0 ? [] : [String(relative_workspace_path), ...found.map(lintLine)];
  });
  if (lines.length === 0) return 'No linter errors found.';
  const rest = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(rest > 0 ? [`[${rest} more lines left out]`] : [])].join('\n');
}

function lintLine({ range, severity, message, source, code }: JsonObject): string {
  const { start_position } = isJsonObject(range) ? range : {};
  const { line, column } = isJsonObject(start_position) ? start_position : {};
  const from = [source, code].filter((one) => one !== undefined && one !== '').join(' ');
  const text = String(message ?? '').replace(/\s*\n\s*/g, ' ');
  return `  ${line ?? 0}:${column ?? 0}  ${SEVERITIES[Number(severity)] || 'error'}  ${text}${from === '' ? '' : `  (${from})`}`;
}
