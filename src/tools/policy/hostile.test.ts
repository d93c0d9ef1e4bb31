// Attempts to get something done without anybody's consent, under auto-accept and with an allow list as people write it.
// The classes are those of published bypasses in coding agents: built-ins, wrappers, environment, substitutions, links,
// case folding, configuration files, invisible characters, changed MCP tools. None may be decided `allow`.
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Risk, Touch } from '../tool.ts';
import { Workspace } from '../workspace.ts';
import { decide } from './decide.ts';
import { HOSTILE_COMMANDS } from './fixtures/hostile-commands.ts';
import { Policy } from './policy.ts';
import { defaultPolicy } from './policy-schema.ts';
import type { Decision } from './verdict.ts';

const ALLOWED = [
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'wc',
    'sort',
    'uniq',
    'echo',
    'printf',
    'pwd',
    'date',
    'env',
    'xargs',
    'tee',
    'cp',
  ],
  ...['git status', 'git log', 'git diff', 'git branch', 'git show', 'git grep', 'git fetch', 'git clone'],
  ...[
    'npm test',
    'npm run build',
    'grep',
    'rg',
    'find',
    'fd',
    'sed',
    'awk',
    'make',
    'tar',
    'jq',
    'node',
    'python3',
  ],
  ...[
    'less',
    'man',
    'test',
    'command',
    'timeout',
    'bash',
    'sh',
    'time',
    'rsync',
    'zip',
    'perl',
    'read',
    'export',
    'curl',
  ],
];

let folder = '';
let workspace: Workspace;
const policy = new Policy(
  { user: defaultPolicy({ setting: 'auto-accept', rules: [{ decision: 'allow', command: ALLOWED }] }) },
  { homeFolder: '/home/user' },
);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hostile-'));
  const root = path.join(folder, 'project');
  for (const name of ['src', '.git/hooks', 'node_modules/.bin', 'nested/deep'])
    mkdirSync(path.join(root, name), { recursive: true });
  mkdirSync(path.join(folder, 'outside'));
  writeFileSync(path.join(folder, 'outside/secret.txt'), 'secret');
  writeFileSync(path.join(root, 'src/a.ts'), 'a');
  symlinkSync('../outside', path.join(root, 'link-to-folder'));
  symlinkSync('../outside/secret.txt', path.join(root, 'link-to-file'));
  symlinkSync('../outside/new.txt', path.join(root, 'dangling'));
  symlinkSync('.git/hooks', path.join(root, 'innocent'));
  symlinkSync('link-to-folder', path.join(root, 'link-to-link'));
  linkSync(path.join(folder, 'outside/secret.txt'), path.join(root, 'hard-link.txt'));
  workspace = new Workspace(root);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judge(
  touch: Touch,
  risk: Risk = 'execute',
  name = 'run_terminal_command_v2',
  number = 15,
): Promise<Decision> {
  const call = { tool: { name, number, risk }, touches: [touch] };
  return (await decide(call, { policy, workspace })).decision;
}

const run = (command: string) => judge({ type: 'command', command, cwd: workspace.root });

describe.each(Object.entries(HOSTILE_COMMANDS))('%s', (_, commands) => {
  it.each(commands)('%j is not allowed', async (command) => expect(await run(command)).not.toBe('allow'));
});

describe('hostile commands as a whole', () => {
  it('a tower of commands in commands is not allowed either', async () => {
    let command = 'ls';
    for (let level = 0; level < 12; level++)
      command = `eval ${JSON.stringify(command).replaceAll('$', '\\$')}`;
    expect(await run(command)).not.toBe('allow');
  });

  it('are more than a hundred and fifty', () => {
    expect(Object.values(HOSTILE_COMMANDS).flat().length).toBeGreaterThan(150);
  });
});

describe('a file tool led elsewhere', () => {
  it.each([
    ['.git/hooks/pre-commit', 'write'],
    ['.git/config', 'write'],
    ['.GIT/config', 'write'],
    ['.vscode/settings.json', 'write'],
    ['.vscode/tasks.json', 'write'],
    ['.cursor/mcp.json', 'write'],
    ['.cursor/hooks.json', 'write'],
    ['.Cursor/rules/x.mdc', 'write'],
    ['.github/workflows/ci.yml', 'write'],
    ['.husky/pre-commit', 'write'],
    ['.npmrc', 'write'],
    ['.envrc', 'write'],
    ['.bashrc', 'write'],
    ['.gitattributes', 'write'],
    ['nested/deep/.git/config', 'write'],
    ['package.json', 'write'],
    ['PACKAGE.JSON', 'write'],
    ['nested/package.json', 'write'],
    ['Makefile', 'write'],
    ['GNUmakefile', 'write'],
    ['conftest.py', 'write'],
    ['setup.py', 'write'],
    ['eslint.config.js', 'write'],
    ['project.code-workspace', 'write'],
    ['crosspoint.json', 'write'],
    ['.crosspoint/policy.yaml', 'write'],
    ['innocent/pre-push', 'write'],
    ['link-to-file', 'write'],
    ['link-to-folder/new.txt', 'write'],
    ['link-to-link/new.txt', 'write'],
    ['dangling', 'write'],
    ['hard-link.txt', 'write'],
    ['../outside/x', 'write'],
    ['src/../../outside/x', 'write'],
    ['/etc/passwd', 'write'],
    ['/home/user/.bashrc', 'write'],
    ['/dev/sda', 'write'],
    ['/proc/self/mem', 'write'],
    ['src/a.ts', 'delete'],
    ['link-to-file', 'read'],
    ['../outside/secret.txt', 'read'],
    ['/proc/self/environ', 'read'],
    ['/home/user/.ssh/id_ed25519', 'read'],
    ['.env', 'read'],
    ['.ENV.production', 'read'],
    ['certs/server.pem', 'read'],
  ] as const)('%s is not free to %s', async (file, access) => {
    const touch: Touch = { type: 'path', path: path.resolve(workspace.root, file), access };
    expect(await judge(touch, 'write', 'edit_file_v2', 38)).not.toBe('allow');
  });
});

