// The built program as a user runs it: its own process, its own home, signals, exit codes.
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isolatedEnvironment, type ProgramUnderTest, runProgram, startProgram } from '../support/program.ts';

const open: { program?: ProgramUnderTest } = {};
const newHome = () => mkdtempSync(join(tmpdir(), 'crosspoint-home-'));

afterEach(async () => {
  await open.program?.stop();
  delete open.program;
});

describe('serve', () => {
  it('prints a banner whose curl works', async () => {
    open.program = await startProgram(['serve', '--port', '0']);
    const output = open.program.output();
    expect(output).toContain(open.program.url);
    expect(output).toContain('demo/demo');
    expect(output).toMatch(/curl http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/);
    expect(output).not.toContain('\u001b['); // no colours without a terminal
  });

  it('keeps its state to its owner', async () => {
    open.program = await startProgram(['serve', '--port', '0']);
    const { CROSSPOINT_HOME: state = '' } = isolatedEnvironment(open.program.home);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(join(state, 'admin-token')).mode & 0o777).toBe(0o600);
  });

  it('refuses to listen to a network without keys, and says what to do', async () => {
    const refused = await runProgram(['serve', '--host', '0.0.0.0', '--port', '0'], { home: newHome() });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('crosspoint keys create');
  });

  it('says who holds a port that is taken', async () => {
    open.program = await startProgram(['serve', '--port', '0']);
    const port = new URL(open.program.url).port;
    const refused = await runProgram(['serve', '--port', port], { home: open.program.home });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /Port \d+ on 127\.0\.0\.1 is taken: another Crosspoint runs there \(process \d+/,
    );
  });

  it('points at the line and key of a mistake in the configuration', async () => {
    const home = newHome();
    writeFileSync(join(home, 'crosspoint.yaml'), 'server:\n  prot: 8080\n');
    const refused = await runProgram(['serve'], { home });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/crosspoint\.yaml:2:3/);
    expect(refused.stderr).toContain('Did you mean port?');
  });

  it('lets an open stream finish on SIGTERM and then ends with 0', async () => {
    open.program = await startProgram(['serve', '--port', '0']);
    const { child, url } = open.program;
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'demo/slow',
        stream: true,
        messages: [{ role: 'user', content: 'what is 2+2?' }],
      }),
    });
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await exited).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

describe('the other commands', () => {
  it('status and keys talk to the gateway that runs', async () => {
    open.program = await startProgram(['serve', '--port', '0'], { env: { CROSSPOINT_SERVER_AUTH: 'keys' } });
    const { home, url } = open.program;
    const body = JSON.stringify({ model: 'demo/demo', messages: [{ role: 'user', content: 'hi' }] });
    const ask = (key: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${key}` },
      });

    const created = await runProgram(['keys', 'create', 'laptop', '--json'], { home });
    expect(created.code).toBe(0);
    const { key: secret, id } = JSON.parse(created.stdout);
    expect((await ask(secret)).status).toBe(200);
    expect((await ask('xp_wrong')).status).toBe(401);
    const state = isolatedEnvironment(home).CROSSPOINT_HOME ?? '';
    expect(readFileSync(join(state, 'crosspoint.db'), 'latin1')).not.toContain(secret);

    const status = await runProgram(['status', '--json'], { home });
    expect(status.stdout).toContain(url);
    const revoked = await runProgram(['keys', 'revoke', id], { home });
    expect(revoked.code).toBe(0);
    await expect.poll(async () => (await ask(secret)).status).toBe(401);
  });

  it('status without a gateway says how to start one', async () => {
    const none = await runProgram(['status'], { home: newHome() });
    expect(none.code).toBe(1);
    expect(none.stdout + none.stderr).toContain('crosspoint serve');
  });

  it('demo runs a whole tool turn and succeeds', async () => {
    const demo = await runProgram(['demo'], { home: newHome() });
    expect(demo.code).toBe(0);
    expect(demo.stdout).toMatch(/read/i);
  });

  it('doctor finds the set-up sound and says so', async () => {
    const checked = await runProgram(['doctor', '--json'], { home: newHome() });
    expect(JSON.parse(checked.stdout)).toBeTruthy();
    expect(checked.code).toBe(0);
  });

  it('an unknown command is wrong usage', async () => {
    const wrong = await runProgram(['srve'], { home: newHome() });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('serve');
  });

  it('the admin API is closed to everybody without the token, on loopback too', async () => {
    open.program = await startProgram(['serve', '--port', '0']);
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      expect((await fetch(`${open.program.url}/api/status`, { headers })).status).toBe(401);
    }
  });
});
