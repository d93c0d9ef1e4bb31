// Programs whose arguments are another command. Each entry finds that command, so that it is judged like any other. Known
// from the manual pages; an option that is not listed makes the place of the command unsure, and unsure asks.
import { assignmentCaution } from './assignments.ts';
import { type OptionGrammar, skipOptions } from './flags.ts';
import { foundWord, literalWord, type ShellWord, unknownWord } from './shell-word.ts';

export interface Unwrapped {
  /** Commands found in the arguments, each as its words. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Shell source found in the arguments, to be parsed again. */
  readonly scripts: readonly string[];
  readonly cautions: readonly string[];
  readonly unreadable: readonly string[];
  /** The wrapper adds nothing of its own: `timeout 5 ls` is as harmless as `ls`. */
  readonly isTransparent: boolean;
}

export type Unwrap = (args: readonly ShellWord[]) => Unwrapped;

const NOTHING: Unwrapped = { commands: [], scripts: [], cautions: [], unreadable: [], isTransparent: false };

interface PrefixOptions extends OptionGrammar {
  /** Words between the options and the command, e.g. the duration of `timeout`. */
  readonly operands?: number;
  readonly isTransparent?: boolean;
  readonly caution?: string;
}

/** `wrapper [options] [operands] command args…` */
function prefix(options: PrefixOptions): Unwrap {
  return (args) => {
    const start = skipOptions(args, options);
    const cautions = options.caution === undefined ? [] : [options.caution];
    if (start === undefined)
      return { ...NOTHING, cautions, unreadable: ['an unknown option hides which command it runs'] };
    const inner = args.slice(start + (options.operands ?? 0));
    return {
      ...NOTHING,
      cautions,
      commands: inner.length > 0 ? [inner] : [],
      isTransparent: options.isTransparent ?? false,
    };
  };
}

const transparent = (options: PrefixOptions = {}) => prefix({ ...options, isTransparent: true });
const elevated = (options: PrefixOptions) =>
  prefix({ ...options, caution: 'it runs as another user or elsewhere' });

/** `bash -c '…'` is parsed again; a shell without a script runs whatever arrives on its input. */
const shell: Unwrap = (args) => {
  const [first, script, ...rest] = args;
  if (!first) return { ...NOTHING, unreadable: ['a shell without a script runs whatever it is fed'] };
  if (first.isLiteral && /^-[euxvf]*c[euxvf]*$/.test(first.value)) {
    if (!script?.isLiteral)
      return { ...NOTHING, unreadable: ['the script for the inner shell is known only when it runs'] };
    if (script.value.startsWith('-')) return { ...NOTHING, unreadable: ['options follow -c'] };
    // Its own parameters may become command words of the script; as unknown words they are judged where they stand.
    const cautions = rest.length > 0 ? ['the inner script takes parameters'] : [];
    return { ...NOTHING, scripts: [script.value], cautions, isTransparent: true };
  }
  const inline = args.findIndex((word) => word.isLiteral && /^-\w*c\w*$/.test(word.value));
  const source = inline === -1 ? undefined : args[inline + 1];
  if (source?.isLiteral)
    return { ...NOTHING, scripts: [source.value], cautions: ['the inner shell has unusual options'] };
  if (first.value.startsWith('-') || !first.isLiteral)
    return { ...NOTHING, unreadable: ['the inner shell has unusual options'] };
  return { ...NOTHING, cautions: [`it runs the script ${first.value}`] };
};

const foreignShell: Unwrap = () => ({ ...NOTHING, unreadable: ['scripts of this shell cannot be read'] });

/** Joins its arguments and runs them as source. */
const evaluate: Unwrap = (args) => {
  if (!args.every((word) => word.isLiteral))
    return { ...NOTHING, unreadable: ['what it evaluates is known only when it runs'] };
  return { ...NOTHING, scripts: [args.map((word) => word.value).join(' ')], isTransparent: true };
};

