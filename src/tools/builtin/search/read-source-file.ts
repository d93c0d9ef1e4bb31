import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import type { Workspace } from '../../workspace.ts';

export type SourceText =
  | { readonly ok: true; readonly text: string; readonly mtimeMs: number; readonly size: number }
  | { readonly ok: false; readonly reason: 'not-found' | 'outside' | 'not-a-file' | 'too-large' | 'binary' };

/** Looked for in this much of a file's head, as ripgrep and git do. */
const BINARY_PROBE_BYTES = 8_000;

/**
 * Reads a text file of the workspace. The file is opened without following a last link and then compared with what the path
 * leads to, so that a folder swapped for a link in between is noticed.
 */
export async function readSourceFile(
  absolute: string,
  workspace: Workspace,
  maxBytes: number,
): Promise<SourceText> {
  const found = await workspace.resolve(absolute);
  if (!found.exists) return { ok: false, reason: 'not-found' };
  if (!found.isInside) return { ok: false, reason: 'outside' };
  // Not blocking: opening a pipe that nobody writes to would never return.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(found.realPath, flags).catch(() => undefined);
  if (!handle) return { ok: false, reason: 'not-found' };
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return { ok: false, reason: 'not-a-file' };
    const real = await realpath(found.realPath);
    const current = await stat(real);
    if (!workspace.contains(real) || current.ino !== opened.ino || current.dev !== opened.dev) {
      return { ok: false, reason: 'outside' };
    }
    if (opened.size > maxBytes) return { ok: false, reason: 'too-large' };
    const bytes = await handle.readFile();
    if (bytes.length > maxBytes) return { ok: false, reason: 'too-large' };
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return { ok: false, reason: 'binary' };
    return { ok: true, text: bytes.toString('utf8'), mtimeMs: opened.mtimeMs, size: opened.size };
  } catch {
    return { ok: false, reason: 'not-found' };
  } finally {
    await handle.close();
  }
}
