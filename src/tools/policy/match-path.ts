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
}

export function compilePathMatcher(globs: readonly string[], homeFolder: string): PathMatcher {
  const patterns = globs.map((glob) => expandHome(glob.normalize('NFC'), homeFolder));
  const strict = patterns.map((pattern) => compile(pattern, [pattern], {}));
  const loose = patterns.map((pattern) =>
    compile(pattern, restricting(pattern), { dot: true, nocase: true }),
  );
  const bases = patterns
    .map((pattern) => picomatch.scan(pattern).base.toLowerCase())
    .filter((base) => base !== '');
  return {
    reachesBelow: ({ realPath, realRoot }) =>
      bases.some((base) =>
        path.posix.resolve(realRoot.toLowerCase(), base).startsWith(`${realPath.toLowerCase()}/`),
      ),
    permits: (names) => strict.some((matches) => matches(names.realPath, names.realRoot)),
    forbids: (names) =>
      loose.some((matches) => matches(names.realPath, names.realRoot) || matches(names.path, names.root)),
  };
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
  // `**/x` in a restriction is meant everywhere, outside the workspace too.
  const isAnywhere = options.dot === true && (pattern.startsWith('**/') || !pattern.includes('/'));
  return (absolute, root) => {
    const name = absolute.normalize('NFC');
    if (isAbsolute) return isMatch(name);
    const relative = path.posix.relative(root.normalize('NFC'), name);
    const isInside = relative !== '..' && !relative.startsWith('../') && relative !== '';
    if (isInside && isMatch(relative.replace(/^\.\//, ''))) return true;
    return isAnywhere && isMatch(name.slice(1));
  };
}