const env: Unwrap = (args) => {
  const grammar = {
    flags: 'i0v',
    valued: 'uC',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset', 'chdir'],
  };
  const start = skipOptions(args, grammar);
  if (start === undefined)
    return { ...NOTHING, unreadable: ['an option of env hides which command it runs'] };
  const cautions: string[] = args
    .slice(0, start)
    .some((word) => /^(?:-\w*[uC]|--(?:unset|chdir))/.test(word.value))
    ? ['env changes the folder or removes a variable']
    : [];
  let index = start;
  for (let word = args[index]; word && /^\w+=/.test(word.prefix); word = args[++index]) {
    const [name = ''] = word.value.split('=', 1);
    const value = word.isLiteral ? literalWord(word.value.slice(name.length + 1)) : unknownWord(word.value);
    const caution = assignmentCaution(name, value);
    if (caution) cautions.push(caution);
  }
  const inner = args.slice(index);
  if (inner.length === 0) return { ...NOTHING, cautions: [...cautions, 'it prints the environment'] };
  return { ...NOTHING, cautions, commands: [inner], isTransparent: true };
};

const xargs: Unwrap = (args) => {
  const start = skipOptions(args, {
    flags: '0prtxo',
    valued: 'adEILnPs',
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'exit', 'interactive', 'open-tty'],
    longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'replace'],
  });
  if (start === undefined)
    return { ...NOTHING, unreadable: ['an option of xargs hides which command it runs'] };
  const cautions = args.slice(0, start).some((word) => /^(?:-\w*a|--arg-file)/.test(word.value))
    ? ['xargs reads its input from a file']
    : [];
  const marks = args.slice(0, start).some((word) => /^(?:-\w*I|--replace)/.test(word.value));
  const inner = args.slice(start);
  if (inner.length === 0) return { ...NOTHING, cautions, isTransparent: true };
  // With a mark any word may be replaced, whatever the mark is; without one the input is appended.
  const [name, ...rest] = inner;
  if (!name || (marks && /[^\w./-]/.test(name.value)))
    return { ...NOTHING, unreadable: ['its input decides the command'] };
  const words = marks
    ? rest.map((word) => (/^\w[\w.-]*$/.test(word.value) ? word : unknownWord(word.value)))
    : [...rest, unknownWord('…')];
  return { ...NOTHING, cautions, commands: [[name, ...words]], isTransparent: true };
};

/** The commands of -exec and its kin; what else find does is judged with its own facts. */
const find: Unwrap = (args) => {
  const commands: ShellWord[][] = [];
  let current: ShellWord[] | undefined;
  let previous = '';
  // Without -type f a found link is handed over, and the program follows it.
  const findsFiles = args.some((word, index) => word.value === '-type' && args[index + 1]?.value === 'f');
  for (const word of args) {
    const isEnd = word.isLiteral && (word.value === ';' || (word.value === '+' && previous === '{}'));
    previous = word.value;
    if (current && isEnd) current = undefined;
    else if (current) current.push(foundPath(word, findsFiles));
    else if (word.isLiteral && /^-(?:exec|execdir|ok|okdir)$/.test(word.value)) {
      current = [];
      commands.push(current);
    }
  }
  return { ...NOTHING, commands };
};

/** find puts its starting point in front, so that a found name never looks like an option. */
function foundPath(word: ShellWord, findsFiles: boolean): ShellWord {
  if (!word.value.includes('{}')) return word;
  return word.value === '{}' && findsFiles ? foundWord('{}') : unknownWord(word.value);
}

const ssh: Unwrap = (args) => {
  const start = skipOptions(args, { flags: '46AaCfGgKkMNnqsTtVvXxYy', valued: 'BbcDEeFIiJLlmOopQRSWw' });
  if (start === undefined)
    return { ...NOTHING, unreadable: ['an option of ssh hides which command it runs'] };
  const remote = args.slice(start + 1);
  if (remote.length === 0) return { ...NOTHING, cautions: ['it opens a shell on another machine'] };
  return { ...evaluate(remote), isTransparent: false };
};

