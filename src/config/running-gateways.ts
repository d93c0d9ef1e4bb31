import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { GatewayError } from '../core/index.ts';
import { errnoOf } from './errno.ts';
import { ensureStateHome, type StatePaths } from './paths.ts';

const gatewaySchema = z.object({ pid: z.number().int().positive(), url: z.string(), startedAt: z.string() });
const fileSchema = z.object({ gateways: z.array(gatewaySchema) });

export type RunningGateway = z.output<typeof gatewaySchema>;

export type IsAlive = (pid: number) => boolean;

/** Signal 0 only asks. EPERM means: it runs, as another user. */
export const isProcessAlive: IsAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
};

/** The gateways that run now, oldest first; entries of processes that died without a word are dropped. */
export async function listGateways(
  paths: StatePaths,
  isAlive: IsAlive = isProcessAlive,
): Promise<RunningGateway[]> {
  return (await readEntries(paths)).filter(({ pid }) => isAlive(pid));
}

export async function registerGateway(
  paths: StatePaths,
  entry: RunningGateway,
  isAlive: IsAlive = isProcessAlive,
): Promise<void> {
  await ensureStateHome(paths);
  await update(paths, isAlive, (entries) => [...entries.filter(({ url }) => url !== entry.url), entry]);
}

export async function unregisterGateway(
  paths: StatePaths,
  entry: Pick<RunningGateway, 'pid' | 'url'>,
  isAlive: IsAlive = isProcessAlive,
): Promise<void> {
  await update(paths, isAlive, (entries) =>
    entries.filter(({ pid, url }) => pid !== entry.pid || url !== entry.url),
  );
}

async function readEntries(paths: StatePaths): Promise<RunningGateway[]> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(await readFile(paths.gateways, 'utf8')));
    return parsed.success ? parsed.data.gateways : [];
  } catch (error) {
    // The file is a note to ourselves, made anew by every start: a damaged one is as good as none.
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return [];
    throw error;
  }
}

type Change = (entries: RunningGateway[]) => RunningGateway[];

async function update(paths: StatePaths, isAlive: IsAlive, change: Change): Promise<void> {
  const unlock = await lock(`${paths.gateways}.lock`, isAlive);
  try {
    const gateways = change(await listGateways(paths, isAlive));
    const draft = `${paths.gateways}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, `${JSON.stringify({ gateways }, undefined, 2)}\n`, { mode: 0o600 });
    await rename(draft, paths.gateways);
  } finally {
    await unlock();
  }
}

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 20;

/** Two gateways may start together; without a lock one would overwrite the other's entry. */
async function lock(file: string, isAlive: IsAlive): Promise<() => Promise<void>> {
  for (let attempt = 0; attempt < LOCK_TRIES; attempt++) {
    try {
      await writeFile(file, String(process.pid), { mode: 0o600, flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    if (await isAbandoned(file, isAlive)) await rm(file, { force: true });
    else await wait(LOCK_WAIT_MS);
  }
  throw new GatewayError('internal', `${file} is held by another process. If none runs, delete the file.`);
}

async function isAbandoned(file: string, isAlive: IsAlive): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(text);
  return pid > 0 && !isAlive(pid);
}
