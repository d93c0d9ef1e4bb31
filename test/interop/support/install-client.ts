import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ROOT } from '../../support/program.ts';
import type { InteropClient } from '../clients/index.ts';
import { runProcess } from './run-process.ts';

const INSTALL_TIMEOUT_MS = 9 * 60_000;

/** The program of a client, or why it could not be installed. */
export type Installation = { readonly program: string } | { readonly problem: string };

export function cacheFolder(): string {
  return resolve(process.env.CROSSPOINT_INTEROP_CACHE || join(ROOT, '.cache/interop'));
}

/** Installs the pinned version once; later runs find it in the cache. */
export async function installClient(client: InteropClient): Promise<Installation> {
  const folder = join(cacheFolder(), `${client.name}-${client.version}`);
  const program = join(folder, 'node_modules/.bin', client.bin);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp) && existsSync(program)) return { program };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const specifier = `${client.packageName}@${client.version}`;
  // --prefix, because `npm run` leaves variables behind that would lead this npm to the project's own folder.
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    '--loglevel=error',
    specifier,
  ];
  const run = await runProcess(['npm', ...args], {
    cwd: folder,
    env: process.env,
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (run.code !== 0)
    return { problem: `npm install ${specifier} failed: ${firstError(run.stderr, run.code)}` };
  await writeFile(stamp, `${specifier}\n`);
  return { program };
}

function firstError(stderr: string, code: number | null): string {
  const lines = stderr.split('\n').filter((line) => /\S/.test(line));
  const errors = lines.filter((line) => line.startsWith('npm error'));
  const shown = (errors.length > 0 ? errors : lines)
    .slice(0, 3)
    .map((line) => line.replace(/^npm error\s*/, ''));
  return shown.join(' ') || `it ended with ${code ?? 'its time limit'}`;
}
