// Programs a user may well allow, with the arguments that turn them into something else: inline code, another program to
// run, another settings file. The table is for allow rules; a program that is not listed is as good as its rule.
import { always, anyCaution, type CommandFacts, flagCaution, operands } from './command-facts.ts';
import { git } from './git-commands.ts';

const INLINE = 'runs code given in the command or loads more than the script';
const RUNS = 'can run another program';
const LOOKUP = 'it changes what later words mean to the shell';

/** Runs a script file; without one it runs whatever is fed to it. */
const interpreter = (short: string, long: readonly string[] = []): CommandFacts => ({
  files: 'read',
  caution: anyCaution(flagCaution({ short, long }, INLINE), (args) => {
    const isQuestion =
      args.length > 0 && args.every((word) => /^(?:-[vVh]|--(?:version|help|test))$/.test(word.value));
    const hasScript = operands(args).some((word) => word.value !== '-');
    return isQuestion || hasScript ? undefined : 'without a script it runs whatever it is fed';
  }),
});
const shellBuiltin: CommandFacts = { caution: always(LOOKUP) };
const interactive: CommandFacts = { caution: always('editors, pagers and terminals can start any program') };
const writer: CommandFacts = { files: 'write' };
const remover: CommandFacts = { files: 'delete' };

const packageScripts: CommandFacts = {
  caution: flagCaution(
    {
      short: 'cC',
      long: [
        'prefix',
        'script-shell',
        'userconfig',
        'globalconfig',
        'node-options',
        'call',
        'shell',
        'cwd',
        'dir',
        'git',
        'editor',
        'use-node-version',
      ],
    },
    'makes it run something else than the script of this project',
  ),
};

