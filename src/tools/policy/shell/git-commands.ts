// git by sub-command. Known from the git manual pages: which sub-commands only read, and which options run programs.
import type { CommandFacts } from './command-facts.ts';
import { findFlag, skipOptions } from './flags.ts';
import type { ShellWord } from './shell-word.ts';

/** Sub-commands that only read; the options listed are the ones that do more. */
const READING: Readonly<Record<string, { readonly long?: readonly string[]; readonly short?: string }>> = {
  status: {},
  log: { long: ['output', 'ext-diff'] },
  show: { long: ['output', 'ext-diff'] },
  diff: { long: ['output', 'ext-diff', 'no-index'] },
  whatchanged: { long: ['output', 'ext-diff'] },
  'diff-tree': { long: ['output', 'ext-diff'] },
  'rev-parse': {},
  'rev-list': {},
  'ls-files': {},
  'ls-tree': {},
  'cat-file': { long: ['textconv', 'filters'] },
  'merge-base': {},
  'name-rev': {},
  'for-each-ref': { long: ['shell', 'perl', 'python', 'tcl'] },
  'count-objects': {},
  describe: {},
  shortlog: { long: ['output'] },
  blame: { long: ['contents'] },
  grep: { short: 'Of', long: ['open-files-in-pager', 'no-index'] },
  version: {},
};

/** Sub-commands that read when they are given only these words. */
const LISTING: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-[avrl]+|--(?:all|list|remotes|show-current|verbose|no-color|no-column|merged|no-merged))$/,
  tag: /^(?:-l|-n\d*|--list|--no-column)$/,
  remote: /^(?:-v|--verbose)$/,
  stash: /^list$/,
  worktree: /^(?:list|--porcelain)$/,
  reflog: /^(?:show|-n\d+|-\d+)$/,
  config: /^(?:-l|--list|--show-origin|--show-scope|--local)$/,
};

/** Sub-commands whose purpose is to run something else, or to store what will be run later. */
const RUNNING = new Set([
  'config',
  'filter-branch',
  'difftool',
  'mergetool',
  'submodule',
  'bisect',
  'hook',
  'send-email',
  'instaweb',
  'daemon',
  'credential',
  'web--browse',
  'var',
  'init',
  'maintenance',
]);

/** Options of any other sub-command that name a program or a place for settings. */
const RUNNING_FLAGS = {
  long: [
    'upload-pack',
    'receive-pack',
    'exec',
    'extcmd',
    'config',
    'template',
    'separate-git-dir',
    'ext-diff',
    'output',
  ],
  words: ['-x'],
} as const;

/** What turns a listing sub-command into one that removes or overwrites. */
const CHANGING_FLAGS = {
  short: 'dDmMfC',
  long: ['delete', 'force', 'move', 'copy', 'edit-description'],
  words: ['drop', 'clear', 'remove', 'prune', 'add', 'set-url', 'set-head', 'rename', 'expire', 'delete'],
} as const;

const GLOBAL_OPTIONS = {
  flags: 'Ph',
  longFlags: ['no-pager', 'no-optional-locks', 'literal-pathspecs', 'no-replace-objects', 'version', 'help'],
} as const;

/** `git diff` compares any two files on the disk when one is outside the repository. */
export const git: CommandFacts = { files: 'read', caution: gitCaution };

function gitCaution(args: readonly ShellWord[]): string | undefined {
  const start = skipOptions(args, GLOBAL_OPTIONS);
  // -c, -C, --git-dir, --exec-path, -p … make git load other settings or programs before the sub-command is looked at.
  if (start === undefined) return `${args[0]?.value ?? 'an option'} changes what git loads or runs`;
  const [sub, ...rest] = args.slice(start);
  if (!sub) return undefined;
  if (!sub.isLiteral) return 'its sub-command is known only when it runs';
  const listing = Object.hasOwn(LISTING, sub.value) ? LISTING[sub.value] : undefined;
  if (listing && rest.every((word) => word.isLiteral && listing.test(word.value))) return undefined;
  if (RUNNING.has(sub.value)) return `git ${sub.value} runs other programs or stores what will be run later`;
  const change = listing && findFlag(rest, CHANGING_FLAGS);
  if (change !== undefined) return `${change} changes the repository`;
  const reading = Object.hasOwn(READING, sub.value) ? READING[sub.value] : undefined;
  const flag = findFlag(
    rest,
    sub.value === 'clone' ? { short: 'uc', ...RUNNING_FLAGS } : (reading ?? RUNNING_FLAGS),
  );
  if (flag !== undefined) return `${flag} can run a program or write a file`;
  if (rest.some((word) => /^(?:ext|fd)::/.test(word.value))) return 'its address names a program to run';
  return undefined;
}

/** True for a git command that only reads; asked after `gitCaution` found nothing. */
export function isReadingGit(args: readonly ShellWord[]): boolean {
  const start = skipOptions(args, GLOBAL_OPTIONS);
  const [sub, ...rest] = start === undefined ? [] : args.slice(start);
  if (!sub?.isLiteral) return false;
  if (Object.hasOwn(READING, sub.value)) return true;
  const listing = Object.hasOwn(LISTING, sub.value) ? LISTING[sub.value] : undefined;
  return (
    listing !== undefined &&
    needsNoOperand(sub.value, rest) &&
    rest.every((word) => word.isLiteral && listing.test(word.value))
  );
}

/** `git stash` and `git config` alone do something, or nothing; only their listing form reads. */
function needsNoOperand(sub: string, rest: readonly ShellWord[]): boolean {
  return rest.length > 0 || sub === 'branch' || sub === 'tag' || sub === 'remote' || sub === 'reflog';
}
