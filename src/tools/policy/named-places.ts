import path from 'node:path';
import type { ResolvedPath } from '../workspace.ts';
import type { Places } from './judge-path.ts';

/**
 * A folder on another machine, of which only names are known. Paths of Windows are written as rules are, with forward
 * slashes and the drive as the first folder. A link there leads where its name says, as far as can be told from here.
 */
export class NamedPlaces implements Places {
  readonly root: string;
  /** Elsewhere a backslash is a letter like any other. */
  readonly #hasBackslashes: boolean;

  /** Without a root every relative path counts from the top, where a relative rule finds it. */
  constructor(root: string) {
    this.#hasBackslashes = root === '' || isOfWindows(root);
    this.root = path.posix.resolve('/', this.#slashed(root));
  }

  absolute(given: string): string {
    return path.posix.resolve(this.root, this.#slashed(given));
  }

  async resolve(given: string): Promise<ResolvedPath> {
    const absolute = this.absolute(given);
    return { path: absolute, realPath: absolute, isInside: this.#isInside(absolute), exists: true };
  }

  display(absolute: string): string {
    if (absolute === this.root) return '.';
    return this.#isInside(absolute) ? path.posix.relative(this.root, absolute) : absolute;
  }

  #isInside(absolute: string): boolean {
    const relative = path.posix.relative(this.root, absolute);
    return relative !== '..' && !relative.startsWith('../');
  }

  #slashed(given: string): string {
    const slashed = this.#hasBackslashes || isOfWindows(given) ? given.replaceAll('\\', '/') : given;
    return /^[A-Za-z]:(?:\/|$)/.test(slashed) ? `/${slashed}` : slashed;
  }
}

function isOfWindows(given: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(given);
}
