// Nothing is ever sent to anybody but the user's own model: gateway and client run in processes that note every connection
// and every look-up of a name beyond loopback before it is made.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedEnvironment, type ProgramUnderTest, ROOT, startProgram } from '../support/program.ts';

const RECORDER = join(ROOT, 'test/support/native-client/record-connections.mjs');

let home: string;
let noted: string;
let program: ProgramUnderTest;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'crosspoint-outside-'));
  noted = join(home, 'connections');
  await writeFile(noted, '');
  program = await startProgram(['serve', '--port', '0'], {
    home,
    env: { CONNECTIONS_FILE: noted, NODE_OPTIONS: `--import ${RECORDER}` },
  });
});
afterAll(async () => {
  await program?.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

function run(script: string, args: readonly string[]): Promise<string> {
  const flags = ['--import', RECORDER, '--import', 'tsx', join(ROOT, script), ...args];
  const env = { ...isolatedEnvironment(home), CONNECTIONS_FILE: noted };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, flags, { cwd: ROOT, env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}

describe('a native run with tools', () => {
  it('is noticed when it leaves loopback, by address and by name', async () => {
    const probe = join(home, 'probe.mjs');
    await writeFile(
      probe,
      `import net from 'node:net';
       for (const host of ['192.0.2.1', 'cursor.invalid']) net.connect({ host, port: 443 }).on('error', () => {}).destroy();`,
    );
    await new Promise<void>((resolve, reject) => {
      const env = { ...isolatedEnvironment(home), CONNECTIONS_FILE: `${noted}.probe` };
      execFile(process.execPath, ['--import', RECORDER, probe], { env }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    expect(await readFile(`${noted}.probe`, 'utf8')).toMatch(
      /connect 192\.0\.2\.1[\s\S]*connect cursor\.invalid/,
    );
  });

  it.each(['http1', 'http2'])('over %s reaches nobody beyond loopback', async (carrier) => {
    const said = await run('test/support/native-client/main.ts', [program.url, carrier, 'run echo quiet']);
    expect(said).toContain('quiet');
    expect(await readFile(noted, 'utf8')).toBe('');
  });
});
