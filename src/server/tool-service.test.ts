import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMcpSection } from '../mcp/index.ts';
import { ServiceBench } from './tool-service/fixtures/service-bench.ts';
import { trustWorkspace } from './tool-service/trust-workspace.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../mcp/fixtures/serve-stdio.mjs');
const serverFile = (args: readonly string[] = []) =>
  JSON.stringify({ mcpServers: { repo: { command: process.execPath, args: [PROGRAM, ...args] } } });

let bench: ServiceBench;

beforeEach(() => {
  bench = new ServiceBench();
});
afterEach(() => bench.dispose());

const trust = () =>
  trustWorkspace({
    workspace: bench.workspace,
    stateHome: bench.stateHome,
    homeFolder: bench.homeFolder,
    mcp: readMcpSection(undefined),
    env: {},
    nowMs: 0,
  });

function modeOf(...names: string[]): number {
  return statSync(path.join(bench.stateHome, ...names)).mode & 0o777;
}

describe('an answer of "always"', () => {
  const command = { command: 'touch made.txt' };

  it('holds after a restart, in this workspace, in a private file that people can read', async () => {
    await bench.open();
    await bench.call('run_terminal_cmd', command, () => ({ type: 'always' }));
    await bench.open();
    expect(await bench.call('run_terminal_cmd', command)).toMatchObject({ ok: true });
    expect(bench.asked).toEqual([]);
    const rules = readFileSync(path.join(bench.stateHome, 'policy', 'rules.yaml'), 'utf8');
    expect(rules).toContain(bench.workspace);
    expect(rules).toContain('touch made.txt');
    expect(modeOf('policy', 'rules.yaml')).toBe(0o600);
  });

  it('does not hold in another workspace', async () => {
    await bench.open();
    await bench.call('run_terminal_cmd', command, () => ({ type: 'always' }));
    await bench.open({ workspace: bench.homeFolder });
    await bench.call('run_terminal_cmd', command, () => ({ type: 'deny' }));
    expect(bench.asked).toHaveLength(1);
  });

  it('does not hold under an administrator, and can be taken back in the file', async () => {
    await bench.open();
    await bench.call('run_terminal_cmd', command, () => ({ type: 'always' }));
    await bench.open({ policy: { isAdminControlled: true } });
    await bench.call('run_terminal_cmd', command, () => ({ type: 'deny' }));
    expect(bench.asked).toHaveLength(1);
    expect(bench.asked[0]).not.toHaveProperty('alwaysRule');
    writeFileSync(path.join(bench.stateHome, 'policy', 'rules.yaml'), '# nothing\n');
    await bench.open();
    await bench.call('run_terminal_cmd', command, () => ({ type: 'deny' }));
    expect(bench.asked).toHaveLength(1);
  });

  it('that cannot be read any more stops the runtime with the file and what to do', async () => {
    await bench.open();
    await bench.call('run_terminal_cmd', command, () => ({ type: 'always' }));
    writeFileSync(
      path.join(bench.stateHome, 'policy', 'rules.yaml'),
      'workspaces: { /x: [{ decision: alow }] }\n',
    );
    await expect(bench.open()).rejects.toThrow(/rules\.yaml.*\n.*decision must be allow, ask or deny/);
  });
});

