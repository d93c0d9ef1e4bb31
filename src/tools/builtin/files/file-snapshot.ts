import type { BigIntStats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { nearestName } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ResolvedPath } from '../../workspace.ts';
import { openFile } from './anchored-folder.ts';
import { FileFault } from './file-fault.ts';
import { usePath } from './path-claims.ts';
import { type DecodedText, decodeText } from './text-form.ts';

/** A file as it was at one moment, whole; or the fact that there was none. */
export interface FileSnapshot {
  readonly target: ResolvedPath;
  readonly found?: { readonly bytes: Buffer; readonly stat: BigIntStats };
}

/** Whole files are held in memory to be edited; larger ones are for streaming programs. */
export const MAX_EDIT_BYTES = 32 * 1024 * 1024;

/** For changing: the file may be missing. */
export async function takeSnapshot(context: ToolContext, given: string): Promise<FileSnapshot> {
  const target = await usePath(context, given, 'write');
  return target.exists ? snapshotAt(context, target) : { target };
}

export async function snapshotAt(context: ToolContext, target: ResolvedPath): Promise<FileSnapshot> {
  const file = await openFile(target.realPath);
  try {
    const stat = await file.stat({ bigint: true });
    if (stat.size > MAX_EDIT_BYTES)
      throw new FileFault(
        'EFBIG',
        `${context.workspace.display(target.path)} has ${stat.size} bytes; files above ${MAX_EDIT_BYTES} bytes are not edited here. Use a shell command such as sed.`,
      );
    return { target, found: { bytes: await file.readFile({ signal: context.signal }), stat } };
  } finally {
    await file.close();
  }
}

/** The text of a file that an edit needs to exist. */
export async function textOfSnapshot(context: ToolContext, snapshot: FileSnapshot): Promise<DecodedText> {
  const name = context.workspace.display(snapshot.target.path);
  if (snapshot.found === undefined) throw await missingFile(context, snapshot.target);
  const decoded = decodeText(snapshot.found.bytes);
  if (decoded === undefined)
    throw new FileFault('BINARY', `${name} is binary and cannot be edited as text. Use a shell command.`);
  return decoded;
}

/** Says what is there instead: most missing files are mistyped ones. */
export async function missingFile(context: ToolContext, target: ResolvedPath): Promise<FileFault> {
  const name = context.workspace.display(target.path);
  const folder = path.dirname(target.realPath);
  const mayLook = context.workspace.contains(folder);
  const siblings = mayLook ? await readdir(folder).catch(() => undefined) : [];
  if (siblings === undefined)
    return new FileFault(
      'ENOENT',
      `${name} does not exist, nor does its folder. Search for the file by name.`,
    );
  const near = nearestName(path.basename(target.path), siblings);
  const hint =
    near === undefined
      ? 'Check the path, or search for the file by name.'
      : `Did you mean ${context.workspace.display(path.join(path.dirname(target.path), near))}?`;
  return new FileFault('ENOENT', `${name} does not exist. ${hint}`);
}
