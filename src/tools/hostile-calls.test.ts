// Attempts to get something done without consent, as whole calls to a runtime with every tool: by each name the shell goes
// by, by each tool that writes, on paths that mislead. Nobody is there to agree; nothing may run. What would run is only
// noted down, so that a hole in the policy does no harm here.
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingIds, type JsonObject } from '../core/index.ts';
import { Approvals, createMemoryApprovalStore } from './approvals/index.ts';
import { HOSTILE_COMMANDS } from './policy/fixtures/hostile-commands.ts';
import { defaultPolicy, Policy } from './policy/index.ts';
import { BUILTIN_TOOLS, chooseTool } from './registry.ts';
import { createToolRuntime, type ToolRuntime } from './runtime.ts';
import { succeed } from './tool-outcome.ts';
import { Workspace } from './workspace.ts';

const SHELL_NAMES = [
  'run_terminal_cmd',
  'Shell',
  'Bash',
  'exec_command',
  'local_shell',
  'run_terminal_command_v2',
  'RUN-TERMINAL-CMD',
];

/** Files that steer other programs, by class and in spellings that should not matter. */
const PLACES = {
  'git hooks': [
    '.git/hooks/pre-commit',
    '.git/config',
    '.gitmodules',
    '.husky/pre-push',
    'hooks-link/post-merge',
  ],
  'configuration files': [
    '.vscode/tasks.json',
    '.cursor/mcp.json',
    '.cursorignore',
    '.envrc',
    '.npmrc',
    'package.json',
    'Makefile',
    'conftest.py',
    'crosspoint.yaml',
    '.crosspoint/policy.yaml',
  ],
  'other cases of the same name': [
    '.GIT/Config',
    '.Vscode/Tasks.json',
    'PACKAGE.JSON',
    'makeFILE',
    'CrossPoint.YAML',
  ],
  'unicode and line breaks': [
    '.ｇit/hooks/pre-commit',
    'ｐackage.json',
    './.git/./hooks//pre-commit',
    '.git/hooks/pre-commit\n',
    '.git\n/../.git/config',
  ],
  'links and other ways out': [
    'out/new.txt',
    'dangling',
    '../beside.txt',
    'src/../../beside.txt',
    '/etc/cron.d/x',
  ],
} as const;

type Attempt = readonly [tool: string, args: (file: string) => JsonObject];

const WRITERS: readonly Attempt[] = [
  ['Write', (file) => ({ path: file, contents: 'x' })],
  ['edit_file_v2', (file) => ({ relativeWorkspacePath: file, contentsAfterEdit: 'x' })],
  ['StrReplace', (file) => ({ path: file, old_string: '', new_string: 'x' })],
  ['MultiEdit', (file) => ({ file_path: file, edits: [{ old_string: '', new_string: 'x' }] })],
  ['edit_file', (file) => ({ target_file: file, code_edit: 'x' })],
  ['Delete', (file) => ({ path: file })],
];

/** Denied for lack of an answer, or refused before anyone is asked: an argument or a path that is none. */
const REFUSED = /^(?:DENIED|EINVAL|EACCES|ENOENT)$/;

let folder = '';
let runtime: ToolRuntime;
let ran: string[] = [];
let calls = 0;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hostile-calls-'));
  const root = path.join(folder, 'project');
  for (const name of ['src', '.git/hooks']) mkdirSync(path.join(root, name), { recursive: true });
  mkdirSync(path.join(folder, 'outside'));
  writeFileSync(path.join(root, 'src/a.ts'), 'a');
  symlinkSync('.git/hooks', path.join(root, 'hooks-link'));
  symlinkSync('../outside', path.join(root, 'out'));
  symlinkSync('../outside/new.txt', path.join(root, 'dangling'));
  // The names that the hostile commands use.
  writeFileSync(path.join(folder, 'outside/secret.txt'), 'secret');
  symlinkSync('.git/hooks', path.join(root, 'innocent'));
  symlinkSync('../outside', path.join(root, 'link-to-folder'));
  symlinkSync('../outside/secret.txt', path.join(root, 'link-to-file'));
  linkSync(path.join(folder, 'outside/secret.txt'), path.join(root, 'hard-link.txt'));
  runtime = createToolRuntime({
    workspace: new Workspace(root),
    tools: BUILTIN_TOOLS.map((tool) => ({
      ...tool,
      run: async (args) => {
        ran.push(`${tool.name} ${JSON.stringify(args)}`);
        return succeed('');
      },
    })),
    choose: chooseTool,
    // As people set it who want to be left in peace.
    policy: new Policy(
      {
        user: defaultPolicy({
          setting: 'auto-accept',
          rules: [
            {
              decision: 'allow',
              command: ['ls', 'cat', 'git status', 'git diff', 'npm test', 'echo', 'find', 'grep'],
            },
          ],
        }),
      },
      { homeFolder: '/home/user' },
    ),
    approvals: new Approvals({
      store: createMemoryApprovalStore(),
      timeoutMs: 1,
      nowMs: () => 0,
      newId: countingIds(),
      schedule: (_delayMs, timeIsUp) => {
        const timer = setImmediate(timeIsUp); // nobody answers
        return () => clearImmediate(timer);
      },
    }),
    mode: 'agent',
    stateFolder: path.join(folder, 'state'),
  });
});

afterAll(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

async function attempt(name: string, args: JsonObject, code = REFUSED): Promise<void> {
  ran = [];
  const outcome = await runtime.call({ id: `call-${calls++}`, name, args });
  expect(ran, `${name} ${JSON.stringify(args)}`).toEqual([]);
  expect(outcome).toMatchObject({ ok: false, error: { code: expect.stringMatching(code) } });
}

describe.each(Object.entries(HOSTILE_COMMANDS))('%s', (_, commands) => {
  it.each(
    commands.map((command, index) => [SHELL_NAMES[index % SHELL_NAMES.length] ?? '', command] as const),
  )('by %s does not run: %j', (name, command) => attempt(name, { command }, /^(?:DENIED|EINVAL)$/));
});

describe.each(Object.entries(PLACES))('%s', (_, files) => {
  it.each(files.flatMap((file) => WRITERS.map(([name, args]) => [name, args(file)] as const)))(
    'by %s are not touched: %j',
    (name, args) => attempt(name, args),
  );

  it.each(files)('are not touched by a patch that also does something harmless: %j', async (file) => {
    if (file.includes('\n')) return; // a patch has no way to say it
    const patch = `*** Begin Patch\n*** Add File: notes.txt\n+x\n*** Add File: ${file}\n+x\n*** End Patch`;
    await attempt('apply_patch', { patch });
    const move = `*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: ${file}\n@@\n-a\n+b\n*** End Patch`;
    await attempt('ApplyPatch', { input: move });
  });
});

it('an ordinary edit and an ordinary command do run', async () => {
  ran = [];
  await runtime.call({ id: 'edit', name: 'Write', args: { path: 'src/b.ts', contents: 'b' } });
  await runtime.call({ id: 'shell', name: 'Bash', args: { command: 'git status' } });
  expect(ran).toHaveLength(2);
});

it('there are more than a hundred and fifty attempts', () => {
  const files = Object.values(PLACES).flat().length * (WRITERS.length + 2);
  process.stdout.write(`${Object.values(HOSTILE_COMMANDS).flat().length + files} hostile calls\n`);
  expect(Object.values(HOSTILE_COMMANDS).flat().length + files).toBeGreaterThan(150);
});
