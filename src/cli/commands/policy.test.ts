import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestCli, type TestCli } from '../fixtures/test-context.ts';

function withPolicy(policy: string): TestCli {
  const cli = createTestCli();
  writeFileSync(path.join(cli.folder, 'crosspoint.yaml'), policy);
  return cli;
}

async function check(cli: TestCli, tool: string, args: object, ...flags: string[]) {
  const { code, output, errors } = await cli.run(
    'policy',
    'check',
    tool,
    JSON.stringify(args),
    '--json',
    ...flags,
  );
  expect(errors).toBe('');
  return { code, ...JSON.parse(output) };
}

describe('crosspoint policy check', () => {
  it('allows reading, asks for changes and commands, and prints three keys', async () => {
    const cli = createTestCli();
    expect(await check(cli, 'Read', { path: 'a.txt' })).toEqual({
      code: 0,
      decision: 'allow',
      rule: 'builtin:read',
      reason: expect.any(String),
    });
    expect(await check(cli, 'Delete', { path: 'a.txt' })).toMatchObject({
      code: 0,
      decision: 'ask',
      rule: 'protection:delete',
    });
    expect(await check(cli, 'Shell', { command: 'npm test' })).toMatchObject({ code: 0, decision: 'ask' });
  });

  it('obeys the rules of the configuration and names the one that decided', async () => {
    const cli = withPolicy(
      'policy:\n  setting: auto-accept\n  rules:\n' +
        '    - { id: tests, decision: allow, command: "npm test" }\n' +
        '    - { id: no-push, decision: deny, command: "git push", reason: People push here. }\n',
    );
    expect(await check(cli, 'bash', { command: 'npm test' })).toMatchObject({ code: 0, decision: 'allow' });
    expect(await check(cli, 'bash', { command: 'npm test && git push' })).toEqual({
      code: 3,
      decision: 'deny',
      rule: 'no-push',
      reason: 'People push here.',
    });
  });

  it('reads another configuration with --config', async () => {
    const cli = createTestCli();
    const file = path.join(cli.folder, 'other.yaml');
    writeFileSync(file, 'policy: { rules: [{ id: shut, decision: deny, tool: read_file }] }\n');
    expect(await check(cli, 'Read', { path: 'a' }, '--config', file)).toMatchObject({
      code: 3,
      rule: 'shut',
    });
  });

  it('judges where paths really lead, seen from --cwd', async () => {
    const cli = createTestCli();
    mkdirSync(path.join(cli.folder, 'inner'));
    symlinkSync('/etc', path.join(cli.folder, 'inner', 'link'));
    const flags = ['--cwd', 'inner'];
    expect(await check(cli, 'Read', { path: 'b.txt' }, ...flags)).toMatchObject({ decision: 'allow' });
    for (const outside of ['link/hosts', '../b.txt', '/etc/hosts'])
      expect(await check(cli, 'Read', { path: outside }, ...flags)).toMatchObject({ decision: 'ask' });
  });

  it('denies what the mode refuses', async () => {
    for (const [tool, args] of [
      ['Shell', { command: 'ls' }],
      ['edit_file_v2', { path: 'a', contents: 'b' }],
    ] as const) {
      expect(await check(createTestCli(), tool, args, '--mode', 'plan')).toMatchObject({
        code: 3,
        decision: 'deny',
        rule: 'mode:plan',
      });
    }
  });

  it('shows people what the call touches', async () => {
    const cli = createTestCli();
    const { code, output } = await cli.run('policy', 'check', 'Write', '{"path":"a.txt","contents":"x"}');
    expect(code).toBe(0);
    expect(output).toMatch(/^ask {2}write\n {2}rule {5}setting:always-ask\n {2}reason {3}\S/);
    expect(output).toContain(`  touches  write ${path.join(cli.folder, 'a.txt')}\n`);
  });

  it('runs nothing and leaves nothing behind', async () => {
    const cli = withPolicy('policy: { setting: run-everything }\n');
    for (const [tool, args] of [
      ['Write', { path: 'a.txt', contents: 'x' }],
      ['Shell', { command: 'touch b.txt' }],
      ['todo_write', { todos: [{ id: '1', content: 'x', status: 'pending' }] }],
    ] as const)
      await check(cli, tool, args);
    expect(readdirSync(cli.folder)).toEqual(['crosspoint.yaml']);
  });

  it.each([
    [['Reed', '{}'], 'There is no tool "Reed". Nearest: Read'],
    [['Read'], 'The arguments of read_file are wrong: `path` is missing'],
    [['Read', '{"path":'], 'The arguments are not JSON.'],
    [['Read', '["a"]'], 'The arguments are JSON but not an object.'],
    [['Read', '{"path":"a"}', '--cwd', 'nowhere'], 'nowhere is not a folder. Name one that exists'],
    [['Read', '{"path":"a"}', '--mode', 'yolo'], 'Allowed choices are agent'],
  ])('ends %j with exit code 2 and a reason', async (argv, reason) => {
    const { code, output, errors } = await createTestCli().run('policy', 'check', ...argv);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(reason);
  });

  it.each([
    ['{ seting: always-ask }', 'policy.seting is not a known key. Did you mean setting?'],
    ['{ setting: yolo }', 'policy.setting must be always-ask, auto-accept or run-everything'],
    ['{ rules: [{ decision: maybe }] }', 'policy.rules[0].decision must be allow, ask or deny'],
    ['{ rules: [{ decision: deny, pth: x }] }', 'policy.rules[0].pth is not a known key. Did you mean path?'],
    [
      '{ rules: [{ id: r, decision: allow, command: ls, match: [rm] }] }',
      'Rule r does not match its example "rm"',
    ],
  ])('names the key at fault in the policy %s', async (policy, reason) => {
    const cli = withPolicy(`policy: ${policy}\n`);
    const { code, output, errors } = await cli.run('policy', 'check', 'Read', '{"path":"a"}');
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(reason);
  });
});

