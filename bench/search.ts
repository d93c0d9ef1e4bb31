// Searching and listing through the tools against ripgrep called directly with the same question on the same tree.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { globFileSearch } from '../src/tools/builtin/search/glob-file-search.ts';
import { grep } from '../src/tools/builtin/search/grep.ts';
import { listDir } from '../src/tools/builtin/search/list-dir.ts';
import type { Tool } from '../src/tools/tool.ts';
import { benchContext, callTool, timed } from './call-tool.ts';
import { makeTree } from './large-files.ts';
import { median, printTable } from './measure.ts';
import { runProgram } from './run-program.ts';

const TREES = [10_000, 100_000, 300_000];
const ROUNDS = 15;

interface Question {
  readonly name: string;
  readonly tool: Tool;
  readonly args: object;
  /** The same question to ripgrep; a glob asks for the newest first, as the tool answers. */
  readonly direct: readonly string[];
}

const QUESTIONS: readonly Question[] = [
  {
    name: '`list_dir`',
    tool: listDir,
    args: {},
    direct: ['--files', '.'],
  },
  {
    name: '`glob_file_search`, one file in a hundred',
    tool: globFileSearch,
    args: { glob_pattern: '*99.ts' },
    direct: ['--files', '--sortr=modified', '-g', '*99.ts', '.'],
  },
  {
    name: '`glob_file_search`, every file',
    tool: globFileSearch,
    args: { glob_pattern: '**/*' },
    direct: ['--files', '--sortr=modified', '.'],
  },
  {
    name: '`grep`, few matches',
    tool: grep,
    args: { pattern: 'rare_word_\\d+' },
    direct: ['-n', '-e', 'rare_word_\\d+', '.'],
  },
  {
    name: '`grep`, file names',
    tool: grep,
    args: { pattern: 'value 7', output_mode: 'files_with_matches' },
    direct: ['-l', '-e', 'value 7', '.'],
  },
];

export async function benchSearch(): Promise<void> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'crosspoint-bench-')));
  const cells = QUESTIONS.map(({ name }) => [name]);
  try {
    for (const fileCount of TREES) {
      const tree = path.join(base, `tree-${fileCount}`);
      makeTree(tree, fileCount);
      for (const [row, question] of QUESTIONS.entries())
        cells[row]?.push(await compare(question, tree, base));
      rmSync(tree, { recursive: true });
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  printTable(
    `Search tools beside ripgrep, median of ${ROUNDS} rounds (the best of them ÷ ripgrep's best)`,
    ['tool ÷ rg', ...TREES.map((count) => `${count.toLocaleString('en')} files`)],
    cells,
  );
}

/** Turn by turn, so that what else the machine does meets both. */
async function compare({ tool, args, direct }: Question, tree: string, base: string): Promise<string> {
  const context = benchContext(tree, base);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const directly = await timed(() => runProgram([rgPath, '--no-config', ...direct], tree));
    const viaTool = await timed(() => answered(tool, args, context));
    if (round === 0) continue; // warm-up
    theirs.push(directly);
    ours.push(viaTool);
  }
  const [us, them] = [ours.sort(ascending), theirs.sort(ascending)];
  const best = ((us[0] ?? 0) / (them[0] ?? 1)).toFixed(2);
  return `${(median(us) / median(them)).toFixed(2)} (${best}); ${median(us).toFixed(0)} ms`;
}

async function answered(...call: Parameters<typeof callTool>): Promise<void> {
  const outcome = await callTool(...call);
  if (!outcome.ok) throw new Error(outcome.error.message);
}

const ascending = (left: number, right: number) => left - right;
