import { readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The address of the workspace's remote, read from git's own files: asking git would run a program before anyone has
 * agreed to it. `upstream` comes first, since forks send their pull requests there.
 */
export async function readRemoteUrl(root: string): Promise<string | undefined> {
  const folder = await findGitFolder(path.join(root, '.git'));
  if (folder === undefined) return undefined;
  const config = await readFile(path.join(folder, 'config'), 'utf8').catch(() => '');
  const remotes = parseRemotes(config);
  return remotes.get('upstream') ?? remotes.get('origin') ?? remotes.values().next().value;
}

/** A worktree or submodule has a file in place of the folder, and the settings may lie in a common one. */
async function findGitFolder(dotGit: string): Promise<string | undefined> {
  const pointer = await readFile(dotGit, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'EISDIR' ? '' : undefined,
  );
  if (pointer === undefined) return undefined;
  const target = /^gitdir: (.+)$/m.exec(pointer)?.[1]?.trim();
  const folder = target === undefined ? dotGit : path.resolve(path.dirname(dotGit), target);
  const common = await readFile(path.join(folder, 'commondir'), 'utf8').catch(() => '.');
  return path.resolve(folder, common.trim());
}

export function parseRemotes(config: string): Map<string, string> {
  const remotes = new Map<string, string>();
  let name: string | undefined;
  for (const line of config.split(/\r?\n/)) {
    const section = /^\s*\[(.*?)\]/.exec(line);
    if (section) name = /^remote "(.+)"$/.exec(section[1] ?? '')?.[1];
    const url = /^\s*url\s*=\s*(.+?)\s*$/.exec(line)?.[1];
    if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, url);
  }
  return remotes;
}
