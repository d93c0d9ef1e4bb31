// READ_FILE_V2 (40), and READ_FILE (5) with its older arguments. The numbered form of the text, `     1|line`, and the
// words for an empty file are those of Cursor's published prompts; limits are ours where those are silent.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { FilePart, ImagePart, JsonObject, JsonValue } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { MAX_CONTENT_CHARACTERS } from '../../trim-output.ts';
import type { ResolvedPath } from '../../workspace.ts';
import { openFile } from './anchored-folder.ts';
import { FileFault, settle } from './file-fault.ts';
import { FILE_MEMORY } from './file-memory.ts';
import { missingFile } from './file-snapshot.ts';
import { LINE_INDEXES } from './line-index.ts';
import { DEFAULT_LINES } from './line-window.ts';
import { mediaTypeOf } from './media-type.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { claimPaths, usePath } from './path-claims.ts';
import { binaryFile, readLargeRange, readWholeRange } from './read-range.ts';
import { detectForm } from './text-form.ts';

/** Up to here a file is read whole: its hash is known and its encoding judged on all of it. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** What model vendors take of one picture or document. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

const ARGS = toolArguments(
  z.object({
    path: z.string().min(1).describe('The file to read, absolute or relative to the workspace.'),
    offset: z
      .int()
      .optional()
      .describe('The first line to read, from 1; a negative number counts from the end.'),
    limit: z.int().min(1).optional().describe('How many lines to read.'),
    chars_limit: z.int().min(1).optional().describe('How many characters to return at most.'),
    line_numbers: z.boolean().optional().describe('Whether each line begins with its number. Default true.'),
  }),
  {
    aliases: {
      path: PATH_ALIASES,
      chars_limit: ['max_chars'],
      line_numbers: ['enable_line_numbers', 'include_line_numbers'],
      start_line: ['start_line_one_indexed', 'from_line'],
      end_line: ['end_line_one_indexed_inclusive', 'end_line_one_indexed', 'to_line'],
      entire: ['should_read_entire_file', 'read_entire_file'],
    },
    paths: ['path'],
    modernise: rangeOfOlderArguments,
  },
);

export type ReadArguments = z.infer<typeof ARGS>;

/**
 * First and last line, as V1 and other agents give them, in terms of offset and limit. A limit of 0 is how a message
 * without optional fields says that there is none.
 */
function rangeOfOlderArguments(args: Record<string, JsonValue>): void {
  const { start_line, end_line, entire } = args;
  for (const name of ['start_line', 'end_line', 'entire']) delete args[name];
  for (const name of ['limit', 'chars_limit']) if (!args[name]) delete args[name];
  if (entire === true || entire === 'true') return;
  if (start_line !== undefined) args.offset ??= start_line;
  const start = Math.max(Number(args.offset ?? 1), 1);
  const end = Number(end_line);
  const hasEnd = end_line !== undefined && Number.isInteger(end) && end >= start;
  if (hasEnd) args.limit ??= end - start + 1;
}

export const readFile = defineTool<ReadArguments>({
  number: 40,
  name: 'read_file',
  description: `Reads a file. Text comes with line numbers, as "     1|first line"; the numbers are not part of the file. Without a range the first ${DEFAULT_LINES} lines come, and a notice says where to go on. Lines of more than 2000 characters are cut. Pictures (jpeg, png, gif, webp) and PDF documents come as attachments. Read several files at once where you need several. A folder cannot be read; list it.`,
  args: ARGS,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (args, context) => claimPaths(context, [{ path: args.path, access: ['read'] }]),
  run: (args, context) =>
    settle(context, async () => {
      const target = await usePath(context, args.path, 'read');
      if (!target.exists) throw await missingFile(context, target);
      const file = await openFile(target.realPath);
      try {
        return await readOpened(args, context, { target, file, stat: await file.stat({ bigint: true }) });
      } finally {
        await file.close();
      }
    }),
});

export interface OpenedFile {
  readonly target: ResolvedPath;
  readonly file: FileHandle;
  readonly stat: BigIntStats;
}

async function readOpened(
  args: ReadArguments,
  context: ToolContext,
  opened: OpenedFile,
): Promise<ToolOutcome> {
  const { target, file, stat } = opened;
  const head = Buffer.alloc(Math.min(HEAD_BYTES, Number(stat.size)));
  await file.read(head, 0, head.length, 0);
  const mediaType = mediaTypeOf(head);
  if (mediaType !== undefined) return readMedia(context, opened, mediaType);
  const memory = context.resources.get(FILE_MEMORY);
  const maxCharacters = args.chars_limit ?? MAX_CONTENT_CHARACTERS;
  if (stat.size <= WHOLE_BYTES) {
    const bytes = await file.readFile({ signal: context.signal });
    memory.remember(target.realPath, stat, bytes);
    return readWholeRange(args, { name: nameOf(context, target), path: target.path, bytes, maxCharacters });
  }
  const form = detectForm(head, false);
  if (form === undefined) throw binaryFile(nameOf(context, target), stat.size);
  memory.remember(target.realPath, stat);
  return readLargeRange(args, {
    name: nameOf(context, target),
    path: target.path,
    file,
    form,
    index: context.resources.get(LINE_INDEXES).of(target.realPath, stat),
    maxCharacters,
    context,
  });
}

/** Text inside a PDF is not taken out here; models that read documents do it better from the document itself. */
async function readMedia(context: ToolContext, opened: OpenedFile, mediaType: string): Promise<ToolOutcome> {
  const { target, file, stat } = opened;
  const name = nameOf(context, target);
  const isImage = mediaType.startsWith('image/');
  const most = isImage ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
  if (stat.size > most)
    throw new FileFault(
      'EFBIG',
      `${name} (${mediaType}) has ${stat.size} bytes; models take at most ${most}. Make it smaller with a shell command first.`,
    );
  const bytes = await file.readFile({ signal: context.signal });
  context.resources.get(FILE_MEMORY).remember(target.realPath, stat, bytes);
  const source = { type: 'base64', data: bytes.toString('base64'), mediaType } as const;
  const part: ImagePart | FilePart = isImage
    ? { type: 'image', source }
    : { type: 'file', source, filename: path.basename(target.path) };
  const data: JsonObject = { path: target.path, media_type: mediaType, file_size: bytes.length };
  return succeed(
    isImage
      ? `${name} is a picture (${mediaType}, ${bytes.length} bytes); it is attached.`
      : `${name} is a PDF document (${bytes.length} bytes); it is attached as a file. Its text was not extracted: for text alone run pdftotext, where it is installed.`,
    { parts: [part], attachments: { file_path: target.path, size_bytes: bytes.length }, data },
  );
}

function nameOf(context: ToolContext, target: ResolvedPath): string {
  return context.workspace.display(target.path);
}
