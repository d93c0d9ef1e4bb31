// Searching and listing through the tools against ripgrep called directly with the same question on the same tree, then the
// large cases: a tree of 300,000 files and a log of 2 GB, with the time and the memory that an answer takes.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { countingIds } from '../src/core/index.ts';
import { fileSearch } from '../src/tools/builtin/search/file-search.ts';
import { globFileSearch } from '../src/tools/builtin/search/glob-file-search.ts';
import { grep } from '../src/tools/builtin/search/grep.ts';
import { listDir } from '../src/tools/builtin/search/list-dir.ts';
import { Resources } from '../src/tools/resources.ts';
import type { Tool } from '../src/tools/tool.ts';
import type { ToolContext } from '../src/tools/tool-context.ts';
import { Workspace } from '../src/tools/workspace.ts';
import { median, printTable } from './measure.ts';

const ROUNDS = 7;
const FOLDERS = 3_000;
const FILES_PER_FOLDER = 100;
const LOG_BYTES = 2_000_000_000;

export async function benchSearch(): Promise<void> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'crosspoint-bench-')));
  try {
    const small = path.join(base, 'small');
    makeTree(small, FOLDERS / 10);
    const tree = path.join(base, 'tree');
    makeTree(tree, FOLDERS);
    const logs = path.join(base, 'logs');
    await makeLog(logs);
    await compare(small, FOLDERS / 10, base);
    await compare(tree, FOLDERS, base);
    await measureLarge(tree, logs, base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function compare(tree: string, folders: number, base: string): Promise<void> {
  const context = contextOf(tree, base);
  const cases: readonly (readonly [string, Tool, object, readonly string[]])[] = [
    ['grep, few matches', grep, { pattern: 'rare_word_\\d+' }, ['-n', '-e', 'rare_word_\\d+', '.']],
    [
      'grep, files',
      grep,
      { pattern: 'value 7', output_mode: 'files_with_matches' },
      ['-l', '-e', 'value 7', '.'],
    ],
    ['list_dir', listDir, {}, ['--files', '.']],
    [
      'glob_file_search',
      globFileSearch,
      { glob_pattern: '*99.ts' },
      ['--files', '--sortr=modified', '-g', '*99.ts', '.'],
    ],
  ];
  const rows: string[][] = [];
  for (const [name, tool, args, direct] of cases) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const directly = await timed(() => callDirectly(direct, tree));
      const viaTool = await timed(() => call(tool, args, context));
      if (round === 0) continue; // warm-up
      theirs.push(directly);
      ours.push(viaTool);
    }
    const [us, them] = [median(ours.sort(ascending)), median(theirs.sort(ascending))];
    rows.push([name, (us / them).toFixed(2), `${us.toFixed(0)} ms`, `${them.toFixed(0)} ms`]);
  }
  printTable(
    `Tools against ripgrep called directly, ${folders * FILES_PER_FOLDER} files, median of ${ROUNDS}`,
    ['question', 'tool ÷ rg', 'tool', 'rg'],
    rows,
  );
}

async function measureLarge(tree: string, logs: string, base: string): Promise<void> {
  const inTree = contextOf(tree, base);
  const inLogs = contextOf(logs, base);
  const cases: readonly (readonly [string, Tool, object, ToolContext])[] = [
    ['300,000 files: list_dir', listDir, {}, inTree],
    ['300,000 files: every file by glob', globFileSearch, { glob_pattern: '**/*' }, inTree],
    ['300,000 files: fuzzy file_search', fileSearch, { query: 'd29f99' }, inTree],
    ['300,000 files: a match in every line', grep, { pattern: '.' }, inTree],
    ['2 GB log: rare line', grep, { pattern: 'needle_\\d+' }, inLogs],
    ['2 GB log: every line', grep, { pattern: 'request' }, inLogs],
    ['2 GB log: count', grep, { pattern: 'request', output_mode: 'count' }, inLogs],
  ];
  const rows: string[][] = [];
  for (const [name, tool, args, context] of cases) {
    let peak = 0;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const before = process.memoryUsage.rss();
    let answer = '';
    const time = await timed(async () => {
      answer = await call(tool, args, context);
    });
    clearInterval(sampler);
    const grown = Math.max(0, Math.max(peak, process.memoryUsage.rss()) - before) / 1e6;
    rows.push([
      name,
      `${(time / 1000).toFixed(1)} s`,
      `${grown.toFixed(0)} MB`,
      `${(answer.length / 1000).toFixed(1)} k`,
    ]);
  }
  printTable('Large cases', ['question', 'time', 'memory grown', 'characters of the answer'], rows);
}

const ascending = (left: number, right: number) => left - right;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

async function call(tool: Tool, args: object, context: ToolContext): Promise<string> {
  const outcome = await tool.run(tool.args.parse(args), context);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.content;
}

/** Reads the whole output, as any caller would. */
function callDirectly(args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ['--no-config', ...args], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.once('error', reject).once('close', () => resolve());
  });
}

function contextOf(root: string, base: string): ToolContext {
  return {
    callId: 'bench',
    workspace: new Workspace(root),
    mode: 'agent',
    signal: new AbortController().signal,
    resources: new Resources(),
    nowMs: () => performance.now(),
    newId: countingIds(),
    stateFolder: base,
    env: {},
    progress: () => undefined,
  };
}

function makeTree(tree: string, folders: number): void {
  for (let folder = 0; folder < folders; folder++) {
    const where = path.join(tree, `part${folder % 20}`, `d${folder}`);
    mkdirSync(where, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const rare = folder % 100 === 0 && file === 0 ? `rare_word_${folder}\n` : '';
      writeFileSync(path.join(where, `f${file}.ts`), `export const value${file} = 'value ${file}';\n${rare}`);
    }
  }
}

async function makeLog(folder: string): Promise<void> {
  mkdirSync(folder);
  const line = '2026-01-01T00:00:00Z info request 0123456789abcdef served in 12 ms\n';
  const block = line.repeat(20_000);
  const handle = await open(path.join(folder, 'server.log'), 'w');
  for (let written = 0, index = 0; written < LOG_BYTES; written += block.length, index++) {
    await handle.write(index % 500 === 0 ? `${block}needle_${index}\n` : block);
  }
  await handle.close();
}
