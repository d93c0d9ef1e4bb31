import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureAdminToken, readAdminToken } from './admin-token.ts';
import { ensureStateHome, type StatePaths, statePaths, storePath } from './paths.ts';
import { listGateways, registerGateway, unregisterGateway } from './running-gateways.ts';
import { defaultConfig } from './schema.ts';

let folder: string;
let paths: StatePaths;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'crosspoint-state-'));
  paths = statePaths({ env: { CROSSPOINT_HOME: path.join(folder, 'state') }, home: folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8);
}

describe('the state folder', () => {
  it('is CROSSPOINT_HOME, else under XDG_DATA_HOME, else under ~/.local/share', () => {
    const home = '/home/u';
    expect(statePaths({ env: {}, home }).home).toBe('/home/u/.local/share/crosspoint');
    expect(statePaths({ env: { XDG_DATA_HOME: '/data' }, home }).home).toBe('/data/crosspoint');
    expect(statePaths({ env: { XDG_DATA_HOME: '/data', CROSSPOINT_HOME: '/mine' }, home }).home).toBe(
      '/mine',
    );
  });

  it('holds the database unless the configuration names another', () => {
    const config = defaultConfig();
    expect(storePath(config, paths)).toBe(path.join(folder, 'state', 'crosspoint.db'));
    expect(storePath({ ...config, store: { kind: 'sqlite', path: '/x.db' } }, paths)).toBe('/x.db');
  });

  it('is for its owner only, also when it was open before', async () => {
    await ensureStateHome(paths);
    expect(await modeOf(paths.home)).toBe('700');
    await chmod(paths.home, 0o755);
    await ensureStateHome(paths);
    expect(await modeOf(paths.home)).toBe('700');
  });

  it('says what to do when it cannot be made', async () => {
    await writeFile(path.join(folder, 'state'), 'a file');
    await expect(ensureStateHome(paths)).rejects.toThrow(/set CROSSPOINT_HOME to another folder/);
  });
});

describe('the admin token', () => {
  it('is made once, with 32 random bytes, readable by its owner only', async () => {
    expect(await readAdminToken(paths)).toBeUndefined();
    const token = await ensureAdminToken(paths);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(await modeOf(paths.adminToken)).toBe('600');
    expect(await ensureAdminToken(paths)).toBe(token);
    expect(await readdir(paths.home)).toEqual(['admin-token']);
  });

  it('is the same for many starts at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => ensureAdminToken(paths)));
    expect(new Set(tokens).size).toBe(1);
    expect(await readFile(paths.adminToken, 'utf8')).toBe(`${tokens[0]}\n`);
  });

  it('is closed again when somebody opened it', async () => {
    await ensureAdminToken(paths);
    await chmod(paths.adminToken, 0o644);
    await readAdminToken(paths);
    expect(await modeOf(paths.adminToken)).toBe('600');
  });

  it('is not replaced silently when it is damaged, and not shown', async () => {
    await mkdir(paths.home, { recursive: true });
    await writeFile(paths.adminToken, 'half-a-tok');
    const error = await readAdminToken(paths).catch((thrown: unknown) => String(thrown));
    expect(error).toContain('Delete the file; the next start writes a new one.');
    expect(error).not.toContain('half-a-tok');
  });
});

describe('the list of running gateways', () => {
  const entry = (pid: number, port = pid) => ({
    pid,
    url: `http://127.0.0.1:${port}`,
    startedAt: '2026-01-01T00:00:00Z',
  });
  const allAlive = () => true;

  it('remembers and forgets, in a file for its owner only', async () => {
    await registerGateway(paths, entry(11), allAlive);
    await registerGateway(paths, entry(12), allAlive);
    expect(await modeOf(paths.gateways)).toBe('600');
    expect((await listGateways(paths, allAlive)).map(({ pid }) => pid)).toEqual([11, 12]);
    await unregisterGateway(paths, entry(11), allAlive);
    expect(await listGateways(paths, allAlive)).toEqual([entry(12)]);
    expect(await readdir(paths.home)).toEqual(['gateway.json']);
  });

  it('drops processes that are gone, and an older entry with the same address', async () => {
    await registerGateway(paths, entry(11, 1), allAlive);
    await registerGateway(paths, entry(12, 2), allAlive);
    expect(await listGateways(paths, (pid) => pid === 12)).toEqual([entry(12, 2)]);
    await registerGateway(paths, entry(13, 2), allAlive);
    expect((await listGateways(paths, allAlive)).map(({ pid }) => pid)).toEqual([11, 13]);
  });

  it('loses no entry when many start at once', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => registerGateway(paths, entry(index + 1), allAlive)),
    );
    expect(await listGateways(paths, allAlive)).toHaveLength(8);
  });

  it('breaks the lock of a process that is gone', async () => {
    await ensureStateHome(paths);
    await writeFile(`${paths.gateways}.lock`, '4000000');
    await registerGateway(paths, entry(1), (pid) => pid !== 4_000_000);
    expect(await listGateways(paths, allAlive)).toHaveLength(1);
  });

  it('takes a damaged file for an empty one', async () => {
    await ensureStateHome(paths);
    await writeFile(paths.gateways, '{');
    expect(await listGateways(paths, allAlive)).toEqual([]);
  });

  it('finds this very process alive', async () => {
    await registerGateway(paths, entry(process.pid, 1));
    expect(await listGateways(paths)).toHaveLength(1);
  });
});
