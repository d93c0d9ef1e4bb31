import { constants } from 'node:fs';
import { mkdir, open, realpath, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';

/**
 * Writes a new file inside the workspace. An existing file is left alone: it may have other names, and a download is
 * no way to edit. The bytes follow only after the file that was opened has proved to be where it should be.
 */
export async function saveResource(
  bytes: Uint8Array,
  given: string,
  context: ToolContext,
): Promise<{ readonly path: string } | ToolFailure> {
  const { workspace } = context;
  const target = await workspace.resolve(given);
  if (!target.isInside)
    return fail('DENIED', `${given} is outside the workspace; name a path inside it as downloadPath.`);
  if (target.exists)
    return fail('EEXIST', `${workspace.display(target.path)} exists already; choose another downloadPath.`);
  await mkdir(path.dirname(target.realPath), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(target.realPath, flags, 0o644).catch(() => undefined);
  if (!handle) return fail('EACCES', `${given} cannot be created; choose another downloadPath.`);
  try {
    const real = await realpath(target.realPath);
    const [opened, found] = await Promise.all([handle.stat(), stat(real)]);
    const isSame = opened.dev === found.dev && opened.ino === found.ino;
    if (!isSame || !workspace.contains(real)) {
      await unlink(target.realPath).catch(() => undefined);
      return fail('DENIED', `${given} was led out of the workspace while the call ran; nothing was written.`);
    }
    await handle.writeFile(bytes);
    return { path: target.path };
  } finally {
    await handle.close();
  }
}
