import type { FileHandle } from 'node:fs/promises';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { FileFault } from './file-fault.ts';
import { type LineIndex, streamLines } from './line-index.ts';
import { DEFAULT_LINES, firstLine, LineWindow, MAX_LINE_CHARACTERS } from './line-window.ts';
import { decodeText, lineEndingOf, splitLines, type TextForm } from './text-form.ts';

export interface RangeArguments {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly line_numbers?: boolean | undefined;
}

interface Source {
  /** For people, and absolute. */
  readonly name: string;
  readonly path: string;
  readonly maxCharacters: number;
}

/** How far past the wanted lines one call looks to learn how many there are in all. */
const COUNT_BYTES = 256 * 1024 * 1024;

export function readWholeRange(
  args: RangeArguments,
  source: Source & { readonly bytes: Buffer },
): ToolOutcome {
  const { bytes } = source;
  if (bytes.length === 0) return emptyFile(source);
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw binaryFile(source.name, bytes.length);
  const lines = splitLines(decoded.text);
  if (lines.length === 0) return emptyFile(source); // only a byte order mark
  const start = firstLine(args.offset, lines.length);
  if (start > lines.length) throw pastTheEnd(source.name, start, lines.length);
  const window = openWindow(args, source, start);
  for (const line of lines.slice(start - 1)) if (!window.add(line)) break;
  return describeWindow(source, window, {
    start,
    totalLines: lines.length,
    isCounted: true,
    sizeBytes: bytes.length,
    contents: exactLines(decoded.text, lines, start, window.lineCount),
    form: decoded.form,
    ending: lineEndingOf(decoded.text) === '\r\n' ? 'CRLF' : 'LF',
  });
}

/** Never holds more than a chunk and what is shown. */
export async function readLargeRange(
  args: RangeArguments,
  source: Source & {
    readonly file: FileHandle;
    readonly form: TextForm;
    readonly index: LineIndex;
    readonly context: ToolContext;
  },
): Promise<ToolOutcome> {
  const { file, form, index, context } = source;
  const { signal } = context;
  const watch = {
    signal,
    onProgress: (fraction: number) =>
      context.progress({ text: `Counting the lines of ${source.name}`, fraction }),
  };
  if (form.encoding === 'utf-16le' || form.encoding === 'utf-16be')
    throw new FileFault(
      'EFBIG',
      `${source.name} is UTF-16 and has ${index.size} bytes, too many to be read whole. Convert it with iconv first.`,
    );
  const whole = { line: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
  const offset = args.offset ?? 1;
  await index.extend(file, offset < 0 ? whole : { ...whole, line: offset }, watch);
  const start = firstLine(args.offset, index.lineCount);
  if (index.isComplete && start > index.lineCount) throw pastTheEnd(source.name, start, index.lineCount);
  const window = openWindow(args, source, start);
  const contents: string[] = [];
  const maxLineBytes = MAX_LINE_CHARACTERS * 4;
  for await (const line of streamLines(file, index, { start, maxLineBytes, signal })) {
    const text = decodeLine(line.bytes, form, start + contents.length === 1, line.cutBytes > 0);
    if (!window.add(text, line.cutBytes)) break;
    contents.push(text);
  }
  await index.extend(file, { ...whole, bytes: COUNT_BYTES }, watch);
  return describeWindow(source, window, {
    start,
    totalLines: Math.max(index.lineCount, window.lastLine),
    isCounted: index.isComplete,
    sizeBytes: index.size,
    contents: contents.map((line) => `${line}\n`).join(''),
    form,
    ending: contents.some((line) => line.endsWith('\r')) ? 'CRLF' : 'LF',
  });
}

function openWindow(args: RangeArguments, source: Source, start: number): LineWindow {
  return new LineWindow({
    range: { start, limit: args.limit ?? DEFAULT_LINES },
    maxCharacters: source.maxCharacters,
    hasNumbers: args.line_numbers ?? true,
  });
}

function decodeLine(bytes: Buffer, form: TextForm, isFirst: boolean, isCut: boolean): string {
  if (form.encoding === 'latin-1') return bytes.toString('latin1');
  const text = bytes.toString('utf8');
  const whole = isCut ? text.replace(/\ufffd$/, '') : text; // a character that the cut went through
  return isFirst && form.hasMark ? whole.replace(/^\ufeff/, '') : whole;
}

/** The lines as stored, line endings included. */
function exactLines(text: string, lines: readonly string[], start: number, count: number): string {
  const taken = lines.slice(start - 1, start - 1 + count).join('\n');
  const isLast = start - 1 + count === lines.length;
  return isLast && !text.endsWith('\n') ? taken : `${taken}\n`;
}

interface WindowFacts {
  readonly start: number;
  readonly totalLines: number;
  readonly isCounted: boolean;
  readonly sizeBytes: number;
  readonly contents: string;
  readonly form: TextForm;
  readonly ending: string;
}

function describeWindow(source: Source, window: LineWindow, facts: WindowFacts): ToolOutcome {
  const isRest = window.lastLine < facts.totalLines || !facts.isCounted;
  const total = facts.isCounted ? `${facts.totalLines}` : `more than ${facts.totalLines}`;
  const notices = [
    isRest
      ? `Lines ${facts.start}-${window.lastLine} of ${total}; go on with offset ${window.lastLine + 1}.`
      : undefined,
    window.cutLines > 0 ? `${window.cutLines} long lines were cut; search in them with grep.` : undefined,
    facts.form.encoding === 'utf-8' ? undefined : `Stored as ${facts.form.encoding}.`,
  ].filter((notice) => notice !== undefined);
  const content = notices.length === 0 ? window.text : `${window.text}\n\n[${notices.join(' ')}]`;
  const data: JsonObject = omitUndefined({
    path: source.path,
    contents: facts.contents,
    num_characters_in_requested_range: facts.contents.length,
    total_lines_in_file: facts.isCounted ? facts.totalLines : undefined,
    file_size: facts.sizeBytes,
    start_line: facts.start,
    end_line: window.lastLine,
    truncated: isRest,
    encoding: facts.form.encoding,
    line_ending: facts.ending,
  });
  return succeed(content, {
    attachments: omitUndefined({
      file_path: source.path,
      line_count: facts.isCounted ? facts.totalLines : undefined,
      size_bytes: facts.sizeBytes,
    }),
    data,
  });
}

function emptyFile(source: Source & { readonly bytes: Buffer }): ToolOutcome {
  return succeed('File is empty.', {
    attachments: { file_path: source.path, line_count: 0, size_bytes: source.bytes.length },
    data: {
      path: source.path,
      contents: '',
      num_characters_in_requested_range: 0,
      total_lines_in_file: 0,
      file_size: source.bytes.length,
      is_empty: true,
    },
  });
}

function pastTheEnd(name: string, start: number, total: number): FileFault {
  return new FileFault(
    'EINVAL',
    `offset ${start} is past the end of ${name}, which has ${total} lines. Use an offset from 1 to ${total}, or a negative one to count from the end.`,
    { offset_is_bigger_than_number_of_lines_in_file: true, total_lines_in_file: total },
  );
}

export function binaryFile(name: string, size: bigint | number): FileFault {
  return new FileFault(
    'BINARY',
    `${name} is a binary file of ${size} bytes and cannot be shown as text. Use a shell command such as file, strings or xxd.`,
  );
}
