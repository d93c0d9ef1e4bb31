// EDIT_FILE_V2 (38) as `edit_notebook` / `EditNotebook`: one cell of a Jupyter notebook (nbformat 4). Only the touched
// part of the JSON changes; outputs, metadata and the layout of the rest stay byte for byte.
import {
  applyEdits,
  type JSONPath,
  type ModificationOptions,
  modify,
  type ParseError,
  parse,
} from 'jsonc-parser';
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { defineEditTool, EDIT_ACCESS, type EditPlan } from './edit-tool.ts';
import { FileFault } from './file-fault.ts';
import { takeSnapshot, textOfSnapshot } from './file-snapshot.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { replaceText } from './replace-text.ts';
import { encodeText, lineEndingOf, PLAIN_FORM } from './text-form.ts';

const ARGS = toolArguments(
  z.object({
    target_notebook: z.string().min(1).describe('The notebook file (.ipynb).'),
    cell_idx: z.int().min(0).describe('The cell, counted from 0.'),
    is_new_cell: z.boolean().describe('True inserts a new cell at cell_idx; false edits that cell.'),
    cell_language: z
      .string()
      .optional()
      .describe(
        'python, markdown, raw, or the language of the code: javascript, typescript, r, sql, shell, other.',
      ),
    old_string: z
      .string()
      .optional()
      .describe(
        'The text to replace, unique in the cell. Empty for a new cell; leave it out to replace the whole cell.',
      ),
    new_string: z.string().describe('The new text, or the text of the new cell.'),
  }),
  {
    aliases: {
      target_notebook: PATH_ALIASES,
      cell_idx: ['cell_index', 'cell_number', 'notebook_cell_idx'],
      cell_language: ['cell_type', 'language'],
      old_string: ['old_text', 'old_str'],
      new_string: ['new_source', 'new_text', 'new_str', 'source'],
    },
    paths: ['target_notebook'],
    // `edit_mode` is how another agent's notebook tool says it.
    modernise(args) {
      args.is_new_cell ??= args.edit_mode === 'insert';
    },
  },
);

export const editNotebook = defineEditTool({
  number: 38,
  name: 'edit_notebook',
  description:
    'Edits one cell of a Jupyter notebook, or inserts a new one; cells cannot be deleted. For an edit old_string must be unique in the cell, copied exactly (the text of the cell, not its JSON). For a new cell set is_new_cell, leave old_string empty and put the text in new_string; in a notebook that does not exist yet only cell 0 can be inserted.',
  args: ARGS,
  uses: ({ target_notebook }) => [{ path: target_notebook, access: EDIT_ACCESS }],
  plan: (args, context) =>
    planNotebookEdit(context, {
      path: args.target_notebook,
      cellIndex: args.cell_idx,
      isNewCell: args.is_new_cell,
      language: args.cell_language,
      oldString: args.old_string,
      newString: args.new_string,
    }),
});

export interface NotebookEdit {
  readonly path: string;
  readonly cellIndex: number;
  readonly isNewCell: boolean;
  readonly language: string | undefined;
  readonly oldString: string | undefined;
  readonly newString: string;
}

const CELL = z.looseObject({
  cell_type: z.string(),
  source: z.union([z.string(), z.array(z.string())]),
});
const NOTEBOOK = z.looseObject({
  cells: z.array(CELL),
  nbformat: z.number().optional(),
  nbformat_minor: z.number().optional(),
});

const NEW_NOTEBOOK = `${JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 4 }, undefined, 1)}\n`;

export async function planNotebookEdit(context: ToolContext, edit: NotebookEdit): Promise<EditPlan> {
  const before = await takeSnapshot(context, edit.path);
  const name = context.workspace.display(before.target.path);
  const isNew = before.found === undefined && edit.isNewCell;
  const { text, form } = isNew
    ? { text: NEW_NOTEBOOK, form: PLAIN_FORM }
    : await textOfSnapshot(context, before);
  const notebook = readNotebook(text, name);
  const edited = edit.isNewCell
    ? insertCell(text, notebook, edit, name)
    : editCell(text, notebook, edit, name);
  return {
    changes: [{ before, after: encodeText(edited, form) }],
    summary: `${edit.isNewCell ? 'Inserted' : 'Edited'} cell ${edit.cellIndex} of ${name}.`,
    editsApplied: 1,
  };
}

