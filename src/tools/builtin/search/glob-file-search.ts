import path from 'node:path';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { findFiles } from './find-files.ts';
import { FOLDER_NAMES, findSearchFolder, readTouch, withNotes } from './search-root.ts';

const MAX_PATHS = 1_000;

const args = toolArguments(
  {
    glob_pattern: z
      .string()
      .min(1)
      .describe(
        'Glob to match paths against, e.g. "*.test.ts" or "src/**/index.{js,ts}". Without a leading "**/" it is put there.',
      ),
    target_directory: z.string().optional().describe('Folder to look in; the whole workspace when left out.'),
  },
  {
    aliases: {
      glob_pattern: ['pattern', 'glob', 'globPattern'],
      target_directory: FOLDER_NAMES,
    },
    ignored: ['case_sensitive', 'respect_git_ignore'],
  },
);

/** As rules know it. */
const TOOL = { number: 42, name: 'glob_file_search' } as const;

export const globFileSearch = defineTool({
  ...TOOL,
  description: `Find files by a glob on their path, most recently changed first.
- "*" stays within a folder name, "**" crosses folders, "{a,b}" and "[ab]" choose.
- Files named in .gitignore and .cursorignore are left out; hidden ones too, unless the pattern names them (".github/**").
- Use grep for what files contain, file_search when you only know part of a name.`,
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
    const found = await findFiles(given.glob_pattern, root, context, MAX_PATHS);
    if (!found.ok) return found;
    const bound = found.isComplete ? '' : 'at least ';
    const more = found.total > found.files.length || !found.isComplete;
    const content =
      found.total === 0
        ? `No files match ${given.glob_pattern}.`
        : [
            `Found ${bound}${found.total} file${found.total === 1 ? '' : 's'}, last changed first.`,
            '',
            ...found.files,
            ...(more
              ? [
                  '',
                  `[${found.files.length} shown; use a narrower pattern or target_directory to see others]`,
                ]
              : []),
          ].join('\n');
    const directory = {
      abs_path: root.path,
      files: found.files.map((file) => ({
        rel_path: path.relative(root.path, path.resolve(root.workspaceRoot, file)),
      })),
      total_files: found.total,
      ripgrep_truncated: more,
    };
    const attachments = { match_count: found.total, duration_ms: context.nowMs() - started };
    return succeed(withNotes(content, root), { attachments, data: { directories: [directory] } });
  },
});
