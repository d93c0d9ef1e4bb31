import { readdir } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { CursorIgnore } from './cursor-ignore.ts';
import { DirectoryTree } from './directory-tree.ts';
import { walkFiles } from './list-files.ts';
import { chooseOpen, renderTree, treeData } from './render-tree.ts';
import { FOLDER_NAMES, findSearchFolder, readTouch, type SearchRoot, withNotes } from './search-root.ts';

const MAX_ENTRIES = 600;

const args = toolArguments(
  {
    target_directory: z
      .string()
      .default('.')
      .describe('Folder to list, relative to the workspace or absolute.'),
    ignore_globs: z
      .array(z.string())
      .optional()
      .describe(
        'Leave out what matches any of these globs, e.g. "*.snap" or "dist/**"; a leading "**/" is put there when missing.',
      ),
  },
  {
    aliases: {
      target_directory: FOLDER_NAMES,
      ignore_globs: ['ignore', 'ignoreGlobs'],
    },
    ignored: ['should_enrich_terminal_metadata', 'sandbox_policy'],
  },
);

/** As rules know it. */
const TOOL = { number: 39, name: 'list_dir' } as const;

export const listDir = defineTool({
  ...TOOL,
  description: `List a folder as a tree, as deep as fits. A folder that is not opened shows how many files it holds and of which kinds; list it by its own path to see inside.
Dot-files and what .gitignore or .cursorignore names are not shown. Use glob_file_search to find files by pattern.`,
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (given, context) => [readTouch(given.target_directory, context)],
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchFolder(given.target_directory, context, TOOL);
    if (!root.ok) return root;
    const isLeftOut = leftOutBy(given.ignore_globs ?? []);
    const tree = new DirectoryTree();
    const base = root.argument.startsWith('.') ? path.relative(root.workspaceRoot, root.path) : root.path;
    const prefix = base === '' ? 0 : base.length + 1;
    let folder: string | undefined;
    let below = '';
    const end = await walkFiles(root, context, {}, (paths) => {
      if (paths.folder !== folder) {
        folder = paths.folder;
        below = folder.slice(prefix);
      }
      if (!isLeftOut?.(paths.path().slice(prefix))) tree.add(below, paths);
      return true;
    });
    if (end.reason === 'cancelled') return fail('ECANCELED', 'The listing was cancelled.');
    for (const name of await plainFolders(root)) if (!isLeftOut?.(name)) tree.addFolder(name);
    const top = tree.finish();
    const open = chooseOpen(top, MAX_ENTRIES);
    const { fileCount } = top;
    const lines = [`${context.workspace.display(context.workspace.absolute(given.target_directory))}/`];
    const body = renderTree(top, open);
    lines.push(
      body === ''
        ? '(nothing to list: the folder is empty, or all of it is hidden or ignored)'
        : indent(body),
    );
    if (end.reason === 'timeout')
      lines.push('', `[the time limit was reached after ${fileCount} files; list a folder below]`);
    const attachments = {
      file_path: root.path,
      match_count: fileCount,
      duration_ms: context.nowMs() - started,
    };
    const data = { directory_tree_root: treeData(top, root.path, open) };
    return succeed(withNotes(lines.join('\n'), root), { attachments, data });
  },
});

/** The walk shows folders by their files only; those without any, or ignored as a whole, are worth a line too. */
async function plainFolders(root: SearchRoot): Promise<string[]> {
  const hidden = new CursorIgnore(root.workspaceRoot);
  const above = path.relative(root.workspaceRoot, root.path);
  const entries = await readdir(root.path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => !hidden.hidesFolder(path.join(above, name)))
    .filter((name) => !root.forbidden?.hides(path.join(root.path, name)));
}

function leftOutBy(globs: readonly string[]): ((file: string) => boolean) | undefined {
  if (globs.length === 0) return undefined;
  // A pattern that names a folder leaves out what is in it.
  const patterns = globs.flatMap((glob) => {
    const anywhere = glob.startsWith('**/') ? glob : `**/${glob.replace(/^\.?\//, '')}`;
    return [anywhere, `${anywhere.replace(/\/+$/, '')}/**`];
  });
  return picomatch(patterns, { dot: true, windows: path.sep === '\\' });
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
