import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { statePaths } from '../../config/index.ts';
import { createTestCli, type TestCli } from '../fixtures/test-context.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: { name: string; level: string; message: string; remedy?: string }[];
}

async function examine(cli: TestCli, ...argv: string[]): Promise<Report & { code: number }> {
  const { code, output } = await cli.run('doctor', '--json', ...argv);
  const report: Report = JSON.parse(output);
  return { ...report, code };
}

function configure(cli: TestCli, text: string, mode = 0o600): void {
  const file = path.join(cli.folder, 'crosspoint.yaml');
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** Port 0 is always free, so the tests do not depend on the machine. */
const FREE_PORT = 'server: { port: 0 }\n';

describe('doctor', () => {
  it('finds a fresh machine in order', async () => {
    const cli = createTestCli();
    configure(cli, FREE_PORT);
    const { code, output } = await cli.run('doctor', '--security');
    expect(output).toContain('✓ node  Node 20.19.0\n');
    expect(output).toContain('✓ upstream demo  demo: ');
    expect(output).toContain('✓ secrets in the configuration  none in plain text\n');
    expect(output).toMatch(/All is well\.\n$/);
    expect(code).toBe(0);
  });

  it('fails on an old Node', async () => {
    const cli = createTestCli({ nodeVersion: '18.20.1' });
    configure(cli, FREE_PORT);
    const { code, checks } = await examine(cli);
    expect(code).toBe(1);
    expect(checks[0]).toEqual({
      name: 'node',
      level: 'failure',
      message: 'Node 18.20.1 is too old.',
      remedy: 'Install Node 20.19 or newer.',
    });
  });

  it('shows what is wrong with the configuration and stops there', async () => {
    const cli = createTestCli();
    configure(cli, 'sever: {}\n');
    const { code, output } = await cli.run('doctor');
    expect(code).toBe(1);
    expect(output).toContain('✗ configuration  The configuration has a problem:');
    expect(output).toContain('sever is not a known key. Did you mean server?');
    expect(output).not.toContain('✓ port');
  });

  it('fails on a state folder that others can read', async () => {
    const cli = createTestCli();
    configure(cli, FREE_PORT);
    const { home } = statePaths(cli.context);
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o755);
    const { code, checks } = await examine(cli);
    expect(code).toBe(1);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'state folder', remedy: `chmod 700 ${home}` }),
    );
  });

  it('fails on a port that another program holds', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server that listens has one
    const cli = createTestCli();
    configure(cli, `server: { port: ${port} }\n`);
    const { code, checks } = await examine(cli);
    server.close();
    expect(code).toBe(1);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'port', message: `${port} on 127.0.0.1 is taken by another program.` }),
    );
  });

  it('fails on an upstream that does not answer, with the reason and what to do', async () => {
    const cli = createTestCli();
    configure(
      cli,
      `${FREE_PORT}upstreams: { dead: { kind: openai-chat, baseUrl: "http://127.0.0.1:1/v1" } }\n`,
    );
    const { code, checks } = await examine(cli);
    const check = checks.find(({ name }) => name === 'upstream dead');
    expect(code).toBe(1);
    expect(check?.level).toBe('failure');
    expect(check?.message).toContain('openai-chat, http://127.0.0.1:1/v1: ');
    expect(check?.remedy).toBe('Start the server, or correct baseUrl.');
  });

  it('warns when keys are required and there is none', async () => {
    const cli = createTestCli();
    configure(cli, 'server: { port: 0, auth: keys }\n');
    const before = await examine(cli);
    expect(before.code).toBe(0);
    expect(before.checks).toContainEqual(expect.objectContaining({ name: 'keys', level: 'warning' }));
    await cli.run('keys', 'create', 'x');
    const after = await examine(cli);
    expect(after.checks).toContainEqual({ name: 'keys', level: 'ok', message: 'required; 1 active' });
  });

  it('warns of a network bind without TLS', async () => {
    const cli = createTestCli();
    configure(cli, 'server: { port: 0, auth: keys, host: 0.0.0.0 }\n');
    const { checks } = await examine(cli);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'network', level: 'warning' }));
  });

  it('looks for plain secrets with --security only, and never shows them', async () => {
    const cli = createTestCli();
    const secret = 'sk-plain-secret-0123';
    configure(
      cli,
      `${FREE_PORT}upstreams: { a: { kind: openai-chat, baseUrl: "http://far.invalid/v1", apiKey: ${secret} } }\n`,
      0o644,
    );
    const normal = await examine(cli);
    expect(normal.checks.some(({ name }) => name === 'secrets in the configuration')).toBe(false);
    const { checks, code } = await examine(cli, '--security');
    expect(code).toBe(1);
    const check = checks.find(({ name }) => name === 'secrets in the configuration');
    expect(check).toMatchObject({
      level: 'failure',
      message: expect.stringContaining('upstreams.a.apiKey in plain text'),
    });
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'upstream a', message: 'the key is sent to far.invalid without TLS.' }),
    );
    expect(JSON.stringify(checks)).not.toContain(secret);
  });

  it('says when a key in the environment cannot be used yet', async () => {
    const cli = createTestCli({
      env: { CURSOR_API_KEY: 'k' },
      dialects: async () => ({ kinds: [], fronts: [], natives: [] }),
    });
    configure(cli, FREE_PORT);
    const { checks } = await examine(cli);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'environment', level: 'warning' }));
  });

  it('says whether the sandbox is available and why not, and fails where it is wanted', async () => {
    const cli = createTestCli({ env: { PATH: '/nowhere' } });
    configure(cli, FREE_PORT);
    const off = (await examine(cli)).checks.find(({ name }) => name === 'sandbox');
    expect(off).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('off, and not available here'),
    });
    configure(cli, `${FREE_PORT}tools: { sandbox: { enabled: true } }\n`);
    const { code, checks } = await examine(cli);
    expect(code).toBe(1);
    expect(checks.find(({ name }) => name === 'sandbox')).toMatchObject({ level: 'failure' });
  });

  it.each([
    ['tools: { webserch: {} }', 'tools.webserch is not a known key. Did you mean webSearch?'],
    ['mcp: { servers: { x: {} } }', 'mcp.servers.x needs command'],
    ['policy: { rules: [{ decision: allow }] }', 'says nothing it is about'],
  ])('fails on the wrong section %s', async (section, reason) => {
    const cli = createTestCli();
    configure(cli, `${FREE_PORT}${section}\n`);
    const { code, checks } = await examine(cli);
    expect(code).toBe(1);
    expect(checks.filter(({ level }) => level === 'failure')).toEqual([
      expect.objectContaining({ message: expect.stringContaining(reason) }),
    ]);
  });

  it('fails with --security on logins, sign-ins and rules that others can read', async () => {
    const cli = createTestCli();
    configure(cli, FREE_PORT);
    const { home } = statePaths(cli.context);
    for (const name of ['credentials.json', 'mcp/credentials.json', 'policy/trusted-workspaces.json']) {
      const file = path.join(home, name);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, name === 'credentials.json' ? '{ "accounts": {} }' : '{}', { mode: 0o644 });
      const { checks } = await examine(cli, '--security');
      expect(checks).toContainEqual(
        expect.objectContaining({ level: 'failure', remedy: `chmod 600 ${file}` }),
      );
      chmodSync(file, 0o600);
    }
  });
});
