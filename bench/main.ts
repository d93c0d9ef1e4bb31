// `npm run bench [NAME]`: runs the benchmarks and prints their tables. Everything is a ratio within one run.

import { benchLargeInputs } from './large-inputs.ts';
import { benchNativeRuns } from './native-runs.ts';
import { benchParkedTurns } from './parked-turns.ts';
import { benchPassThrough } from './pass-through.ts';
import { benchSearch } from './search.ts';
import { benchTranslate } from './translate.ts';

const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  'pass-through': benchPassThrough,
  translate: benchTranslate,
  'parked-turns': benchParkedTurns,
  'native-runs': benchNativeRuns,
  search: benchSearch,
  'large-inputs': benchLargeInputs,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}; there are: ${Object.keys(BENCHMARKS).join(', ')}.`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