export const RISKY_COMMANDS: Readonly<Record<string, CommandFacts>> = {
  git,
  npm: packageScripts,
  pnpm: packageScripts,
  yarn: packageScripts,
  npx: packageScripts,
  bunx: packageScripts,
  bun: interpreter('erp', ['eval', 'print', 'preload', 'require', 'cwd', 'config']),
  node: interpreter('eprCi', [
    'eval',
    'print',
    'require',
    'import',
    'loader',
    'experimental-loader',
    'env-file',
    'inspect',
    'run',
    'test-reporter',
    'openssl-config',
    'build-snapshot',
    'watch-path',
    'input-type',
  ]),
  deno: {
    caution: anyCaution(
      flagCaution({ words: ['eval', 'repl'] }, INLINE),
      flagCaution({ short: 'A', long: ['allow-', 'config', 'import-map'] }, INLINE),
    ),
  },
  python: interpreter('cmiWX'),
  python2: interpreter('cmiWX'),
  python3: interpreter('cmiWX'),
  perl: interpreter('eEMmIinpxX'),
  ruby: interpreter('erIinpx'),
  php: interpreter('rRBEdacfFz'),
  lua: interpreter('eli'),
  osascript: { caution: always(INLINE) },
  tclsh: { caution: always(INLINE) },
  expect: { caution: always(INLINE) },
  awk: { caution: always('awk programs can run commands and write files') },
  gawk: { caution: always('awk programs can run commands and write files') },
  mawk: { caution: always('awk programs can run commands and write files') },
  nawk: { caution: always('awk programs can run commands and write files') },
  make: {
    caution: anyCaution(
      flagCaution({ short: 'fCEIW', long: ['file', 'makefile', 'eval', 'directory', 'include-dir'] }, RUNS),
      (args) =>
        args.some((word) => /^\w+[:+?!]*=/.test(word.value))
          ? 'a variable on its command line can replace the programs it runs'
          : undefined,
    ),
  },
  tar: {
    files: 'write',
    caution: flagCaution(
      {
        short: 'IF',
        long: [
          'to-command',
          'checkpoint-action',
          'use-compress-program',
          'rsh-command',
          'rmt-command',
          'info-script',
          'new-volume-script',
          'absolute-names',
        ],
      },
      RUNS,
    ),
  },
  zip: { caution: flagCaution({ short: 'T', long: ['unzip-command', 'test'] }, RUNS) },
  rsync: {
    files: 'write',
    caution: flagCaution({ short: 'e', long: ['rsh', 'rsync-path', 'daemon', 'config'] }, RUNS),
  },
  scp: { files: 'write', caution: flagCaution({ short: 'oSFD' }, RUNS) },
  sftp: { caution: flagCaution({ short: 'oSFDb' }, RUNS) },
  ssh: { caution: flagCaution({ short: 'oFESLRDJw' }, RUNS) },
  curl: {
    caution: flagCaution(
      {
        short: 'oOKTdFxX',
        long: [
          'output',
          'remote-name',
          'config',
          'upload-file',
          'data',
          'form',
          'proxy',
          'request',
          'unix-socket',
          'json',
          'dump-header',
          'trace',
          'cookie-jar',
          'libcurl',
          'stderr',
          'etag-save',
          'hsts',
          'alt-svc',
          'engine',
        ],
      },
      'sends data or writes a file',
    ),
  },
  wget: {
    caution: flagCaution(
      {
        short: 'OoaPie',
        long: [
          'output-document',
          'output-file',
          'append-output',
          'directory-prefix',
          'execute',
          'use-askpass',
          'config',
          'post-',
          'body-',
          'input-file',
          'save-cookies',
          'method',
        ],
      },
      'sends data or writes a file',
    ),
  },
  split: { caution: flagCaution({ long: ['filter'] }, RUNS) },
  fd: { caution: flagCaution({ short: 'xX', long: ['exec', 'exec-batch'] }, RUNS) },
  fdfind: { caution: flagCaution({ short: 'xX', long: ['exec', 'exec-batch'] }, RUNS) },
  fzf: { caution: always(RUNS) },
  bat: { caution: flagCaution({ long: ['pager', 'paging', 'diff'] }, RUNS) },
  gcc: { caution: flagCaution({ short: 'B', words: ['-wrapper'], long: ['plugin'] }, RUNS) },
  go: {
    caution: flagCaution(
      { words: ['-exec', '-toolexec', '-modfile', '-overlay', '-C', 'generate', 'env'] },
      RUNS,
    ),
  },
  cargo: { caution: flagCaution({ short: 'CZ', long: ['config', 'manifest-path'] }, RUNS) },
  tcpdump: { caution: always(RUNS) },
  nc: { caution: always('it opens a connection for any data') },
  ncat: { caution: always('it opens a connection for any data') },
  socat: { caution: always('it opens a connection for any data') },
  crontab: { caution: always('it stores commands for later') },
  at: { caution: always('it stores commands for later') },
  batch: { caution: always('it stores commands for later') },
  'systemd-run': { caution: always('it runs commands outside this session') },
  vi: interactive,
  vim: interactive,
  nvim: interactive,
  view: interactive,
  ex: interactive,
  ed: interactive,
  emacs: interactive,
  nano: interactive,
  less: interactive,
  more: interactive,
  man: interactive,
  info: interactive,
  tmux: interactive,
  screen: interactive,
  script: interactive,
  gdb: interactive,
  lldb: interactive,
  top: interactive,
  sqlite3: interactive,
  psql: interactive,
  mysql: interactive,
  ftp: interactive,
  telnet: interactive,
  unzip: writer,
  tee: writer,
  cp: writer,
  mv: writer,
  ln: writer,
  install: writer,
  touch: writer,
  mkdir: writer,
  truncate: writer,
  chmod: writer,
  chown: writer,
  chgrp: writer,
  patch: { caution: always('a patch names the files it changes') },
  rm: remover,
  rmdir: remover,
  unlink: remover,
  shred: remover,
  dd: { caution: always('it writes to any file or device') },
  alias: shellBuiltin,
  unalias: shellBuiltin,
  bind: shellBuiltin,
  caller: shellBuiltin,
  compgen: shellBuiltin,
  complete: shellBuiltin,
  compopt: shellBuiltin,
  declare: shellBuiltin,
  enable: shellBuiltin,
  export: shellBuiltin,
  fc: shellBuiltin,
  getopts: shellBuiltin,
  hash: shellBuiltin,
  history: shellBuiltin,
  jobs: shellBuiltin,
  let: shellBuiltin,
  local: shellBuiltin,
  mapfile: shellBuiltin,
  popd: shellBuiltin,
  pushd: shellBuiltin,
  read: shellBuiltin,
  readarray: shellBuiltin,
  readonly: shellBuiltin,
  set: {
    isSafe: true,
    files: 'none',
    caution: (args) =>
      args.every((word) => /^(?:[-+][eux]*o?|pipefail|errexit|nounset|xtrace)$/.test(word.value))
        ? undefined
        : LOOKUP,
  },
  shift: shellBuiltin,
  shopt: shellBuiltin,
  typeset: shellBuiltin,
  unset: shellBuiltin,
  ulimit: shellBuiltin,
  umask: shellBuiltin,
};