type Notebook = z.infer<typeof NOTEBOOK>;

function readNotebook(text: string, name: string): Notebook {
  const errors: ParseError[] = [];
  const parsed = NOTEBOOK.safeParse(parse(text, errors, { disallowComments: true }));
  if (errors.length > 0 || !parsed.success)
    throw new FileFault(
      'EINVAL',
      `${name} is not a notebook: it needs JSON with a list "cells" whose cells have "cell_type" and "source". Edit it as text instead.`,
    );
  return parsed.data;
}

function insertCell(text: string, notebook: Notebook, edit: NotebookEdit, name: string): string {
  const { cells } = notebook;
  if (edit.cellIndex > cells.length) throw noSuchCell(edit.cellIndex, cells.length, name);
  if (edit.oldString !== undefined && edit.oldString !== '')
    throw new FileFault('EINVAL', 'A new cell has no old_string; leave it empty.');
  const type = edit.language === 'markdown' || edit.language === 'raw' ? edit.language : 'code';
  // Cells have ids since nbformat 4.5, and readers of that version miss them.
  const hasIds = (notebook.nbformat ?? 4) > 4 || (notebook.nbformat_minor ?? 0) >= 5;
  const isCode = type === 'code';
  const cell = omitUndefined({
    cell_type: type,
    execution_count: isCode ? null : undefined,
    id: hasIds ? newCellId(cells) : undefined,
    metadata: isCode ? languageMetadata(edit.language) : {},
    outputs: isCode ? [] : undefined,
    source: sourceLines(edit.newString),
  });
  return change(text, ['cells', edit.cellIndex], cell, true);
}

function editCell(text: string, notebook: Notebook, edit: NotebookEdit, name: string): string {
  const cell = notebook.cells[edit.cellIndex];
  if (cell === undefined) throw noSuchCell(edit.cellIndex, notebook.cells.length, name);
  const source = typeof cell.source === 'string' ? cell.source : cell.source.join('');
  const isWholeCell = edit.oldString === undefined || (edit.oldString === '' && source === '');
  const edited = isWholeCell
    ? edit.newString
    : replaceText(
        source,
        { oldString: edit.oldString ?? '', newString: edit.newString, replaceAll: false },
        `cell ${edit.cellIndex} of ${name}`,
      ).text;
  const stored = typeof cell.source === 'string' ? edited : sourceLines(edited);
  return change(text, ['cells', edit.cellIndex, 'source'], stored, false);
}

function change(text: string, at: JSONPath, value: unknown, isArrayInsertion: boolean): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? ' ';
  const options: ModificationOptions = {
    isArrayInsertion,
    formattingOptions: {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 1 : indent.length,
      eol: lineEndingOf(text),
    },
  };
  return applyEdits(text, modify(text, at, value, options));
}

/** As nbformat stores text: a list of lines, each with its line break. */
function sourceLines(text: string): string[] {
  return text === '' ? [] : (text.replaceAll('\r\n', '\n').match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function newCellId(cells: Notebook['cells']): string {
  const taken = new Set(cells.map((cell) => cell.id));
  let number = cells.length + 1;
  while (taken.has(`cell-${number}`)) number++;
  return `cell-${number}`;
}

/** Where editors look for the language of a cell that is not the notebook's own. */
function languageMetadata(language: string | undefined): Record<string, unknown> {
  if (language === undefined || ['python', 'code', 'other'].includes(language)) return {};
  return { vscode: { languageId: language === 'shell' ? 'shellscript' : language } };
}

function noSuchCell(index: number, count: number, name: string): FileFault {
  return new FileFault(
    'EINVAL',
    count === 0
      ? `${name} has no cells; insert one at cell_idx 0.`
      : `cell_idx ${index} is not in ${name}, which has cells 0 to ${count - 1}.`,
  );
}
