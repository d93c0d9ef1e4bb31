import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Touch } from '../tool.ts';
import { Workspace } from '../workspace.ts';
import { decide } from './decide.ts';
import { Policy, type PolicyLayers, toAutoRunControls } from './policy.ts';
import { defaultPolicy, type policySchema, type RuleConfig } from './policy-schema.ts';

const root = mkdtempSync(path.join(tmpdir(), 'policy-'));
const workspace = new Workspace(root);
afterAll(() => rmSync(root, { recursive: true, force: true }));

type PolicyInput = z.input<typeof policySchema>;

const policyOf = (user: PolicyInput, more: Omit<PolicyLayers, 'user'> = {}) =>
  new Policy({ user: defaultPolicy(user), ...more }, { homeFolder: '/home/user' });

const shell = { name: 'run_terminal_command_v2', number: 15, risk: 'execute' } as const;
const edit = { name: 'search_replace', number: 38, risk: 'write' } as const;

const judge = (policy: Policy, touch: Touch, tool: typeof shell | typeof edit = shell) =>
  decide({ tool, touches: [touch] }, { policy, workspace });
const run = (policy: Policy, command: string) => judge(policy, { type: 'command', command, cwd: root });
const write = (policy: Policy, file: string) =>
  judge(policy, { type: 'path', path: path.join(root, file), access: 'write' }, edit);

describe('settings', () => {
  it('always-ask lets reading pass and asks for every change and command', async () => {
    const policy = policyOf({});
    expect(
      await judge(policy, { type: 'path', path: path.join(root, 'a.ts'), access: 'read' }),
    ).toMatchObject({ decision: 'allow' });
    expect(await write(policy, 'a.ts')).toMatchObject({ decision: 'ask', rule: 'setting:always-ask' });
    expect(await run(policy, 'ls')).toMatchObject({ decision: 'ask' });
  });

  it('an allow rule holds under always-ask too', async () => {
    const policy = policyOf({ rules: [{ id: 'tests', decision: 'allow', command: 'npm test' }] });
    expect(await run(policy, 'npm test')).toMatchObject({ decision: 'allow', rule: 'tests' });
  });

  it('auto-accept takes edits in the workspace and commands that only read', async () => {
    const policy = policyOf({ setting: 'auto-accept' });
    expect(await write(policy, 'src/a.ts')).toMatchObject({ decision: 'allow' });
    expect(await run(policy, 'ls | wc -l')).toMatchObject({
      decision: 'allow',
      rule: 'builtin:safe-command',
    });
    expect(await run(policy, 'npm install')).toMatchObject({ decision: 'ask' });
  });

  it('run-everything runs what is readable, and keeps the protections', async () => {
    const policy = policyOf({ setting: 'run-everything' });
    expect(await run(policy, 'npm install && ./deploy')).toMatchObject({ decision: 'allow' });
    expect(await run(policy, 'rm -rf src')).toMatchObject({ decision: 'ask', rule: 'protection:delete' });
    expect(await run(policy, '$X')).toMatchObject({ decision: 'ask', rule: 'builtin:unreadable-command' });
    expect(await write(policy, '.git/config')).toMatchObject({
      decision: 'ask',
      rule: 'protection:dot-files',
    });
  });

  it('a protection that is switched off no longer asks', async () => {
    const policy = policyOf({ setting: 'run-everything', protections: { delete: false, dotFiles: false } });
    expect(await run(policy, 'rm -rf src')).toMatchObject({ decision: 'allow' });
    expect(await write(policy, '.editorconfig')).toMatchObject({ decision: 'allow' });
  });

  it("Cursor's switches say the same things in their own words", async () => {
    const policy = policyOf({
      autoRunControls: { yoloMode: true, mcpToolsProtection: false, playwrightProtection: true },
    });
    expect(toAutoRunControls(policy)).toEqual({
      yoloMode: true,
      mcpToolsProtection: false,
      playwrightProtection: true,
      isAdminControlled: false,
    });
    const mcp = (server: string) =>
      decide(
        { tool: { name: 'mcp', number: 19, risk: 'execute' }, touches: [{ type: 'mcp', server, tool: 'x' }] },
        { policy, workspace },
      );
    expect(await mcp('docs')).toMatchObject({ decision: 'allow' });
    expect(await mcp('playwright')).toMatchObject({ decision: 'ask', rule: 'protection:playwright' });
  });
});

