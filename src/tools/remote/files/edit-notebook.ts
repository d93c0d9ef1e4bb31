// EDIT_FILE_V2 (38) as `edit_notebook`. The built-in tool plans on a file of this machine, so it is given a copy of the
// client's notebook in a folder of its own that is gone when the plan is made.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { planNotebookEdit } from '../../builtin/files/edit-notebook.ts';
import type { EditPlan } from '../../builtin/files/edit-tool.ts';
import { Resources } from '../../resources.ts';
import { Workspace } from '../../workspace.ts';
import type { RemoteCall } from '../remote-tool.ts';
import { serverContext } from '../server-context.ts';
import { defineRemoteEdit } from './define-remote-edit.ts';
import type { DraftFile } from './remote-draft.ts';

interface NotebookArguments {
  readonly target_notebook: string;
  readonly cell_idx: number;
  readonly is_new_cell: boolean;
  readonly cell_language?: string;
  readonly old_string?: string;
  readonly new_string: string;
}

export const editNotebook = defineRemoteEdit<NotebookArguments>(
  'edit_notebook',
  async (args, draft, call) => {
    const file = await draft.open(args.target_notebook);
    const { changes, ...told } = await planOnCopy(file, args, call);
    file.now = changes[0]?.after;
    return told;
  },
);

async function planOnCopy(file: DraftFile, args: NotebookArguments, call: RemoteCall): Promise<EditPlan> {
  const folder = await mkdtemp(path.join(tmpdir(), 'crosspoint-notebook-'));
  try {
    // Under the name by which the model knows it, where that stays inside the folder.
    const isInside = !path.isAbsolute(file.name) && !file.name.split(/[\\/]/).includes('..');
    const name = isInside ? file.name : path.basename(file.name);
    const copy = path.join(folder, name);
    await mkdir(path.dirname(copy), { recursive: true });
    if (file.before !== undefined) await writeFile(copy, file.before, { mode: 0o600 });
    const context = serverContext(call, new Resources(), new Workspace(folder));
    return await planNotebookEdit(context, {
      path: name,
      cellIndex: args.cell_idx,
      isNewCell: args.is_new_cell,
      language: args.cell_language,
      oldString: args.old_string,
      newString: args.new_string,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
