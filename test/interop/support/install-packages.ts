import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from '../../support/program.ts';
import { runProcess } from './run-process.ts';

const INSTALL_TIMEOUT_MS = 9 * 60_000;

/** The folder that holds `node_modules`, or why there is none. */
export type InstalledFolder = { readonly folder: string } | { readonly problem: string };

export function cacheFolder(): string {
  return resolve(process.env.CROSSPOINT_INTEROP_CACHE || join(ROOT, '.cache/interop'));
}

/** Installs packages of pinned versions once, under a name that tells the version; later runs find them in the cache. */
export async function installPackages(name: string, specifiers: readonly string[]): Promise<InstalledFolder> {
  const folder = join(cacheFolder(), name);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return { folder };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  // --prefix, because `npm run` leaves variables behind that would lead this npm to the project's own folder.
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    '--loglevel=error',
    ...specifiers,
  ];
  const run = await runProcess(['npm', ...args], {
    cwd: folder,
    env: process.env,
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (run.code !== 0)
    return { problem: `npm install ${specifiers.join(' ')} failed: ${firstError(run.stderr, run.code)}` };
  await writeFile(stamp, `${specifiers.join('\n')}\n`);
  return { folder };
}

function firstError(stderr: string, code: number | null): string {
  const lines = stderr.split('\n').filter((line) => /\S/.test(line));
  const errors = lines.filter((line) => line.startsWith('npm error'));
  const shown = (errors.length > 0 ? errors : lines)
    .slice(0, 3)
    .map((line) => line.replace(/^npm error\s*/, ''));
  return shown.join(' ') || `it ended with ${code ?? 'its time limit'}`;
}
