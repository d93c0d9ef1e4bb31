// EDIT_FILE_V2 (38) as `edit_notebook`, on a notebook that the client holds.
import {
  type CellArguments,
  cellEditOf,
  describeCellEdit,
  editNotebookText,
} from '../../builtin/files/edit-notebook-text.ts';
import { encodeText, PLAIN_FORM } from '../../builtin/files/text-form.ts';
import { defineRemoteEdit } from './define-remote-edit.ts';
import { textOf } from './remote-draft.ts';

export const editNotebook = defineRemoteEdit<CellArguments & { readonly target_notebook: string }>(
  'edit_notebook',
  async (args, draft) => {
    const file = await draft.open(args.target_notebook);
    const edit = cellEditOf(args);
    const old = file.now === undefined ? undefined : textOf(file);
    file.now = encodeText(editNotebookText(old?.text, edit, file.name), old?.form ?? PLAIN_FORM);
    return { summary: describeCellEdit(edit, file.name), editsApplied: 1 };
  },
);
