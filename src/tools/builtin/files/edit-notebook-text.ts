// One cell of a Jupyter notebook (nbformat 4), text to text: no disk, no workspace. Only the touched part of the JSON
// changes; outputs, metadata and the layout of the rest stay byte for byte.
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
import { FileFault } from './file-fault.ts';
import { replaceText } from './replace-text.ts';
import { lineEndingOf } from './text-form.ts';

export interface CellEdit {
  readonly cellIndex: number;
  readonly isNewCell: boolean;
  readonly language: string | undefined;
  /** Undefined replaces the whole cell. */
  readonly oldString: string | undefined;
  readonly newString: string;
}

/** As the model writes it. */
export interface CellArguments {
  readonly cell_idx: number;
  readonly is_new_cell: boolean;
  readonly cell_language?: string | undefined;
  readonly old_string?: string | undefined;
  readonly new_string: string;
}

export function cellEditOf(args: CellArguments): CellEdit {
  return {
    cellIndex: args.cell_idx,
    isNewCell: args.is_new_cell,
    language: args.cell_language,
    oldString: args.old_string,
    newString: args.new_string,
  };
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

/** `text` is undefined where there is no file yet: then a new cell starts a new notebook. `name` is for what goes wrong. */
export function editNotebookText(text: string | undefined, edit: CellEdit, name: string): string {
  if (text === undefined && !edit.isNewCell)
    throw new FileFault('ENOENT', `${name} does not exist. Check the path, or search for it by name.`);
  const old = text ?? NEW_NOTEBOOK;
  const notebook = readNotebook(old, name);
  return edit.isNewCell ? insertCell(old, notebook, edit, name) : editCell(old, notebook, edit, name);
}

export function describeCellEdit({ isNewCell, cellIndex }: CellEdit, name: string): string {
  return `${isNewCell ? 'Inserted' : 'Edited'} cell ${cellIndex} of ${name}.`;
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

function insertCell(text: string, notebook: Notebook, edit: CellEdit, name: string): string {
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

function editCell(text: string, notebook: Notebook, edit: CellEdit, name: string): string {
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