describe('crosspoint policy', () => {
  const RULES =
    'rules:\n  - { id: repo, decision: allow, command: npm test }\n  - { decision: deny, command: rm }\n';

  function withWorkspaceRules(): TestCli {
    const cli = withPolicy('policy: { rules: [{ id: mine, decision: ask, tool: Read }] }\n');
    mkdirSync(path.join(cli.folder, '.crosspoint'));
    writeFileSync(path.join(cli.folder, '.crosspoint', 'policy.yaml'), RULES);
    return cli;
  }

  it('shows every rule, where it stands and whether it is in force', async () => {
    const cli = withWorkspaceRules();
    const { output } = await cli.run('policy');
    expect(output).toContain(path.join(cli.folder, 'crosspoint.yaml'));
    expect(output).toMatch(/answers of "always" +\S+rules\.yaml/);
    expect(output).toContain('not trusted: its files only restrict');
    expect(output).toMatch(/^ask +configuration +mine +tool Read$/m);
    expect(output).toMatch(/^\(allow\) +workspace +repo +command npm test$/m);
    expect(output).toMatch(/^deny +workspace +command rm$/m);
    const json = JSON.parse((await cli.run('policy', 'show', '--json')).output);
    expect(json.rules.map(({ inForce }: { inForce: boolean }) => inForce)).toEqual([true, false, true]);
  });

  it('trusts a workspace by its real path, as it is now, and takes it back', async () => {
    const cli = withWorkspaceRules();
    symlinkSync(cli.folder, path.join(cli.folder, 'link'));
    const command = { command: 'npm test' };
    expect(await check(cli, 'bash', command)).toMatchObject({ decision: 'ask' });
    expect((await cli.run('policy', 'trust', '--dry-run')).output).toContain('Would be trusted');
    expect(await check(cli, 'bash', command)).toMatchObject({ decision: 'ask' });
    const { output } = await cli.run('policy', 'trust', 'link');
    expect(output).toContain('  allows command npm test\n');
    expect(await check(cli, 'bash', command)).toMatchObject({ decision: 'allow', rule: 'repo' });
    expect((await cli.run('policy')).output).toMatch(/: trusted$/m);

    writeFileSync(
      path.join(cli.folder, '.crosspoint', 'policy.yaml'),
      `${RULES}  - { decision: allow, command: curl }\n`,
    );
    expect(await check(cli, 'bash', { command: 'curl x' })).toMatchObject({ decision: 'ask' });
    expect((await cli.run('policy')).output).toContain('its rules have changed since');
    await cli.run('policy', 'trust');
    expect((await cli.run('policy', 'untrust')).output).toContain('No longer trusted');
    expect(await check(cli, 'bash', command)).toMatchObject({ decision: 'ask' });
    expect((await cli.run('policy', 'untrust')).output).toContain('was not trusted');
  });

  it('shows the MCP servers that trust would let start, without their secrets', async () => {
    const cli = createTestCli();
    writeFileSync(
      path.join(cli.folder, '.mcp.json'),
      '{ "mcpServers": { "db": { "command": "npx", "args": ["db"], "env": { "KEY": "very-secret" } } } }',
    );
    const { output } = await cli.run('policy', 'trust');
    expect(output).toContain('MCP server db');
    expect(output).toContain('command: "npx"');
    expect(output).not.toContain('very-secret');
  });
});
