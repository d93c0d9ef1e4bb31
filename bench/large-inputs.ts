// A log of 2 GB, a tree of 300,000 files, a command that never stops printing: what an answer about them costs.
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { timed } from './call-tool.ts';
import type { LargeCaseCost } from './large-case-process.ts';
import {
  LARGE_CASES,
  type LargeCase,
  LOG_BYTES,
  LOG_NAME,
  MAX_GROWTH_MB,
  MAX_SECONDS,
  TREE_FILES,
} from './large-cases.ts';
import { makeLog, makeTree } from './large-files.ts';
import { printTable } from './measure.ts';
import { runProgram } from './run-program.ts';

export async function benchLargeInputs(): Promise<void> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'crosspoint-bench-')));
  const folders = {
    log: path.join(base, 'log'),
    tree: path.join(base, 'tree'),
    none: path.join(base, 'none'),
  };
  try {
    mkdirSync(folders.none);
    makeTree(folders.tree, TREE_FILES);
    await makeLog(path.join(folders.log, LOG_NAME), LOG_BYTES);
    const rows: string[][] = [];
    for (const [name, given] of Object.entries(LARGE_CASES))
      rows.push(await measure(name, given, folders[given.input], path.join(base, 'state')));
    printTable(
      `Large inputs (bounds: ${MAX_SECONDS} s, ${MAX_GROWTH_MB} MB of growth)`,
      [
        'question',
        'time',
        '÷ plain command',
        'peak memory',
        'grown by',
        'characters',
        'within bounds, useful',
      ],
      rows,
    );
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function measure(name: string, given: LargeCase, folder: string, stateFolder: string) {
  await runProgram(given.plain, folder); // what it reads is in the page cache from here on
  const plainMs = await timed(() => runProgram(given.plain, folder));
  const cost = await inItsOwnProcess(name, folder, stateFolder);
  const grown = (cost.peakBytes - cost.idleBytes) / 1e6;
  const isWithin = cost.timeMs < MAX_SECONDS * 1000 && grown < MAX_GROWTH_MB;
  if (!isWithin || !cost.isUseful) process.exitCode = 1;
  return [
    name,
    `${(cost.timeMs / 1000).toFixed(2)} s`,
    (cost.timeMs / plainMs).toFixed(2),
    `${(cost.peakBytes / 1e6).toFixed(0)} MB`,
    `${Math.max(0, grown).toFixed(0)} MB`,
    String(cost.characters),
    isWithin && cost.isUseful
      ? 'yes'
      : `NO${isWithin ? '' : ', out of bounds'}${cost.isUseful ? '' : ', no use'}`,
  ];
}

function inItsOwnProcess(...args: string[]): Promise<LargeCaseCost> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./large-case-process.ts', import.meta.url), args, {
      execArgv: ['--import', 'tsx'],
    });
    child.once('message', (cost) => resolve(cost as LargeCaseCost)); // our own script sends nothing else
    child.once('exit', (code) => reject(new Error(`The case ${args[0]} ended with code ${code}.`)));
  });
}