const switchUser: Unwrap = (args) => {
  const at = args.findIndex((word) => word.isLiteral && (word.value === '-c' || word.value === '--command'));
  const inner = at === -1 ? NOTHING : evaluate(args.slice(at + 1, at + 2));
  return { ...inner, cautions: ['it runs as another user or elsewhere'], isTransparent: false };
};

const trap: Unwrap = (args) => ({
  ...evaluate(args.slice(0, 1)),
  cautions: ['it sets a command for later'],
  isTransparent: false,
});

const command: Unwrap = (args) => {
  if (args[0]?.isLiteral && /^-[vV]+$/.test(args[0].value)) return { ...NOTHING, isTransparent: true };
  return transparent({ flags: 'p' })(args);
};

export const WRAPPERS: Readonly<Record<string, Unwrap>> = {
  bash: shell,
  sh: shell,
  dash: shell,
  ash: shell,
  rbash: shell,
  ksh: foreignShell,
  mksh: foreignShell,
  zsh: foreignShell,
  fish: foreignShell,
  csh: foreignShell,
  tcsh: foreignShell,
  nu: foreignShell,
  pwsh: foreignShell,
  eval: evaluate,
  source: (args) => ({ ...NOTHING, cautions: [`it runs the file ${args[0]?.value ?? ''} in this shell`] }),
  '.': (args) => ({ ...NOTHING, cautions: [`it runs the file ${args[0]?.value ?? ''} in this shell`] }),
  trap,
  command,
  builtin: transparent(),
  exec: transparent({ flags: 'cl', valued: 'a' }),
  env,
  xargs,
  find,
  nohup: transparent(),
  time: transparent({ flags: 'pv' }),
  nice: transparent({ valued: 'n', longValued: ['adjustment'] }),
  ionice: transparent({ flags: 't', valued: 'cn' }),
  timeout: transparent({
    flags: 'v',
    valued: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
    operands: 1,
  }),
  gtimeout: transparent({
    flags: 'v',
    valued: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
    operands: 1,
  }),
  stdbuf: transparent({ valued: 'ioe', longValued: ['input', 'output', 'error'] }),
  setsid: transparent({ flags: 'cfw' }),
  taskset: transparent({ operands: 1 }),
  caffeinate: transparent({ flags: 'dimsu', valued: 'tw' }),
  busybox: transparent(),
  toybox: transparent(),
  watch: (args) => ({
    ...elevated({ flags: 'bcdegtx', valued: 'n' })(args),
    cautions: ['it repeats the command'],
  }),
  flock: elevated({ flags: 'eFnosux', valued: 'Ew', operands: 1 }),
  parallel: (args) => ({
    ...NOTHING,
    cautions: ['its input decides the commands'],
    commands: args.length > 0 ? [args] : [],
  }),
  strace: elevated({ flags: 'cCdfFhiqrtTvVxXyYz', valued: 'abeEIoOpPsSuU' }),
  ltrace: elevated({ flags: 'bcCfhiLrStTV', valued: 'aADelnopsuwxX' }),
  valgrind: elevated({ flags: 'qv' }),
  sudo: elevated({
    flags: 'AbBEeHiKklnPSsVv',
    valued: 'CDghpRrTtUu',
    longFlags: ['non-interactive', 'preserve-env', 'login', 'shell', 'stdin'],
    longValued: ['user', 'group', 'chdir', 'prompt'],
  }),
  doas: elevated({ flags: 'Lns', valued: 'Cu' }),
  pkexec: elevated({ longValued: ['user'] }),
  su: switchUser,
  runuser: switchUser,
  chroot: elevated({ operands: 1, longValued: ['userspec', 'groups'] }),
  unshare: elevated({ flags: 'CfhimnprTuUV' }),
  nsenter: elevated({ flags: 'aCimnpruUZ', valued: 'GSt' }),
  ssh,
};
