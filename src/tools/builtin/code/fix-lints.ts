import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { JsonObject } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { commitChanges, type FileChange } from '../files/commit-changes.ts';
import { settle } from '../files/file-fault.ts';
import { takeSnapshot } from '../files/file-snapshot.ts';
import { decodeText, encodeText } from '../files/text-form.ts';
import { CursorIgnore } from '../search/cursor-ignore.ts';
import { absoluteOf } from '../search/list-files.ts';
import { findSearchRoot, type SearchRoot } from '../search/search-root.ts';
import { findLinters } from './lints/find-linters.ts';
import { byFile, formatLint, type Lint, lintData } from './lints/lint.ts';
import { lintTouches, resolveTargets } from './lints/lint-targets.ts';
import type { Linter } from './lints/linter.ts';

const MAX_FILES = 100;
const MAX_CHARACTERS = 1_000_000;
const MAX_DIFF_CHARACTERS = 40_000;

const args = toolArguments(
  {
    paths: z
      .array(z.string())
      .default([])
      .describe('Files or folders to mend; the whole workspace when left out.'),
  },
  { aliases: { paths: ['path', 'files', 'file_paths', 'target_file', 'file_path'] } },
);

interface Mended {
  readonly file: string;
  readonly change: FileChange;
  readonly diff: string;
}

export const fixLints = defineTool({
  number: 29,
  name: 'fix_lints',
  description: `Apply the safe automatic fixes of the project's linters (Biome, ESLint, Ruff) to files with findings, and see the diff and what is left.
- Only fixes that the linter itself calls safe are made; the rest must be mended by editing.`,
  args,
  risk: 'write',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: (given, context) => lintTouches(given.paths, 'write', context),
  run: (given, context) => settle(context, () => mend(given.paths, context)),
});

/** The linters say how a text should read; the files are changed here, all of them or none, and can be put back. */
async function mend(paths: readonly string[], context: ToolContext): Promise<ToolOutcome> {
  const root = await findSearchRoot('.', context);
  if (!root.ok) return root;
  const resolved = await resolveTargets(paths, root, context);
  if (!resolved.ok) return resolved;
  const linters = (await findLinters(root, context)).filter((linter) => linter.fix !== undefined);
  if (linters.length === 0) {
    return fail(
      'UNAVAILABLE',
      'This project has no linter that fixes by itself: Biome, ESLint and Ruff need their configuration file in the workspace root and their program installed. Edit the files that read_lints names.',
    );
  }
  const files = await filesWithLints(linters, resolved.targets, root, context);
  const tried = files.slice(0, MAX_FILES);
  const mended: Mended[] = [];
  for (const file of tried) {
    context.signal.throwIfAborted();
    const one = await mendFile(file, linters, root, context);
    if (one) mended.push(one);
  }
  context.signal.throwIfAborted();
  const changes = mended.map(({ change }) => change);
  await commitChanges(context, changes, { tool: 'fix_lints', mayBeStale: true });
  const left = await readAll(linters, tried, root, context);
  return succeed(render(mended, left, files.length), {
    data: { file_results: results(mended, left) },
    attachments: { edits_applied: mended.length, match_count: left.length },
  });
}

async function readAll(
  linters: readonly Linter[],
  targets: readonly string[],
  root: SearchRoot,
  context: ToolContext,
): Promise<Lint[]> {
  if (targets.length === 0) return [];
  const reports = await Promise.all(linters.map((linter) => linter.read(targets, root, context)));
  return reports.flatMap((report) => report.lints);
}

async function filesWithLints(
  linters: readonly Linter[],
  targets: readonly string[],
  root: SearchRoot,
  context: ToolContext,
): Promise<string[]> {
  const hidden = new CursorIgnore(root.workspaceRoot);
  const lints = await readAll(linters, targets, root, context);
  return [...byFile(lints).keys()].filter((file) => !hidden.hides(file));
}

/** Each linter mends what the one before has left; undefined when none found anything to mend. */
async function mendFile(
  file: string,
  linters: readonly Linter[],
  root: SearchRoot,
  context: ToolContext,
): Promise<Mended | undefined> {
  const before = await takeSnapshot(context, absoluteOf(root, file));
  const decoded = before.found && decodeText(before.found.bytes);
  if (!decoded || decoded.text.length > MAX_CHARACTERS) return undefined;
  let text = decoded.text;
  for (const linter of linters) text = (await linter.fix?.(file, text, root, context)) ?? text;
  if (text === decoded.text) return undefined;
  const diff = createTwoFilesPatch(file, file, decoded.text, text, undefined, undefined, { context: 2 });
  return { file, change: { before, after: encodeText(text, decoded.form) }, diff };
}

function render(mended: readonly Mended[], left: readonly Lint[], found: number): string {
  const head =
    mended.length === 0
      ? 'Nothing could be fixed automatically.'
      : `Fixed ${mended.length} file${mended.length === 1 ? '' : 's'}.`;
  const lines = [head];
  let characters = 0;
  for (const { file, diff } of mended) {
    characters += diff.length;
    lines.push('', characters > MAX_DIFF_CHARACTERS ? `${file}: fixed (diff left out)` : diff);
  }
  if (found > MAX_FILES)
    lines.push('', `[${found - MAX_FILES} more files have findings; call again or give paths]`);
  if (left.length > 0) {
    lines.push('', `${left.length} findings are left; edit the files to mend them:`);
    for (const [file, lints] of [...byFile(left)].slice(0, 50)) {
      lines.push(file, ...lints.slice(0, 20).map(formatLint));
    }
  }
  return lines.join('\n');
}

function results(mended: readonly Mended[], left: readonly Lint[]): JsonObject[] {
  const leftByFile = byFile(left);
  return mended.map(({ file, diff }) => ({
    file_path: file,
    diff,
    is_applied: true,
    apply_failed: false,
    linter_errors: (leftByFile.get(file) ?? []).map(lintData),
  }));
}
