import path from 'node:path';
import picomatch from 'picomatch';

/** One file under the names a rule may know it by. */
export interface PathNames {
  /** As asked for, absolute. */
  readonly path: string;
  /** Where it really is, links followed. */
  readonly realPath: string;
  readonly root: string;
  readonly realRoot: string;
}

export interface PathMatcher {
  /** For allow rules: only the real path counts, exact in case, and `*` does not match dot files. */
  permits(names: PathNames): boolean;
  /** For deny and ask rules: either name, in any case, dot files and everything below included. */
  forbids(names: PathNames): boolean;
  /** Whether the rule is about something inside this folder, which goes when the folder goes. */
  reachesBelow(names: PathNames): boolean;
  /** Whether a restriction may hold for anything in or below this folder. */
  mayReach(folder: PathNames): boolean;
  /** False when no restriction can hold for a file of this name unless it holds for its folder too. */
  mayName(name: string): boolean;
}

export function compilePathMatcher(globs: readonly string[], homeFolder: string): PathMatcher {
  const patterns = globs.map((glob) => expandHome(glob.normalize('NFC'), homeFolder));
  const strict = patterns.map((pattern) => compile(pattern, [pattern], {}));
  const loose = patterns.map((pattern) =>
    compile(pattern, restricting(pattern), { dot: true, nocase: true }),
  );
  const names = lastNames(patterns);
  const bases = patterns
    .map((pattern) => picomatch.scan(pattern).base.toLowerCase())
    .filter((base) => base !== '');
  return {
    reachesBelow: ({ realPath, realRoot }) =>
      bases.some((base) =>
        path.posix.resolve(realRoot.toLowerCase(), base).startsWith(`${realPath.toLowerCase()}/`),
      ),
    permits: (names) => strict.some((matches) => matches(names.realPath, names.realRoot)),
    forbids: (names) => {
      const hasOtherName = names.path !== names.realPath || names.root !== names.realRoot;
      return loose.some(
        (matches) =>
          matches(names.realPath, names.realRoot) || (hasOtherName && matches(names.path, names.root)),
      );
    },
    mayReach: (folder) =>
      patterns.some(
        (pattern) =>
          isAnywhere(pattern.replace(/\/+$/, '')) ||
          mayMeet(pattern, folder.realPath, folder.realRoot) ||
          mayMeet(pattern, folder.path, folder.root),
      ),
    mayName: (name) => names === undefined || names.test(name) || NOT_ASCII.test(name),
  };
}

/** Compared exactly instead: they have more than one spelling. */
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * What the last part of a file must look like to be meant itself, and not for the sake of a folder above; undefined for
 * anything. Wider than the patterns, since it only spares the exact look.
 */
function lastNames(patterns: readonly string[]): RegExp | undefined {
  const parts: string[] = [];
  for (const pattern of patterns) {
    const last = pattern.replace(/(?:\/+(?:\*\*)?)+$/, '').replace(/^.*\//, '');
    const isPlain = !/[^\w.*? -]/.test(pattern.replaceAll('/', '')) && !/\*\*|^\.{0,2}$/.test(last);
    if (!isPlain) return undefined;
    parts.push(last.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.'));
  }
  return new RegExp(`^(?:${parts.join('|')})$`, 'is');
}

/** Judged by the part of the pattern before its first wildcard: one of the two lies in the other. */
function mayMeet(pattern: string, folder: string, root: string): boolean {
  const base = path.posix.resolve(root, picomatch.scan(pattern).base).toLowerCase();
  const place = folder.toLowerCase();
  const isIn = (inner: string, outer: string) => `${inner}/`.startsWith(outer === '/' ? '/' : `${outer}/`);
  return isIn(base, place) || isIn(place, base);
}

// `**/x` in a restriction is meant everywhere, outside the workspace too.
function isAnywhere(pattern: string): boolean {
  return pattern.startsWith('**/') || !pattern.includes('/');
}

function expandHome(glob: string, homeFolder: string): string {
  return glob === '~' || glob.startsWith('~/') ? path.posix.join(homeFolder, glob.slice(1)) : glob;
}

/** A folder covers what is below it, and a bare name is meant wherever it stands. */
function restricting(pattern: string): string[] {
  const trimmed = pattern.replace(/(?<=.)\/+$/, '');
  const all = trimmed.includes('/') ? [trimmed] : [`**/${trimmed}`];
  return all.flatMap((glob) => [glob, `${glob}/**`]);
}

type Matches = (absolute: string, root: string) => boolean;

function compile(pattern: string, globs: string[], options: picomatch.PicomatchOptions): Matches {
  const isMatch = picomatch(globs, { ...options, nonegate: true });
  const isAbsolute = path.posix.isAbsolute(pattern);
  const isEverywhere = options.dot === true && isAnywhere(pattern);
  return (absolute, root) => {
    const name = absolute.normalize('NFC');
    if (isAbsolute) return isMatch(name);
    const relative = relativeTo(root.normalize('NFC'), name);
    const isInside = relative !== '..' && !relative.startsWith('../') && relative !== '';
    if (isInside && isMatch(relative.replace(/^\.\//, ''))) return true;
    return isEverywhere && isMatch(name.slice(1));
  };
}

/** Both are absolute and normalised, so that most often one begins with the other. */
function relativeTo(root: string, name: string): string {
  const isBelow = name.startsWith(root) && name[root.length] === '/' && name.length > root.length + 1;
  return isBelow ? name.slice(root.length + 1) : path.posix.relative(root, name);
}
