import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { omitUndefined } from '../../../src/core/index.ts';
import { type CellResult, formatResultTable, type InteropCell } from './result-table.ts';

declare module 'vitest' {
  interface TaskMeta {
    interop?: InteropCell;
  }
}

/** Prints the table when the whole suite has ended. */
export class TableReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const results = modules.flatMap((module) => [...module.children.allTests()].flatMap(readResult));
    if (results.length > 0) this.#vitest?.logger.log(`\n${formatResultTable(results)}\n`);
  }
}

function readResult(test: TestCase): CellResult[] {
  const cell = test.meta().interop;
  if (!cell) return [];
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return [omitUndefined({ ...cell, state: result.state, durationMs: test.diagnostic()?.duration, note })];
}
