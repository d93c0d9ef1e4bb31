// What the machine offers: runtime, state folder, disk, port.
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Config, errnoOf, listGateways, type StatePaths } from '../../config/index.ts';
import type { CliContext } from '../context.ts';
import { type Check, failure, ok, warning } from './check.ts';

const MIN_NODE = [20, 19] as const;
const MEBIBYTE = 1024 * 1024;

export function checkNode({ nodeVersion }: CliContext): Check {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isNewEnough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  if (isNewEnough) return ok('node', `Node ${nodeVersion}`);
  return failure('node', `Node ${nodeVersion} is too old.`, `Install Node ${MIN_NODE.join('.')} or newer.`);
}

export async function checkStateFolder(paths: StatePaths): Promise<Check> {
  const name = 'state folder';
  try {
    const { mode } = await stat(paths.home);
    await access(paths.home, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((mode & 0o077) === 0) return ok(name, paths.home);
    return failure(name, `${paths.home} can be read by other users.`, `chmod 700 ${paths.home}`);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return ok(name, `${paths.home} (will be made on the first start)`);
    const why = error instanceof Error ? error.message : String(error);
    return failure(name, why, 'Make the folder yours and writable, or set CROSSPOINT_HOME to another one.');
  }
}

export async function checkDisk(paths: StatePaths): Promise<Check> {
  const folder = await nearestExisting(paths.home);
  const { bavail, bsize } = await statfs(folder);
  const freeMebibytes = Math.floor((bavail * bsize) / MEBIBYTE);
  const message = `${freeMebibytes} MiB free for ${paths.home}`;
  const remedy = 'Free some space; the journal and the keys are kept there.';
  if (freeMebibytes < 20) return failure('disk', message, remedy);
  return freeMebibytes < 200 ? warning('disk', message, remedy) : ok('disk', message);
}

async function nearestExisting(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || path.dirname(folder) === folder ? folder : nearestExisting(path.dirname(folder));
}

export async function checkPort(context: CliContext, config: Config, paths: StatePaths): Promise<Check> {
  const { host, port } = config.server;
  const running = await listGateways(paths, context.isAlive);
  const own = running.find(({ url }) => Number(new URL(url).port) === port);
  if (own) return ok('port', `${port} is held by the running gateway (process ${own.pid}, ${own.url})`);
  const code = await tryToListen(host, port);
  if (code === undefined) return ok('port', `${port} on ${host} is free`);
  if (code === 'EADDRINUSE') {
    return failure(
      'port',
      `${port} on ${host} is taken by another program.`,
      'Stop it, or use `serve --port N`.',
    );
  }
  const remedy = code === 'EACCES' ? 'Use a port above 1023.' : 'Check server.host and server.port.';
  return failure('port', `${host}:${port} cannot be listened on (${code}).`, remedy);
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errnoOf(error) ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
