// The first folder listing of the editor: one level, with sizes and counts. Superseded by `list_dir`, still understood.
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { CursorIgnore } from './cursor-ignore.ts';
import { FOLDER_NAMES, findSearchFolder, readTouch, withNotes } from './search-root.ts';

const MAX_ENTRIES = 1_000;

const args = toolArguments(
  {
    directory_path: z
      .string()
      .default('.')
      .describe('Folder to list, relative to the workspace or absolute.'),
  },
  {
    aliases: {
      directory_path: FOLDER_NAMES,
    },
  },
);

/** As rules know it. */
const TOOL = { number: 6, name: 'list_dir_v1' } as const;

export const listDirV1 = defineTool({
  ...TOOL,
  description:
    'List one level of a folder with sizes and dates; dot-files are not shown. Prefer list_dir, which shows a tree.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'retired',
  touches: (given, context) => [readTouch(given.directory_path, context)],
  async run(given, context) {
    const root = await findSearchFolder(given.directory_path, context, TOOL);
    if (!root.ok) return root;
    const hidden = new CursorIgnore(root.workspaceRoot);
    const relative = path.relative(root.workspaceRoot, root.path);
    const isHidden = (entry: Dirent) => {
      const file = path.join(relative, entry.name);
      const isIgnored = entry.isDirectory() ? hidden.hidesFolder(file) : hidden.hides(file);
      return isIgnored || root.forbidden?.hides(path.join(root.path, entry.name)) === true;
    };
    const entries = (await readdir(root.path, { withFileTypes: true }))
      .filter((entry) => !entry.name.startsWith('.') && !isHidden(entry))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    const shown = await Promise.all(entries.slice(0, MAX_ENTRIES).map((entry) => describe(root.path, entry)));
    const lines = shown.map((item) =>
      item.is_directory
        ? `${item.name}/  (${item.num_children} entries)`
        : `${item.name}  (${item.size} bytes)`,
    );
    if (entries.length > shown.length) lines.push('', `[${shown.length} of ${entries.length} entries shown]`);
    const content = lines.length === 0 ? '(nothing to list)' : lines.join('\n');
    const data = { files: shown, directory_relative_workspace_path: relative };
    const attachments = { file_path: root.path, match_count: entries.length };
    return succeed(withNotes(content, root), { data, attachments });
  },
});

async function describe(folder: string, entry: Dirent) {
  const full = path.join(folder, entry.name);
  const found = await stat(full).catch(() => undefined);
  const isDirectory = found?.isDirectory() === true;
  return omitUndefined({
    name: entry.name,
    is_directory: isDirectory,
    size: isDirectory ? undefined : (found?.size ?? 0),
    last_modified: found?.mtime.toISOString(),
    num_children: isDirectory
      ? await readdir(full).then(
          (names) => names.length,
          () => 0,
        )
      : undefined,
  });
}
