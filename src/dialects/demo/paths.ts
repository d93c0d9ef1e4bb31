/** File names without a dot that people name in prompts. */
const BARE_NAMES = new Set(
  'readme license licence makefile dockerfile changelog contributing notice authors gemfile procfile rakefile'.split(
    ' ',
  ),
);

/** Whether a word is plainly a path: it has a slash or an extension, or is a well-known bare name. */
export function isPathLike(word: string): boolean {
  if (word === '' || /^https?:/i.test(word) || /^-/.test(word) || /[*?]/.test(word)) return false;
  if (/^[\d.,:%]+$/.test(word)) return false;
  if (/[/\\]/.test(word)) return /[\p{L}\p{N}_.~]/u.test(word);
  return (
    /[^.]\.[\p{L}\p{N}_-]{1,12}$/u.test(word) ||
    /^\.[\p{L}_]/u.test(word) ||
    BARE_NAMES.has(word.toLowerCase())
  );
}

export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|~|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** A path below a directory, in that directory's own style. */
export function joinPath(directory: string, path: string): string {
  if (isAbsolutePath(path)) return path;
  const separator = /^[A-Za-z]:\\/.test(directory) ? '\\' : '/';
  const relative = path.replace(/^(?:\.[/\\])+/, '');
  if (relative === '.' || relative === '') return directory;
  return directory.endsWith(separator) ? directory + relative : directory + separator + relative;
}

/** The folder a path lies in, or undefined when it names none. */
export function parentOf(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return end > 0 ? path.slice(0, end) : undefined;
}
