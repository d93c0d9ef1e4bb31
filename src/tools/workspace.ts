// Where a path really leads. Containment is decided on real paths: links, `..`, case folding and mount tricks are
// resolved first, and a path that does not exist yet is judged by its nearest existing ancestor.
import { realpathSync } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

export interface ResolvedPath {
  /** Absolute and normalised, as the caller meant it. */
  readonly path: string;
  /** Where it leads with every link followed; for a new file, its real parent and its name. */
  readonly realPath: string;
  readonly isInside: boolean;
  readonly exists: boolean;
}

/** Where a circle of links leads: nowhere, and so never inside. */
const LOOP = '/proc/self/link-loop';

/** Places that are never ordinary files, wherever the workspace is. */
const SPECIAL = /^\/(?:proc|sys|dev)(?:\/|$)/;

export class Workspace {
  readonly root: string;
  readonly #realRoot: string;
  readonly #isCaseFolding: boolean;

  /** `isCaseFolding` for file systems where `A` and `a` are one file; macOS and Windows by default. */
  constructor(root: string, options: { isCaseFolding?: boolean } = {}) {
    this.root = path.resolve(root);
    this.#realRoot = realpathSync(this.root);
    this.#isCaseFolding =
      options.isCaseFolding ?? (process.platform === 'darwin' || process.platform === 'win32');
  }

  /** Relative paths are relative to the root; `file://` addresses and `~` of a foreign shell are not expanded. */
  absolute(given: string): string {
    return path.resolve(this.root, given);
  }

  /** For people and models: relative inside the workspace, absolute outside. */
  display(absolute: string): string {
    const relative = path.relative(this.root, absolute);
    if (relative === '') return '.';
    return leadsOut(relative) ? absolute : relative;
  }

  /** Where the root itself leads with every link followed. */
  get realRoot(): string {
    return this.#realRoot;
  }

  async resolve(given: string): Promise<ResolvedPath> {
    const absolute = this.absolute(given);
    const { realPath, exists } = await followLinks(absolute);
    return { path: absolute, realPath, exists, isInside: this.contains(realPath) };
  }

  contains(realPath: string): boolean {
    if (SPECIAL.test(realPath)) return false;
    const fold = (text: string) => (this.#isCaseFolding ? text.toLowerCase() : text);
    return !leadsOut(path.relative(fold(this.#realRoot), fold(realPath)));
  }
}

/** Whether a relative path leaves the folder it starts from; a name may begin with two dots and stay. */
export function leadsOut(relative: string): boolean {
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** More links in a row than this are a loop; Linux gives up at the same number. */
const MAX_LINKS = 40;

async function followLinks(absolute: string, links = 0): Promise<{ realPath: string; exists: boolean }> {
  try {
    return { realPath: await realpath(absolute), exists: true };
  } catch {
    const parent = path.dirname(absolute);
    if (parent === absolute) return { realPath: absolute, exists: false };
    // A dangling link would be written through: it leads where it points, not where it stands.
    const target = await danglingTarget(absolute);
    if (target !== undefined && links >= MAX_LINKS) return { realPath: LOOP, exists: false };
    if (target !== undefined) return { ...(await followLinks(target, links + 1)), exists: false };
    const { realPath } = await followLinks(parent, links);
    return { realPath: path.join(realPath, path.basename(absolute)), exists: false };
  }
}

async function danglingTarget(absolute: string): Promise<string | undefined> {
  const link = await lstat(absolute).catch(() => undefined);
  if (!link?.isSymbolicLink()) return undefined;
  return path.resolve(path.dirname(absolute), await readlink(absolute));
}

/** A regular file with a second name elsewhere: writing to it changes a file that no path check has seen. */
export async function hasOtherNames(realPath: string): Promise<boolean> {
  const found = await stat(realPath).catch(() => undefined);
  return found?.isFile() === true && found.nlink > 1;
}
