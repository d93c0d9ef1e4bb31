// DELETE_FILE (11). One file or one link, never a folder. Fails softly: exactly one of the result's three flags is set.
import { lstat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, type Touch } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import type { ResolvedPath } from '../../workspace.ts';
import { withFolder } from './anchored-folder.ts';
import { commitChanges } from './commit-changes.ts';
import { FileFault, settle } from './file-fault.ts';
import { MAX_EDIT_BYTES, missingFile, snapshotAt } from './file-snapshot.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { claimPaths, usePath } from './path-claims.ts';
import { decodeText } from './text-form.ts';

const ARGS = toolArguments(
  z.object({
    path: z.string().min(1).describe('The file to delete, absolute or relative to the workspace.'),
  }),
  { aliases: { path: PATH_ALIASES }, paths: ['path'] },
);

type DeleteArguments = z.infer<typeof ARGS>;

export const deleteFile = defineTool<DeleteArguments>({
  number: 11,
  name: 'delete_file',
  description:
    'Deletes one file. Folders are refused; a link is removed and what it points to stays. The content is kept in the undo journal, so reapply with action undo brings the file back.',
  args: ARGS,
  risk: 'write',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: async (args, context) => {
    const touches = await claimPaths(context, [{ path: args.path, access: ['delete'] }]);
    // The result holds the content, for programs that show it: deleting is reading too.
    return touches.flatMap((touch): Touch[] =>
      touch.type === 'path' ? [{ ...touch, access: 'read' }, touch] : [touch],
    );
  },
  run: (args, context) =>
    settle(context, async () => {
      const target = await usePath(context, args.path, 'delete');
      if (!target.exists) return notThere(context, target);
      return deleteEntry(context, target);
    }),
  preview: (args, context) => `Delete ${context.workspace.display(context.workspace.absolute(args.path))}`,
});

async function notThere(context: ToolContext, target: ResolvedPath): Promise<ToolOutcome> {
  const { message } = await missingFile(context, target);
  return fail('ENOENT', message, { data: { file_non_existent: true, path: target.path } });
}

async function deleteEntry(context: ToolContext, target: ResolvedPath): Promise<ToolOutcome> {
  const name = context.workspace.display(target.path);
  const entry = await lstat(target.realPath);
  if (entry.isDirectory())
    throw new FileFault(
      'EISDIR',
      `${name} is a folder; only files are deleted. Remove its files one by one.`,
    );
  if (!entry.isFile() || entry.size > MAX_EDIT_BYTES) {
    await withFolder(path.dirname(target.realPath), (at) => unlink(at(path.basename(target.realPath))));
    const what = entry.isSymbolicLink() ? 'the link' : 'the file';
    return describe(
      target,
      `Deleted ${name}. ${what} cannot be brought back: it is not in the journal.`,
      entry.size,
    );
  }
  const before = await snapshotAt(context, target);
  const { canUndo } = await commitChanges(context, [{ before, after: undefined }], { tool: 'delete_file' });
  const size = before.found?.bytes.length ?? 0;
  const content = before.found && decodeText(before.found.bytes)?.text;
  const hint = canUndo ? '' : ' It is too large for the journal and cannot be brought back.';
  return describe(target, `Deleted ${name} (${size} bytes).${hint}`, size, content);
}

function describe(target: ResolvedPath, text: string, size: number, previous?: string): ToolOutcome {
  return succeed(text, {
    attachments: { file_path: target.path, size_bytes: size },
    data: omitUndefined({
      file_deleted_successfully: true,
      path: target.path,
      file_size: size,
      prev_content: previous,
    }),
  });
}
