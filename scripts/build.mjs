// Compiles src/ into dist/ and makes the program executable. The entry file is touched last, so that its time
// says "everything before me is built".
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const result = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (result.status !== 0) process.exit(result.status ?? 1);
const program = join(root, 'dist/cli/main.js');
chmodSync(program, 0o755);
utimesSync(program, new Date(), new Date());
