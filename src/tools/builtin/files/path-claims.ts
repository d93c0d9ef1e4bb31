// What a call said it would touch binds it: `touches` notes where each path really leads, and at the moment of use the
// path must still lead there. A link swapped in between, after the policy has decided, is refused.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { defineResource } from '../../resources.ts';
import type { Touch } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import { leadsOut, type ResolvedPath } from '../../workspace.ts';
import { isHiddenPath } from '../search/cursor-ignore.ts';
import { errnoOf, FileFault } from './file-fault.ts';

export type Access = 'read' | 'write' | 'delete';

export interface PathUse {
  readonly path: string;
  readonly access: readonly Access[];
}

/** Calls that were asked about but never ran are forgotten, oldest first. */
const MAX_CALLS = 1_000;
/** Never ordinary files, even where a user would agree: they hold the secrets of this process or are devices. */
const SPECIAL = /^\/(?:proc|sys|dev)(?:\/|$)/;

class PathClaims {
  readonly #byCall = new Map<string, ReadonlySet<string>>();

  set(callId: string, realPaths: ReadonlySet<string>): void {
    this.#byCall.delete(callId);
    this.#byCall.set(callId, realPaths);
    for (const oldest of this.#byCall.keys()) {
      if (this.#byCall.size <= MAX_CALLS) break;
      this.#byCall.delete(oldest);
    }
  }

  of(callId: string): ReadonlySet<string> | undefined {
    return this.#byCall.get(callId);
  }
}

const PATH_CLAIMS = defineResource({ name: 'path-claims', create: () => new PathClaims() });

/**
 * The touches of a call: each path as it was given and, where links lead elsewhere, where it really is. What is not a
 * path at all is left out: the run refuses it before it touches anything.
 */
export async function claimPaths(context: ToolContext, uses: readonly PathUse[]): Promise<Touch[]> {
  const realPaths = new Set<string>();
  const touches: Touch[] = [];
  for (const use of uses)
    for (const access of use.access) {
      const target = await locatePath(context, use.path, access).catch(() => undefined);
      if (target === undefined) continue;
      realPaths.add(target.realPath);
      for (const named of new Set([target.path, target.realPath]))
        touches.push({ type: 'path', path: named, access });
    }
  context.resources.get(PATH_CLAIMS).set(context.callId, realPaths);
  return touches;
}

/** Where a path leads now, or a fault when that is not where the call may go. */
export async function usePath(context: ToolContext, given: string, access: Access): Promise<ResolvedPath> {
  const target = await locatePath(context, given, access);
  const claims = context.resources.get(PATH_CLAIMS).of(context.callId);
  if (SPECIAL.test(target.realPath))
    throw new FileFault('DENIED', `${given} is a device or a kernel file; only ordinary files can be used.`);
  const isAllowed = claims === undefined ? target.isInside : claims.has(target.realPath);
  if (!isAllowed)
    throw new FileFault(
      'DENIED',
      `${given} leads to ${target.realPath}, which this call may not ${access}; use a file of the workspace ${context.workspace.root}.`,
    );
  refuseHidden(context, target);
  const isNamedInside = !leadsOut(path.relative(context.workspace.root, target.path));
  if (access !== 'read' && !target.isInside && isNamedInside)
    throw new FileFault(
      'DENIED',
      `${given} is a link out of the workspace, to ${target.realPath}; to change that file, name it itself.`,
    );
  return target;
}

/** Where a path leads, before anything is decided about it. */
export async function locatePath(context: ToolContext, given: string, access: Access): Promise<ResolvedPath> {
  if (given === '' || given.includes('\0'))
    throw new FileFault('EINVAL', `${JSON.stringify(given)} is not a path; name a file.`);
  if (access === 'delete') return locateEntry(context, given);
  await realpath(context.workspace.absolute(given)).catch((error: unknown) => {
    if (errnoOf(error) === 'ELOOP')
      throw new FileFault('EINVAL', `${given} is a link that leads back to itself; name the real file.`);
  });
  return context.workspace.resolve(given);
}

/** Deleting removes the name itself: a link is not followed. */
async function locateEntry(context: ToolContext, given: string): Promise<ResolvedPath> {
  const absolute = context.workspace.absolute(given);
  const folder = await context.workspace.resolve(path.dirname(absolute));
  const realPath = path.join(folder.realPath, path.basename(absolute));
  const exists = await lstat(realPath).then(
    () => true,
    () => false,
  );
  return { path: absolute, realPath, exists, isInside: context.workspace.contains(realPath) };
}

/**
 * What `.cursorignore` names is for no tool: an edit shows what was there as much as a read does. Files that git ignores
 * are not hidden from who names them.
 */
function refuseHidden({ workspace }: ToolContext, target: ResolvedPath): void {
  if (isHiddenPath(workspace, target))
    throw new FileFault(
      'EACCES',
      `${workspace.display(target.path)} is hidden by .cursorignore. Work without it, or ask the user to take it out of that file.`,
    );
}
