// The promises the suite makes about the machine it runs on: no network but loopback, no variables of the user.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type Place } from './support/place.ts';
import { clientEnvironment } from './support/run-client.ts';
import { describeRun, runProcess } from './support/run-process.ts';

/** Prints `connected`, or the code of the error. 192.0.2.0/24 and 2001:db8::/32 are set apart for documents (RFC 5737, 3849). */
const CONNECT = `
  const [host, port] = process.argv.slice(1);
  const socket = require('node:net').connect({ host, port: Number(port) });
  socket.on('connect', () => { console.log('connected'); socket.destroy(); });
  socket.on('error', (error) => console.log(error.code ?? error.errors?.[0]?.code));
`;

describe('the place the clients run in', () => {
  let place: Place | undefined;
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crosspoint-isolation-'));
    place = await openPlace();
  });

  afterAll(async () => {
    await place?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function runInside(command: readonly string[]): Promise<string> {
    if (!place) throw new Error('the gateway was not started');
    const { isolation } = place;
    const env = { ...clientEnvironment(folder, folder), ...isolation.env };
    const run = await runProcess(isolation.wrap(command, folder), {
      cwd: folder,
      env,
      timeoutMs: 20_000,
    });
    expect(run.code, describeRun(run)).toBe(0);
    return run.stdout.trim();
  }

  const connect = (host: string, port: string) => runInside([process.execPath, '-e', CONNECT, host, port]);

  it('reaches the gateway', async () => {
    const { hostname, port } = new URL(place?.gateway.url ?? '');
    expect(await connect(hostname, port)).toBe('connected');
  });

  it.for(['192.0.2.1', '1.1.1.1', '2001:db8::1', 'registry.npmjs.org'])(
    'cannot connect to %s',
    async (host, { skip }) => {
      if (place?.isolation.kind !== 'namespace')
        return skip(`held back only by ${place?.isolation.protection}`);
      expect(await connect(host, '443')).toMatch(/^(ENETUNREACH|EADDRNOTAVAIL|EAI_AGAIN|ENOTFOUND)$/);
    },
  );

  it('has no interface but loopback', async ({ skip }) => {
    if (place?.isolation.kind !== 'namespace')
      return skip(`held back only by ${place?.isolation.protection}`);
    const print = "console.log(Object.keys(require('node:os').networkInterfaces()).join())";
    expect(await runInside([process.execPath, '-e', print])).toBe('lo');
  });

  it('knows no variable of the machine but PATH', async () => {
    const names = await runInside([process.execPath, '-p', "Object.keys(process.env).sort().join(' ')"]);
    const set = new Set(names.split(' ').filter((name) => !/proxy$/i.test(name)));
    // The shell that changes into the folder sets PWD and OLDPWD by itself.
    for (const own of ['PWD', 'OLDPWD', 'HOME', 'TMPDIR', 'TERM', 'NO_COLOR']) set.delete(own);
    expect([...set]).toEqual(['PATH']);
  });

  it('works in the folder it is given', async () => {
    expect(await runInside([process.execPath, '-p', 'process.cwd()'])).toBe(folder);
  });
});
