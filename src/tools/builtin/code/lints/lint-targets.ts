import path from 'node:path';
import type { Touch } from '../../../tool.ts';
import type { ToolContext } from '../../../tool-context.ts';
import { fail, type ToolFailure } from '../../../tool-outcome.ts';
import { findSearchRoot, readTouch, type SearchRoot } from '../../search/search-root.ts';
import { findLinters } from './find-linters.ts';

/** Given paths → existing places of the workspace, relative to its root. */
export async function resolveTargets(
  paths: readonly string[],
  root: SearchRoot,
  context: ToolContext,
): Promise<{ readonly ok: true; readonly targets: string[] } | ToolFailure> {
  const targets: string[] = [];
  for (const given of paths) {
    const place = await findSearchRoot(given, context);
    if (!place.ok) return place;
    if (!context.workspace.contains(place.path)) {
      return fail(
        'EACCES',
        `${given} is outside of the workspace; lints are read inside of ${context.workspace.root} only.`,
      );
    }
    const relative = path.relative(root.workspaceRoot, place.path);
    targets.push(relative === '' ? '.' : relative);
  }
  return { ok: true, targets: targets.length === 0 ? ['.'] : targets };
}

/** The places, and each program that will run on them. */
export async function lintTouches(
  paths: readonly string[],
  access: 'read' | 'write',
  context: ToolContext,
): Promise<Touch[]> {
  const root = await findSearchRoot('.', context);
  const linters = root.ok ? await findLinters(root, context) : [];
  const places = (paths.length === 0 ? ['.'] : paths).map(
    (given) => ({ ...readTouch(given, context), access }) as Touch,
  );
  const commands = linters
    .flatMap((linter) => linter.commands)
    .map((command) => ({ type: 'command', command, cwd: context.workspace.root }) as const);
  return [...places, ...commands];
}
