// Programs that only read and print, each with the options that make it do more. Known from the GNU coreutils,
// findutils, ripgrep and jq manuals; where BSD or BusyBox differ, the more careful reading is taken.
import { anyCaution, type CommandFacts, flagCaution, writesSecondOperand } from './command-facts.ts';
import { sedCaution } from './sed-caution.ts';

const WRITES = 'can write a file';
const RUNS = 'can run another program';
const SETS = 'can set a variable';

const reader: CommandFacts = { isSafe: true, files: 'read' };
const printer: CommandFacts = { isSafe: true, files: 'none' };

/** The first operand is a pattern or a program, not a file. */
const searcher: CommandFacts = { ...reader, hasPattern: true };

const test: CommandFacts = {
  ...reader,
  caution: flagCaution({ words: ['-v', '-R'] }, 'evaluates its operand'),
};

export const SAFE_COMMANDS: Readonly<Record<string, CommandFacts>> = {
  ':': printer,
  true: printer,
  false: printer,
  exit: printer,
  echo: printer,
  pwd: printer,
  whoami: printer,
  id: printer,
  uname: printer,
  arch: printer,
  nproc: printer,
  uptime: printer,
  basename: printer,
  dirname: printer,
  seq: printer,
  sleep: printer,
  expr: printer,
  which: printer,
  type: printer,
  printf: { ...printer, caution: (args) => flagCaution({ short: 'v' }, SETS)(args.slice(0, 1)) },
  date: {
    ...printer,
    caution: flagCaution({ short: 'sf', long: ['set', 'file'] }, 'sets the clock or reads a file'),
  },
  hostname: {
    ...printer,
    caution: (args) =>
      args.every((word) => word.isLiteral && /^-[a-zA-EG-Z]+$/.test(word.value))
        ? undefined
        : 'it can set the name',
  },
  cd: reader,
  test,
  '[': test,
  ls: reader,
  cat: reader,
  head: reader,
  tail: reader,
  wc: { ...reader, caution: flagCaution({ long: ['files0-from'] }, 'reads files named elsewhere') },
  cut: reader,
  tr: printer,
  nl: reader,
  tac: reader,
  rev: reader,
  fold: reader,
  column: reader,
  comm: reader,
  join: reader,
  paste: reader,
  cmp: reader,
  cksum: reader,
  md5sum: reader,
  sha1sum: reader,
  sha256sum: reader,
  strings: reader,
  od: reader,
  stat: reader,
  df: reader,
  realpath: reader,
  readlink: reader,
  grep: searcher,
  egrep: searcher,
  fgrep: searcher,
  jq: searcher,
  du: { ...reader, caution: flagCaution({ long: ['files0-from'] }, 'reads files named elsewhere') },
  diff: { ...reader, caution: flagCaution({ short: 'l', long: ['paginate'] }, RUNS) },
  file: { ...reader, caution: flagCaution({ short: 'CmfzZ', long: ['compile', 'files-from'] }, WRITES) },
  tree: { ...reader, caution: flagCaution({ short: 'oR' }, WRITES) },
  uniq: { ...reader, caution: writesSecondOperand },
  xxd: { ...reader, caution: anyCaution(flagCaution({ short: 'r' }, WRITES), writesSecondOperand) },
  sort: {
    ...reader,
    caution: flagCaution(
      {
        short: 'oT',
        long: ['output', 'compress-program', 'temporary-directory', 'files0-from', 'random-source'],
      },
      'can write a file or run another program',
    ),
  },
  rg: {
    ...searcher,
    caution: flagCaution({ short: 'z', long: ['pre', 'pre-glob', 'hostname-bin', 'search-zip'] }, RUNS),
  },
  // `-exec` and its kin are read as commands of their own (wrappers); what is left are the writing actions.
  find: {
    ...reader,
    caution: flagCaution(
      {
        words: ['-delete', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from', '-follow'],
        short: 'L',
      },
      'deletes or writes files, or follows links',
    ),
  },
  sed: { ...searcher, caution: sedCaution },
  yq: {
    ...searcher,
    caution: flagCaution({ short: 'is', long: ['inplace', 'in-place', 'split-exp'] }, WRITES),
  },
};
