// EDIT_FILE (7), the first edit tool: a sketch (`code_edit`) that a second model would merge, or the wire's own
// `old_string`/`new_string` with its switches, or `contents`. A sketch with one reading is merged, any other refused.
import { z } from 'zod';
import type { JsonValue } from '../../../core/index.ts';
import { canonicalArguments, toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { planNotebookEdit } from './edit-notebook.ts';
import { defineEditTool, EDIT_ACCESS, type EditPlan } from './edit-tool.ts';
import { takeSnapshot, textOfSnapshot } from './file-snapshot.ts';
import { ambiguousSketch, hasMarkers, isWholeFile, mergeSketch } from './merge-sketch.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { planReplacements, REPLACEMENT_ALIASES } from './search-replace.ts';
import { encodeText, lineEndingOf, withLineEnding } from './text-form.ts';

const ARGS = toolArguments(
  z
    .object({
      path: z.string().min(1).describe('The file to edit, absolute or relative to the workspace.'),
      code_edit: z
        .string()
        .optional()
        .describe(
          'The new text with unchanged stretches replaced by a comment "... existing code ..."; every part begins and ends with an unchanged line that is unique in the file.',
        ),
      old_string: z.string().optional().describe('Instead of code_edit: the text to replace.'),
      new_string: z.string().optional().describe('The text to put in place of old_string.'),
      replace_all: z.boolean().optional().describe('Replace every occurrence of old_string. Default false.'),
      ignore_whitespace: z
        .boolean()
        .optional()
        .describe('Where old_string is not found exactly, accept lines that differ only in white space.'),
      line_ranges: z
        .array(z.object({ start: z.int(), end: z.int() }))
        .optional()
        .describe('Only replace matches that begin in one of these line ranges, both ends included.'),
      cell_idx: z.int().min(0).optional().describe('For notebooks: the cell to edit, from 0.'),
      is_new_cell: z.boolean().optional().describe('For notebooks: insert a new cell at cell_idx.'),
      cell_language: z.string().optional().describe('For notebooks: the language of the cell.'),
    })
    .superRefine((args, refinement) => {
      if (args.code_edit === undefined && args.new_string === undefined)
        refinement.addIssue({
          code: 'custom',
          path: ['code_edit'],
          message: 'Give code_edit, or old_string and new_string.',
        });
    }),
  {
    aliases: {
      path: PATH_ALIASES,
      code_edit: ['contents', 'content'],
      ...REPLACEMENT_ALIASES,
      ignore_whitespace: ['use_whitespace_insensitive_fallback'],
      cell_idx: ['notebook_cell_idx'],
    },
    paths: ['path'],
    modernise(args) {
      if (!Array.isArray(args.line_ranges)) return;
      args.line_ranges = args.line_ranges.map(
        (range) => canonicalArguments(range, {}, RANGE_SPELLINGS) as JsonValue, // JSON renamed
      );
    },
  },
);

const RANGE_SPELLINGS = {
  aliases: {
    start: ['start_line', 'start_line_number', 'start_line_number_one_indexed'],
    end: ['end_line', 'end_line_inclusive', 'end_line_number_inclusive', 'end_line_number'],
  },
};

export const editFile = defineEditTool({
  number: 7,
  name: 'edit_file',
  description:
    'Edits a file from a sketch of the change: the new lines, with "// ... existing code ..." (in the comment style of the language) wherever lines stay as they are. Each part between such comments must begin and end with a line copied from the file that occurs only once; the lines between those two are replaced. Prefer search_replace for small changes.',
  args: ARGS,
  uses: ({ path }) => [{ path, access: EDIT_ACCESS }],
  plan: async (args, context) => {
    const { cell_idx, old_string, new_string } = args;
    if (cell_idx !== undefined && new_string !== undefined)
      return planNotebookEdit(context, args.path, {
        cellIndex: cell_idx,
        isNewCell: args.is_new_cell ?? false,
        language: args.cell_language,
        oldString: old_string,
        newString: new_string,
      });
    if (new_string !== undefined)
      return planReplacements(context, args.path, [
        {
          oldString: old_string ?? '',
          newString: new_string,
          replaceAll: args.replace_all ?? false,
          mayIgnoreWhitespace: args.ignore_whitespace ?? false,
          lineRanges: args.line_ranges ?? [],
        },
      ]);
    return planSketch(context, args.path, args.code_edit ?? '');
  },
});

async function planSketch(context: ToolContext, path: string, sketch: string): Promise<EditPlan> {
  const before = await takeSnapshot(context, path);
  const name = context.workspace.display(before.target.path);
  if (before.found === undefined && !hasMarkers(sketch))
    return {
      changes: [{ before, after: Buffer.from(sketch, 'utf8') }],
      summary: `Created ${name}.`,
      editsApplied: 1,
    };
  const { text, form } = await textOfSnapshot(context, before);
  if (!hasMarkers(sketch) && !isWholeFile(text, sketch)) throw ambiguousSketch(name);
  const merged = hasMarkers(sketch)
    ? mergeSketch(text, sketch, name)
    : withLineEnding(sketch, lineEndingOf(text));
  if (merged === text) return { changes: [], summary: `The sketch changes nothing in ${name}.` };
  return {
    changes: [{ before, after: encodeText(merged, form) }],
    summary: `Merged the sketch into ${name}. Check the diff: lines between two kept ones were replaced.`,
    editsApplied: 1,
  };
}
