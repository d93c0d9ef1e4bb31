import path from 'node:path';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { CursorIgnore } from '../search/cursor-ignore.ts';
import { findSearchRoot } from '../search/search-root.ts';
import { findLinters } from './lints/find-linters.ts';
import { byFile, formatLint, lintData } from './lints/lint.ts';
import { lintTouches, resolveTargets } from './lints/lint-targets.ts';

const MAX_SHOWN = 500;

const args = toolArguments(
  {
    paths: z
      .array(z.string())
      .default([])
      .describe(
        'Files or folders to check; the whole workspace when left out. Best the files you have just changed.',
      ),
  },
  {
    aliases: {
      paths: ['path', 'files', 'file_paths', 'target_file', 'file_path', 'relative_workspace_path'],
    },
  },
);

export const readLints = defineTool({
  number: 30,
  name: 'read_lints',
  description: `Read the errors and warnings of linters and compilers for files or folders.
- TypeScript's own checker is asked; Biome, ESLint and Ruff too when the project is set up for them; other languages are checked for syntax.
- Call it after changing files, for those files. Do not call it for the whole workspace unless asked.`,
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (given, context) => lintTouches(given.paths, 'read', context),
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot('.', context);
    if (!root.ok) return root;
    const resolved = await resolveTargets(given.paths, root, context);
    if (!resolved.ok) return resolved;
    const linters = await findLinters(root, context);
    const reports = await Promise.all(linters.map((linter) => linter.read(resolved.targets, root, context)));
    if (context.signal.aborted) return fail('ECANCELED', 'Reading lints was cancelled.');
    const hidden = new CursorIgnore(root.workspaceRoot);
    const lints = reports.flatMap((report) => report.lints).filter((lint) => !hidden.hides(lint.file));
    const files = byFile(lints);
    const notes = reports.flatMap((report) => (report.problem === undefined ? [] : [`[${report.problem}]`]));
    const lines: string[] = [];
    for (const [file, found] of files) {
      if (lines.length >= MAX_SHOWN) break;
      lines.push(file.split(path.sep).join('/'), ...found.slice(0, MAX_SHOWN - lines.length).map(formatLint));
    }
    if (lines.length >= MAX_SHOWN)
      notes.unshift(`[the first ${MAX_SHOWN} lines of ${lints.length} findings; give paths to see others]`);
    const names = linters.map((linter) => linter.name).join(', ');
    const content =
      lints.length === 0
        ? [`No linter errors found (checked by ${names}).`, ...notes].join('\n')
        : [
            `${lints.length} findings in ${files.size} file${files.size === 1 ? '' : 's'} (checked by ${names}).`,
            '',
            ...lines,
            ...notes,
          ].join('\n');
    const data = {
      linter_errors_by_file: [...files].map(([file, found]) => ({
        relative_workspace_path: file,
        errors: found.slice(0, MAX_SHOWN).map(lintData),
      })),
    };
    return succeed(content, {
      data,
      attachments: { match_count: lints.length, duration_ms: context.nowMs() - started },
    });
  },
});
