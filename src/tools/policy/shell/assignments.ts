// Variables that may be set in front of a command without changing which program runs or what it loads. Everything else
// asks: PATH, LD_PRELOAD, BASH_ENV, GIT_SSH_COMMAND, NODE_OPTIONS, PAGER and their kind are too many to list the other way.
import type { ShellWord } from './shell-word.ts';

const HARMLESS = new Set([
  'CI',
  'CLICOLOR',
  'CLICOLOR_FORCE',
  'COLUMNS',
  'FORCE_COLOR',
  'LANG',
  'LANGUAGE',
  'LINES',
  'NODE_ENV',
  'NO_COLOR',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONUNBUFFERED',
  'RUST_BACKTRACE',
  'TERM',
  'TZ',
]);

/** Harmless only with one of these values, which switch a pager or prompt off. */
const HARMLESS_VALUES: Readonly<Record<string, readonly string[]>> = {
  PAGER: ['cat'],
  GIT_PAGER: ['cat', ''],
  MANPAGER: ['cat'],
  GIT_TERMINAL_PROMPT: ['0'],
  DEBIAN_FRONTEND: ['noninteractive'],
};

/** Lower-case names are a script's own, but for a few that programs read. */
const READ_BY_PROGRAMS = /^(?:\w*_proxy|npm_\w+|path|fpath|cdpath|module_path|mailpath|manpath|psvar)$/;

/** Why an assignment needs a look; undefined when it cannot change what runs. */
export function assignmentCaution(name: string, value: ShellWord | undefined): string | undefined {
  if (HARMLESS.has(name) || /^LC_[A-Z]+$/.test(name)) return undefined;
  if (value?.isLiteral && HARMLESS_VALUES[name]?.includes(value.value)) return undefined;
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !READ_BY_PROGRAMS.test(name)) return undefined;
  return `it sets ${name}, which can change what the commands do`;
}
