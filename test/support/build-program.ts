// Runs once before the tests: those that start the program need dist/, and it must match the sources.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

export function setup(): void {
  const root = resolve(import.meta.dirname, '../..');
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
}
