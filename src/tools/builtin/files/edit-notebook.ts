// EDIT_FILE_V2 (38) as `edit_notebook` / `EditNotebook`: one cell of a Jupyter notebook.
import { z } from 'zod';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { type CellEdit, cellEditOf, describeCellEdit, editNotebookText } from './edit-notebook-text.ts';
import { defineEditTool, EDIT_ACCESS, type EditPlan } from './edit-tool.ts';
import { takeSnapshot, textOfSnapshot } from './file-snapshot.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { encodeText, PLAIN_FORM } from './text-form.ts';

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
  plan: (args, context) => planNotebookEdit(context, args.target_notebook, cellEditOf(args)),
});

export async function planNotebookEdit(
  context: ToolContext,
  path: string,
  edit: CellEdit,
): Promise<EditPlan> {
  const before = await takeSnapshot(context, path);
  const name = context.workspace.display(before.target.path);
  const isNew = before.found === undefined && edit.isNewCell;
  const old = isNew ? undefined : await textOfSnapshot(context, before);
  const edited = editNotebookText(old?.text, edit, name);
  return {
    changes: [{ before, after: encodeText(edited, old?.form ?? PLAIN_FORM) }],
    summary: describeCellEdit(edit, name),
    editsApplied: 1,
  };
}
