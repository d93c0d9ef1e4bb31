// The one place where files change. All changes of a call happen or none: new contents are staged beside their
// targets and synced, every target is compared with what the edit was made from, then names are switched; a failure
// on the way puts back what was switched. A target with hard links is replaced, not written into: its other names,
// which no path check has seen, keep the old content. Mode and, where allowed, owner are carried over; extended
// attributes are not.
import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../tool-context.ts';
import { withFolder } from './anchored-folder.ts';
import { EditJournal } from './edit-journal.ts';
import { errnoOf, FileFault } from './file-fault.ts';
import { FILE_MEMORY } from './file-memory.ts';
import type { FileSnapshot } from './file-snapshot.ts';

export interface FileChange {
  readonly before: FileSnapshot;
  /** Undefined deletes the file. */
  readonly after: Buffer | undefined;
  /** For a file that is new or comes back; an existing one keeps its own. */
  readonly mode?: number;
}

export interface CommitOptions {
  readonly tool: string;
  /** False for undo and redo, which move along the journal instead of adding to it. */
  readonly isJournalled?: boolean;
  /** For undo and redo: they know the content themselves, whatever the model has seen of it. */
  readonly mayBeStale?: boolean;
}

export interface Commit {
  readonly canUndo: boolean;
}

const NEW_FILE_MODE = 0o666; // less the umask, like any program's

interface Staged {
  readonly change: FileChange;
  readonly temporary: string | undefined;
}

export async function commitChanges(
  context: ToolContext,
  changes: readonly FileChange[],
  options: CommitOptions,
): Promise<Commit> {
  if (changes.length === 0) return { canUndo: true };
  if (!options.mayBeStale) for (const change of changes) refuseStale(context, change.before);
  const journal = new EditJournal(context.stateFolder);
  const entry =
    options.isJournalled === false
      ? undefined
      : await journal.record(
          { callId: context.callId, tool: options.tool, atMs: context.nowMs() },
          changes.map(({ before, after, mode }) => ({
            path: before.target.realPath,
            before: before.found?.bytes,
            after,
            mode: before.found === undefined ? (mode ?? 0o644) : modeOf(before.found.stat),
          })),
        );
  try {
    await applyAll(context, changes);
  } catch (error) {
    if (entry !== undefined) await journal.drop(entry);
    throw error;
  }
  for (const change of changes) await rememberResult(context, change);
  return { canUndo: entry !== undefined };
}

async function applyAll(context: ToolContext, changes: readonly FileChange[]): Promise<void> {
  const madeFolders: string[] = [];
  const staged: Staged[] = [];
  const switched: FileChange[] = [];
  try {
    for (const change of changes) {
      if (change.after !== undefined) await makeFolders(change, madeFolders);
      staged.push({ change, temporary: change.after && (await stage(change, change.after)) });
    }
    context.signal.throwIfAborted();
    for (const { change } of staged) await refuseMoved(context, change.before);
    for (const item of staged) {
      await switchName(context, item);
      switched.push(item.change);
    }
  } catch (error) {
    for (const change of switched.reverse()) await putBack(change);
    for (const item of staged) await removeTemporary(item);
    for (const folder of madeFolders.reverse()) await removeFolder(folder);
    throw error;
  }
}

function refuseStale(context: ToolContext, before: FileSnapshot): void {
  const { target, found } = before;
  if (!found || !context.resources.get(FILE_MEMORY).isStale(target.realPath, found.stat, found.bytes)) return;
  throw new FileFault(
    'STALE_READ',
    `${context.workspace.display(target.path)} has changed on disk since it was last read here. Read it again, then repeat the change on the new content.`,
  );
}

/** Makes the missing folders on the way, outermost first, and adds those that it made to `made`. */
async function makeFolders(change: FileChange, made: string[]): Promise<void> {
  const folder = path.dirname(change.before.target.realPath);
  const missing: string[] = [];
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) {
    if (await lstat(at).catch(() => undefined)) break;
    missing.unshift(at);
  }
  for (const name of missing) {
    try {
      await withFolder(path.dirname(name), (at) => mkdir(at(path.basename(name))));
      made.push(name);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error; // made by someone else meanwhile
    }
  }
}