describe('the network and MCP', () => {
  it.each([
    'http://127.0.0.1:8080/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'https://example.org@evil.example/',
    'https://evil.example/',
    'gopher://example.org/',
    'not a url',
  ])('%s is not reached unasked, even where any public host is allowed', async (url) => {
    const open = new Policy(
      {
        user: defaultPolicy({
          setting: 'auto-accept',
          rules: [{ decision: 'allow', host: ['example.org', 'docs.evil.example'] }],
        }),
      },
      { homeFolder: '/home/user' },
    );
    const call = {
      tool: { name: 'web_fetch', number: 57, risk: 'network' as const },
      touches: [{ type: 'host' as const, url }],
    };
    expect((await decide(call, { policy: open, workspace })).decision).not.toBe('allow');
  });

  it('a star for hosts does not open this machine or its network', async () => {
    const open = new Policy(
      {
        user: defaultPolicy({
          setting: 'run-everything',
          rules: [
            { decision: 'allow', host: '*' },
            { decision: 'allow', tool: 'web_fetch' },
          ],
        }),
      },
      { homeFolder: '/home/user' },
    );
    for (const url of [
      'http://127.0.0.1/',
      'http://169.254.169.254/',
      'http://[::1]/',
      'http://router.lan/',
    ]) {
      const call = {
        tool: { name: 'web_fetch', number: 57, risk: 'network' as const },
        touches: [{ type: 'host' as const, url }],
      };
      expect((await decide(call, { policy: open, workspace })).decision, url).toBe('ask');
    }
  });

  it.each([
    ['github', 'delete_repo'],
    ['playwright', 'browser_click'],
    ['docs:*', 'search'],
    ['docs', 'search:*'],
    ['DOCS', 'search'],
  ])('the MCP tool %s:%s asks although docs:search is allowed', async (server, tool) => {
    const open = new Policy(
      { user: defaultPolicy({ setting: 'auto-accept', rules: [{ decision: 'allow', mcp: 'docs:search' }] }) },
      { homeFolder: '/' },
    );
    const call = {
      tool: { name: 'mcp', number: 19, risk: 'execute' as const },
      touches: [{ type: 'mcp' as const, server, tool }],
    };
    expect((await decide(call, { policy: open, workspace })).decision).toBe('ask');
  });

  it('a tool that changed after it was allowed asks again, under every setting', async () => {
    for (const setting of ['always-ask', 'auto-accept', 'run-everything'] as const) {
      const open = new Policy(
        { user: defaultPolicy({ setting, rules: [{ decision: 'allow', mcp: 'docs:search' }] }) },
        { homeFolder: '/' },
      );
      const call = {
        tool: { name: 'mcp', number: 19, risk: 'execute' as const },
        touches: [{ type: 'mcp' as const, server: 'docs', tool: 'search' }],
      };
      expect((await decide(call, { policy: open, workspace })).decision).toBe('allow');
      const verdict = await decide(call, { policy: open, workspace, mcpFacts: () => ({ isChanged: true }) });
      expect(verdict).toMatchObject({ decision: 'ask', rule: 'protection:mcp-changed' });
    }
  });
});

describe('ordinary work', () => {
  it.each([
    'ls',
    'ls -la src',
    'ls *.ts',
    'cat src/a.ts | head -20',
    'git status',
    'git --no-pager log --oneline -5',
    'git diff HEAD~1 -- src',
    'git branch -a',
    'npm test',
    'npm test -- --reporter=dot',
    'CI=1 npm test 2>&1 | tail -n 40',
    'cd src && ls && npm run build',
    'grep -rn "foo" src | wc -l',
    'grep -n "/api/users" src/a.ts',
    'rg -n "TODO" src',
    'find . -name "*.ts" -not -path "./node_modules/*"',
    'find src -type f -name "*.ts" -exec grep -l foo {} +',
    'node src/a.js',
    'node --version',
    'git diff main..dev -- src/a.ts',
    "sed -n '1,40p' src/a.ts",
    'echo "hello world" > notes.txt',
    'echo done >> src/log.txt 2>/dev/null',
    'timeout 60 npm test',
    'bash -c "ls && git status"',
    'if [ -f src/a.ts ]; then cat src/a.ts; fi',
    'for f in a b c; do echo "$f"; done',
    'set -euo pipefail; ls',
    'jq .name tsconfig.json',
    'command -v node',
    'cat <<EOF\nplain text\nEOF',
    "cat <<'EOF'\n$(not run)\nEOF",
    'sort src/a.ts | uniq -c',
    'date +%s',
    '/usr/bin/ls',
  ])('%j runs unasked', async (command) => expect(await run(command)).toBe('allow'));
});