describe('rules', () => {
  it('deny wins over ask and allow, and says which rule', async () => {
    const rules: RuleConfig[] = [
      { id: 'all-git', decision: 'allow', command: 'git' },
      { id: 'careful', decision: 'ask', command: 'git push' },
      { id: 'never', decision: 'deny', command: 'git push --force', reason: 'History is shared.' },
    ];
    const policy = policyOf({ setting: 'auto-accept', rules });
    expect(await run(policy, 'git commit -m x')).toMatchObject({ decision: 'allow', rule: 'all-git' });
    expect(await run(policy, 'git push')).toMatchObject({ decision: 'ask', rule: 'careful' });
    expect(await run(policy, 'git push origin --force')).toEqual({
      decision: 'deny',
      rule: 'never',
      reason: 'History is shared.',
    });
  });

  it.each([
    'rm -rf x',
    'rm -r -f x',
    'rm -fr x',
    'rm x -rf',
    '/bin/rm -rf x',
    'RM -rf x',
    '\\rm -rf x',
    'ls; rm -rf x',
    'bash -c "rm -rf x"',
    'sudo rm -rf x',
    'find . -exec rm -rf {} +',
    'xargs rm -rf',
    'echo $(rm -rf x)',
    'env A=1 timeout 5 nice rm -rf x',
  ])('a denied command is denied however it is dressed: %j', async (command) => {
    const policy = policyOf({
      setting: 'run-everything',
      protections: { delete: false },
      rules: [{ decision: 'deny', command: 'rm -rf' }],
    });
    expect((await run(policy, command)).decision).toBe('deny');
  });

  it('what may turn into a denied command asks, even where everything runs', async () => {
    const policy = policyOf({
      setting: 'run-everything',
      rules: [{ id: 'push', decision: 'deny', command: 'git push' }],
    });
    expect(await run(policy, 'git "$verb"')).toMatchObject({ decision: 'ask', rule: 'push' });
  });

  it('the order of rules never changes the decision', async () => {
    const decision = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
    const rule = fc.oneof(
      fc.record({ decision, command: fc.constantFrom('git', 'git push', 'npm', 'rm', 'ls') }),
      fc.record({ decision, path: fc.constantFrom('**', 'src/**', '**/*.ts', '.git/**') }),
      fc.record({ decision, tool: fc.constantFrom('Shell', 'edit_file_v2', '*') }),
    );
    const touch: fc.Arbitrary<Touch> = fc.oneof(
      fc
        .constantFrom('git push', 'ls && npm test', 'rm a', 'cat src/a.ts')
        .map((command) => ({ type: 'command' as const, command, cwd: root })),
      fc
        .constantFrom('src/a.ts', '.git/config', 'b.md')
        .map((file) => ({ type: 'path' as const, path: path.join(root, file), access: 'write' as const })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { maxLength: 5 }),
        touch,
        fc.infiniteStream(fc.nat()),
        async (rules, what, random) => {
          const shuffled = rules
            .map((one) => ({ one, key: random.next().value }))
            .sort((a, b) => a.key - b.key)
            .map(({ one }) => one);
          const [first, second] = await Promise.all(
            [rules, shuffled].map((list) => judge(policyOf({ setting: 'auto-accept', rules: list }), what)),
          );
          expect(second?.decision).toBe(first?.decision);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('adding a deny rule never loosens anything', async () => {
    const command = fc.constantFrom('git push', 'ls', 'npm test', '$x', 'rm a', 'cat ../x');
    const setting = fc.constantFrom('always-ask' as const, 'auto-accept' as const, 'run-everything' as const);
    const weight = { allow: 0, ask: 1, deny: 2 };
    await fc.assert(
      fc.asyncProperty(
        command,
        setting,
        fc.constantFrom('git', 'ls', 'npm', 'rm'),
        async (text, level, name) => {
          const before = await run(policyOf({ setting: level }), text);
          const after = await run(
            policyOf({ setting: level, rules: [{ decision: 'deny', command: name }] }),
            text,
          );
          expect(weight[after.decision]).toBeGreaterThanOrEqual(weight[before.decision]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('path rules know a file by its real path, in any case when they deny', async () => {
    const policy = policyOf({
      setting: 'auto-accept',
      rules: [
        { id: 'secrets', decision: 'deny', path: 'secrets' },
        { id: 'docs', decision: 'allow', path: '.docs/**' },
      ],
    });
    expect(await write(policy, 'secrets/key.txt')).toMatchObject({ decision: 'deny', rule: 'secrets' });
    expect(await write(policy, 'Secrets/Key.txt')).toMatchObject({ decision: 'deny' });
    expect(await run(policy, 'cat deep/../secrets/key.txt')).toMatchObject({
      decision: 'deny',
      rule: 'secrets',
    });
    expect(await write(policy, '.docs/a.md')).toMatchObject({ decision: 'allow', rule: 'docs' });
  });

  it('a folder with something denied in it cannot be deleted as a whole', async () => {
    const policy = policyOf({
      setting: 'run-everything',
      protections: { delete: false },
      rules: [{ decision: 'deny', path: 'data/secrets/**' }],
    });
    expect(await run(policy, 'rm -rf data')).toMatchObject({ decision: 'deny' });
    expect(await run(policy, 'rm -rf .')).toMatchObject({ decision: 'deny' });
    expect(await run(policy, 'rm -rf other')).toMatchObject({ decision: 'allow' });
  });

  it('a rule for rm answers the delete protection and no other', async () => {
    const policy = policyOf({ setting: 'auto-accept', rules: [{ decision: 'allow', command: 'rm' }] });
    expect(await run(policy, 'rm build.log')).toMatchObject({ decision: 'allow' });
    expect(await run(policy, 'rm .env')).toMatchObject({ decision: 'ask', rule: 'protection:dot-files' });
    expect(await run(policy, 'rm ../x')).toMatchObject({
      decision: 'ask',
      rule: 'protection:outside-workspace',
    });
  });

  it('a star in an allow rule does not reach dot files', async () => {
    const policy = policyOf({ setting: 'auto-accept', rules: [{ decision: 'allow', path: '**' }] });
    expect(await write(policy, '.git/hooks/pre-commit')).toMatchObject({ decision: 'ask' });
  });

  it("no rule opens this program's own files", async () => {
    const policy = policyOf({
      setting: 'run-everything',
      rules: [{ decision: 'allow', path: ['**', '.crosspoint/**', 'crosspoint.yaml'] }],
    });
    expect(await write(policy, 'crosspoint.yaml')).toMatchObject({
      decision: 'ask',
      rule: 'protection:own-files',
    });
    expect(await write(policy, '.crosspoint/policy.yaml')).toMatchObject({ decision: 'ask' });
  });

  it("the runtime's folder may be read back, and is written only by the tools that keep it", async () => {
    const policy = policyOf({ setting: 'run-everything', protections: { outsideWorkspace: false } });
    const world = { policy, workspace, stateFolder: '/var/lib/state' };
    const at = (access: 'read' | 'write', number: number) =>
      decide(
        {
          tool: { name: 'x', number, risk: 'write' },
          touches: [{ type: 'path', path: '/var/lib/state/outputs/a.txt', access }],
        },
        world,
      );
    expect((await at('read', 40)).decision).toBe('allow');
    expect((await at('write', 38)).decision).toBe('ask');
    expect((await at('write', 47)).decision).toBe('allow');
  });

  it('tools are meant by any of their names', async () => {
    for (const tool of ['Shell', 'run_terminal_cmd', 'RUN_TERMINAL_COMMAND_V2', 'run-terminal*']) {
      expect(await run(policyOf({ rules: [{ decision: 'deny', tool }] }), 'ls')).toMatchObject({
        decision: 'deny',
      });
    }
  });

  it('an exact command covers what is otherwise asked about, in its folder only', async () => {
    const command = 'node -e "1" && rm -rf build';
    const policy = policyOf({
      setting: 'auto-accept',
      rules: [{ id: 'exact', decision: 'allow', exactCommand: command, cwd: root }],
    });
    expect(await run(policy, command)).toMatchObject({ decision: 'allow', rule: 'exact' });
    expect(await run(policy, `${command} dist`)).toMatchObject({ decision: 'ask' });
    expect(await judge(policy, { type: 'command', command, cwd: path.join(root, 'sub') })).toMatchObject({
      decision: 'ask',
    });
  });

  it('a dollar sign at the end of a command rule allows nothing behind the words', async () => {
    const policy = policyOf({
      setting: 'auto-accept',
      rules: [{ decision: 'allow', command: 'npm run lint $' }],
    });
    expect((await run(policy, 'npm run lint | tail')).decision).toBe('allow');
    expect((await run(policy, 'npm run lint --fix')).decision).toBe('ask');
  });
});

describe('rules that test themselves', () => {
  it.each([
    [
      {
        decision: 'allow',
        command: 'git status',
        match: ['git status -s'],
        notMatch: ['git push', 'git status; rm x'],
      },
    ],
    [{ decision: 'deny', command: 'rm', match: ['sudo rm x', 'ls && /bin/rm x'], notMatch: ['rmdir x'] }],
    [
      {
        decision: 'deny',
        path: '**/.env*',
        match: ['.env', 'a/.ENV.local', '/etc/.env'],
        notMatch: ['env.ts'],
      },
    ],
    [
      {
        decision: 'allow',
        host: '*.example.org',
        match: ['https://docs.example.org/x'],
        notMatch: ['https://example.org', 'https://evilexample.org'],
      },
    ],
    [{ decision: 'allow', mcp: 'docs:*', match: ['docs:search'], notMatch: ['other:search'] }],
    [{ decision: 'deny', tool: 'edit*', match: ['edit_file'], notMatch: ['read_file'] }],
  ] satisfies [RuleConfig][] as [RuleConfig][])('%j loads', (rule) =>
    expect(() => policyOf({ rules: [rule] })).not.toThrow(),
  );

  it('a failing example is an error that names the rule, the example and the list', () => {
    const rule: RuleConfig = { id: 'only-status', decision: 'allow', command: 'git', notMatch: ['git push'] };
    expect(() => policyOf({ rules: [rule] })).toThrow(
      /Rule only-status matches its example "git push" under notMatch/,
    );
    expect(() =>
      policyOf({ rules: [{ decision: 'allow', command: 'ls', match: ['cat x && git push'] }] }),
    ).toThrow(/user\.rules\[0\] does not match/);
  });

  it('a rule about two things or about nothing is refused', () => {
    expect(() => policyOf({ rules: [{ decision: 'deny', path: 'a', command: 'b' }] })).toThrow(
      /path and command; write one rule for each/,
    );
    expect(() => policyOf({ rules: [{ decision: 'deny' }] })).toThrow(/says nothing it is about/);
    expect(() => policyOf({ rules: [{ decision: 'deny', mcp: 'a:b:c' }] })).toThrow(/server:tool/);
  });
});

describe('whose rules count', () => {
  const workspacePolicy = defaultPolicy({
    setting: 'run-everything',
    rules: [
      { id: 'open', decision: 'allow', command: 'curl' },
      { id: 'closed', decision: 'deny', command: 'npm publish' },
    ],
  });

  it('a repository can only restrict until its workspace is trusted', async () => {
    const untrusted = policyOf(
      { setting: 'auto-accept' },
      { workspace: { policy: workspacePolicy, isTrusted: false } },
    );
    expect(untrusted.setting).toBe('auto-accept');
    expect((await run(untrusted, 'curl https://example.org')).decision).toBe('ask');
    expect(await run(untrusted, 'npm publish')).toMatchObject({ decision: 'deny', rule: 'closed' });
    const trusted = policyOf(
      { setting: 'auto-accept' },
      { workspace: { policy: workspacePolicy, isTrusted: true } },
    );
    expect(trusted.setting).toBe('auto-accept');
    expect(await run(trusted, 'curl https://example.org')).toMatchObject({ decision: 'allow', rule: 'open' });
  });

  it("an administrator's lock drops everybody else's permissions and keeps their restrictions", async () => {
    const admin = defaultPolicy({
      setting: 'auto-accept',
      isAdminControlled: true,
      rules: [{ decision: 'allow', command: 'npm test' }],
    });
    const policy = policyOf(
      {
        setting: 'run-everything',
        protections: { delete: false },
        rules: [
          { decision: 'allow', command: 'curl' },
          { decision: 'deny', command: 'wget' },
        ],
      },
      { admin },
    );
    expect(policy).toMatchObject({ setting: 'auto-accept', isLocked: true, protections: { delete: true } });
    expect((await run(policy, 'npm test')).decision).toBe('allow');
    expect((await run(policy, 'curl x')).decision).toBe('ask');
    expect((await run(policy, 'wget x')).decision).toBe('deny');
    expect(policy.remember({ decision: 'allow', command: 'curl' })).toBe(false);
    expect((await run(policy, 'curl x')).decision).toBe('ask');
  });
});
