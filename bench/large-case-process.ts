// Runs one of the large cases and sends what it cost: `large-case-process.ts NAME FOLDER STATE_FOLDER`.
import { readFileSync, writeFileSync } from 'node:fs';
import { benchContext, callTool, timed } from './call-tool.ts';
import { LARGE_CASES } from './large-cases.ts';

export interface LargeCaseCost {
  readonly timeMs: number;
  /** Of this process, at its highest during the call, and before it. */
  readonly peakBytes: number;
  readonly idleBytes: number;
  readonly characters: number;
  readonly isUseful: boolean;
}

const [name = '', folder = '', stateFolder = ''] = process.argv.slice(2);
const given = LARGE_CASES[name];
if (!given) throw new Error(`There is no case "${name}".`);
const context = benchContext(folder, stateFolder);
const idleBytes = memory('VmRSS');
resetPeak();
let answer = '';
const timeMs = await timed(async () => {
  const outcome = await callTool(given.tool, given.args, context);
  answer = outcome.ok ? outcome.content : outcome.error.message;
});
const peakBytes = memory('VmHWM');
const isUseful = given.expects.test(answer);
process.send?.({ timeMs, peakBytes, idleBytes, characters: answer.length, isUseful } satisfies LargeCaseCost);
await context.resources.dispose();
process.disconnect();

function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}

/** Loading the program has a peak of its own, which is not the call's. */
function resetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not allowed everywhere; the figure is then too high, never too low.
  }
}