describe('a workspace', () => {
  const rules =
    'rules:\n  - { id: repo-allow, decision: allow, exactCommand: touch made.txt }\n' +
    '  - { id: repo-deny, decision: deny, command: rm }\n';

  it('only restricts with its rules until it is trusted, and again once they have changed', async () => {
    const file = bench.put('.crosspoint/policy.yaml', rules);
    await bench.open({ policy: { setting: 'auto-accept' } });
    expect(await bench.call('run_terminal_cmd', { command: 'rm x' })).toMatchObject({
      error: { code: 'DENIED' },
    });
    await bench.call('run_terminal_cmd', { command: 'touch made.txt' });
    expect(bench.asked).toHaveLength(1);
    // What the file does not speak of stays the user's choice.
    await bench.call('edit_file_v2', { path: 'free.txt', contents: 'x' });
    expect(bench.asked).toHaveLength(0);

    await trust();
    await bench.open();
    await bench.call('run_terminal_cmd', { command: 'touch made.txt' });
    expect(bench.asked).toEqual([]);
    expect(modeOf('policy', 'trusted-workspaces.json')).toBe(0o600);

    writeFileSync(file, `${rules}  - { decision: allow, command: curl }\n`);
    await bench.open();
    expect(bench.service.policy.hasChangedRules).toBe(true);
    await bench.call('run_terminal_cmd', { command: 'touch made.txt' });
    expect(bench.asked).toHaveLength(1);
  });

  it('starts none of its MCP servers before it is trusted, and a changed one only when somebody agrees', async () => {
    const file = bench.put('.cursor/mcp.json', serverFile());
    await bench.open();
    expect(bench.service.mcp.servers()).toEqual([]);
    await trust();
    await bench.open();
    expect(await bench.call('mcp__repo__echo', { text: 'hi' })).toMatchObject({ ok: true });
    expect(bench.asked.map(({ rule }) => rule)).toEqual(['protection:mcp-tools']);

    writeFileSync(file, serverFile(['more']));
    await bench.open();
    const refused = await bench.call('mcp__repo__echo', { text: 'hi' }, () => ({ type: 'deny' }));
    expect(refused).toMatchObject({ error: { code: 'DENIED' } });
    expect(bench.asked).toMatchObject([{ kind: 'consent', preview: expect.stringContaining('+  - "more"') }]);
    // Refused is refused: the model that tries again does not nag.
    expect(await bench.call('mcp__repo__echo', { text: 'hi' })).toMatchObject({ error: { code: 'DENIED' } });
    expect(bench.asked).toEqual([]);
    await bench.open();
    expect(await bench.call('mcp__repo__echo', { text: 'hi' })).toMatchObject({ ok: true });
    expect(bench.asked.map(({ kind }) => kind)).toEqual(['consent', undefined]);
    expect(modeOf('mcp', 'agreed.json')).toBe(0o600);
  });
});

describe('the same call', () => {
  const args = { command: 'echo once >> runs.txt' };

  it('runs once, also over a restart, and its id is good for nothing else', async () => {
    await bench.open();
    const first = await bench.call('run_terminal_cmd', args, undefined, 'call-a');
    await bench.open();
    const again = await bench.call('run_terminal_cmd', args, undefined, 'call-a');
    expect(again).toMatchObject({ ok: true, content: first.ok ? first.content : '' });
    expect(bench.asked).toEqual([]);
    expect(readFileSync(path.join(bench.workspace, 'runs.txt'), 'utf8')).toBe('once\n');
    const other = await bench.call('run_terminal_cmd', { command: 'touch x' }, undefined, 'call-a');
    expect(other).toMatchObject({
      error: { code: 'EINVAL', message: expect.stringContaining('id of its own') },
    });
  });
});

describe('the runtime’s own folder', () => {
  it('is closed to tools, whatever the rules allow', async () => {
    await bench.open({
      policy: {
        setting: 'run-everything',
        protections: { outsideWorkspace: false, dotFiles: false },
        rules: [{ decision: 'allow', path: '/**' }],
      },
    });
    for (const [name, args] of [
      ['read_file_v2', { path: path.join(bench.stateHome, 'mcp/credentials.json') }],
      ['edit_file_v2', { path: path.join(bench.stateHome, 'policy/rules.yaml'), contents: '' }],
      ['run_terminal_cmd', { command: `cat ${path.join(bench.stateHome, 'admin-token')}` }],
    ] as const) {
      await bench.call(name, args, () => ({ type: 'deny' }));
      expect(bench.asked).toMatchObject([{ rule: 'protection:own-files' }]);
    }
  });
});
