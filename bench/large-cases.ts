// What the large inputs are asked, and what an answer may cost. Each case runs in a process of its own.
import { rgPath } from '@vscode/ripgrep';
import { readFile } from '../src/tools/builtin/files/read-file.ts';
import { fileSearch } from '../src/tools/builtin/search/file-search.ts';
import { globFileSearch } from '../src/tools/builtin/search/glob-file-search.ts';
import { grep } from '../src/tools/builtin/search/grep.ts';
import { listDir } from '../src/tools/builtin/search/list-dir.ts';
import { ripgrepSearch } from '../src/tools/builtin/search/ripgrep-search.ts';
import { runTerminalCommand } from '../src/tools/builtin/shell/run-terminal-command.ts';
import type { Tool } from '../src/tools/tool.ts';

export interface LargeCase {
  readonly input: 'log' | 'tree' | 'none';
  readonly tool: Tool;
  readonly args: object;
  /** A plain command that has to do the same work. */
  readonly plain: readonly string[];
  /** What the answer must hold to be of use. */
  readonly expects: RegExp;
}

export const LOG_BYTES = 2_000_000_000;
export const TREE_FILES = 300_000;
export const LOG_NAME = 'server.log';

/** Bounds for every case: a call ends in this time, and the process grows by no more than this. */
export const MAX_SECONDS = 30;
export const MAX_GROWTH_MB = 256;

const MIDDLE = 15_000_000;

export const LARGE_CASES: Readonly<Record<string, LargeCase>> = {
  '2 GB log: 100 lines at the start': {
    input: 'log',
    tool: readFile,
    args: { path: LOG_NAME, limit: 100 },
    plain: ['head', '-n', '100', LOG_NAME],
    expects: /Lines 1-100 of/,
  },
  '2 GB log: 100 lines in the middle': {
    input: 'log',
    tool: readFile,
    args: { path: LOG_NAME, offset: MIDDLE, limit: 100 },
    plain: ['sed', '-n', `${MIDDLE},${MIDDLE + 99}p;${MIDDLE + 100}q`, LOG_NAME],
    expects: new RegExp(`Lines ${MIDDLE}-${MIDDLE + 99} of`),
  },
  '2 GB log: the last 100 lines, numbered': {
    input: 'log',
    tool: readFile,
    args: { path: LOG_NAME, offset: -100 },
    plain: ['wc', '-l', LOG_NAME],
    expects: /served in 12 ms$/,
  },
  '2 GB log: `grep`, rare lines': {
    input: 'log',
    tool: grep,
    args: { pattern: 'needle_\\d+' },
    plain: [rgPath, '--no-config', '-n', '-e', 'needle_\\d+', LOG_NAME],
    expects: /Found 3 matching lines in 1 file/,
  },
  '2 GB log: `grep`, every line matches': {
    input: 'log',
    tool: grep,
    args: { pattern: 'request' },
    plain: [rgPath, '--no-config', '-n', '-m', '2001', '-e', 'request', LOG_NAME],
    expects: /Found at least .*shown/s,
  },
  '2 GB log: `grep`, lines counted': {
    input: 'log',
    tool: grep,
    args: { pattern: 'request', output_mode: 'count' },
    plain: [rgPath, '--no-config', '--count', '-e', 'request', LOG_NAME],
    expects: /server\.log:\d{8}/,
  },
  '300,000 files: `list_dir`': {
    input: 'tree',
    tool: listDir,
    args: {},
    plain: [rgPath, '--no-config', '--files', '.'],
    expects: /part0\//,
  },
  '300,000 files: `glob_file_search`, every file': {
    input: 'tree',
    tool: globFileSearch,
    args: { glob_pattern: '**/*' },
    plain: [rgPath, '--no-config', '--files', '--sortr=modified', '.'],
    expects: /Found 300000 files/,
  },
  '300,000 files: `file_search`, fuzzy': {
    input: 'tree',
    tool: fileSearch,
    args: { query: 'd29f99' },
    plain: [rgPath, '--no-config', '--files', '.'],
    expects: /d29\/f99\.ts/,
  },
  '300,000 files: `grep`, every line matches': {
    input: 'tree',
    tool: grep,
    args: { pattern: '.' },
    plain: [rgPath, '--no-config', '-n', '-e', '.', '.'],
    expects: /continue with offset/,
  },
  '300,000 files: `ripgrep_search`, rare word': {
    input: 'tree',
    tool: ripgrepSearch,
    args: { query: 'rare_word_2900' },
    plain: [rgPath, '--no-config', '-n', '-e', 'rare_word_2900', '.'],
    expects: /rare_word_2900/,
  },
  'endless `yes`, stopped by its output': {
    input: 'none',
    tool: runTerminalCommand,
    args: { command: 'echo first; yes' },
    plain: ['bash', '-c', 'yes | head -c 3221225472'],
    expects: /^first\ny\n[\s\S]*\ny\n\[stopped/,
  },
  'endless `yes`, stopped after 2 s': {
    input: 'none',
    tool: runTerminalCommand,
    args: { command: 'echo first; yes', timeout_ms: 2_000, timeout_behavior: 'cancel' },
    plain: ['timeout', '2', 'yes'],
    expects: /^first\ny\n[\s\S]*\ny\n\[stopped[^\n]*time limit/,
  },
};