async function removeFolder(folder: string): Promise<void> {
  await withFolder(path.dirname(folder), (at) => rmdir(at(path.basename(folder)))).catch(() => undefined);
}

async function stage(change: FileChange, bytes: Buffer): Promise<string> {
  const { target, found } = change.before;
  const temporary = `.${path.basename(target.realPath).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`;
  await withFolder(path.dirname(target.realPath), async (at) => {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    // What replaces a private file is never readable by others, not even before it has its final mode.
    const file = await open(
      at(temporary),
      flags,
      found === undefined ? (change.mode ?? NEW_FILE_MODE) : 0o600,
    );
    try {
      await file.writeFile(bytes);
      if (found !== undefined) {
        // Another owner or group can be kept only by who may give files away; else the file becomes ours.
        await file.chown(Number(found.stat.uid), Number(found.stat.gid)).catch(() => undefined);
        await file.chmod(modeOf(found.stat));
      } else if (change.mode !== undefined) await file.chmod(change.mode);
      await file.sync();
    } catch (error) {
      await unlink(at(temporary)).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  });
  return temporary;
}

/** Someone else may have written between our reading and now. */
async function refuseMoved(context: ToolContext, before: FileSnapshot): Promise<void> {
  const { target, found } = before;
  const current = await lstat(target.realPath, { bigint: true }).catch(() => undefined);
  if (found === undefined ? current === undefined : current && isSame(current, found.stat)) return;
  throw new FileFault(
    'STALE_READ',
    `${context.workspace.display(target.path)} was changed by another program while this call ran. Read it again, then repeat the change.`,
  );
}

function isSame(left: BigIntStats, right: BigIntStats): boolean {
  return (
    left.dev === right.dev &&
    left.ino === right.ino &&
    left.size === right.size &&
    left.mtimeNs === right.mtimeNs
  );
}

async function switchName(context: ToolContext, { change, temporary }: Staged): Promise<void> {
  const { target, found } = change.before;
  const name = path.basename(target.realPath);
  await withFolder(path.dirname(target.realPath), async (at) => {
    if (temporary === undefined) return unlink(at(name));
    if (found !== undefined) return rename(at(temporary), at(name));
    // A new file never takes the place of one that appeared meanwhile: `link` refuses where `rename` replaces.
    try {
      await link(at(temporary), at(name));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST')
        throw new FileFault(
          'EEXIST',
          `${context.workspace.display(target.path)} was created by another program while this call ran. Read it first.`,
        );
      return rename(at(temporary), at(name)); // a file system without hard links
    }
    await unlink(at(temporary));
  });
}

async function putBack(change: FileChange): Promise<void> {
  const { target, found } = change.before;
  const name = path.basename(target.realPath);
  await withFolder(path.dirname(target.realPath), async (at) => {
    if (found === undefined) return unlink(at(name));
    const temporary = await stage(change, found.bytes);
    return rename(at(temporary), at(name));
  }).catch(() => undefined); // the first error is the one to tell; the journal entry is dropped with it
}

async function removeTemporary({ change, temporary }: Staged): Promise<void> {
  if (temporary === undefined) return;
  const folder = path.dirname(change.before.target.realPath);
  await withFolder(folder, (at) => unlink(at(temporary))).catch(() => undefined);
}

async function rememberResult(context: ToolContext, change: FileChange): Promise<void> {
  const memory = context.resources.get(FILE_MEMORY);
  const { realPath } = change.before.target;
  const stat = change.after && (await lstat(realPath, { bigint: true }).catch(() => undefined));
  if (stat) memory.remember(realPath, stat, change.after);
  else memory.forget(realPath);
}

/** Without set-user-id and set-group-id: the kernel drops them from files that are written, and so do we. */
export function modeOf(stat: BigIntStats): number {
  return Number(stat.mode & 0o1777n);
}
