import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { estimatedUsage, type JsonObject, type ToolPort } from '../../core/index.ts';
import { McpToolDefinitionSchema } from '../../gen/agent/v1/mcp_pb.ts';
import { createDenials, defaultPolicy, type RuleConfig } from '../policy/index.ts';
import { succeed } from '../tool-outcome.ts';
import { callOf, createBench, type RemoteBench, textIn } from './fixtures/remote-bench.ts';
import { forbidCalls } from './forbid-calls.ts';
import type { JudgedCall, RemoteToolsOptions } from './remote-options.ts';

const RULES: readonly RuleConfig[] = [
  { id: 'secrets', decision: 'deny', path: 'secrets/**', reason: 'Secrets stay where they are.' },
  { id: 'frozen', decision: 'deny', path: 'vendor/**', access: ['write', 'delete'] },
  { id: 'push', decision: 'deny', command: 'git push' },
  { id: 'publish', decision: 'deny', exactCommand: 'make publish' },
  { id: 'host', decision: 'deny', host: 'bad.example' },
  { id: 'prod', decision: 'deny', mcp: 'prod:*' },
  { id: 'wipe', decision: 'deny', tool: 'mcp_stage_wipe' },
  { id: 'todos', decision: 'deny', tool: 'TodoWrite' },
];

function forbidsBy(rules: readonly RuleConfig[]): NonNullable<RemoteToolsOptions['forbids']> {
  const denials = createDenials(defaultPolicy({ rules: [...rules] }), { homeFolder: '/home/operator' });
  return async (call: JudgedCall) => {
    const verdict = await denials?.find(call);
    return verdict && `FORBIDDEN by ${verdict.rule}: ${verdict.reason}`;
  };
}

const tool = (server: string, toolName: string) =>
  create(McpToolDefinitionSchema, { name: `${server}-${toolName}`, providerIdentifier: server, toolName });

function bench(options: RemoteToolsOptions = {}): RemoteBench {
  const made = createBench(
    {
      mcpTools: [tool('prod', 'drop'), tool('stage', 'wipe'), tool('stage', 'look')],
      onExec: (args) =>
        args.case === 'mcpArgs'
          ? { case: 'mcpResult', value: { result: { case: 'success', value: {} } } }
          : undefined,
    },
    { forbids: forbidsBy(RULES), webSearch: async () => succeed('found'), ...options },
  );
  for (const folder of ['secrets', 'vendor']) mkdirSync(path.join(made.folder, folder));
  for (const file of ['a.txt', 'secrets/a.txt', 'vendor/a.txt'])
    writeFileSync(path.join(made.folder, file), 'one\n');
  return made;
}

const edit = { old_string: 'one', new_string: 'two' };
const patch = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

describe('calls that are forbidden', () => {
  it.each<[string, JsonObject, string]>([
    ['read_file', { path: 'secrets/a.txt' }, 'secrets'],
    ['Read', { path: './src/../secrets/a.txt' }, 'secrets'],
    ['write', { path: 'vendor/new.txt', contents: 'x' }, 'frozen'],
    ['search_replace', { path: 'vendor/a.txt', ...edit }, 'frozen'],
    ['StrReplace', { path: 'vendor/a.txt', ...edit }, 'frozen'],
    ['edit_file', { path: 'vendor/a.txt', ...edit }, 'frozen'],
    ['delete_file', { path: 'vendor/a.txt' }, 'frozen'],
    ['apply_patch', patch('*** Update File: vendor/a.txt', '-one', '+two'), 'frozen'],
    [
      'apply_patch',
      patch('*** Update File: a.txt', '-one', '+two', '*** Update File: vendor/a.txt', '-one', '+two'),
      'frozen',
    ],
    ['apply_patch', patch('*** Update File: a.txt', '*** Move to: vendor/b.txt', '-one', '+two'), 'frozen'],
    [
      'edit_notebook',
      { target_notebook: 'vendor/n.ipynb', cell_idx: 0, is_new_cell: true, new_string: 'x' },
      'frozen',
    ],
    ['list_dir', { target_directory: 'secrets' }, 'secrets'],
    ['grep', { pattern: 'one', path: 'secrets' }, 'secrets'],
    ['glob_file_search', { glob_pattern: '*', target_directory: 'secrets' }, 'secrets'],
    ['read_lints', { paths: ['a.txt', 'secrets/a.txt'] }, 'secrets'],
    ['run_terminal_command', { command: 'git push' }, 'push'],
    ['bash', { command: 'echo ok && git push origin' }, 'push'],
    ['run_terminal_command', { command: 'make publish', working_directory: 'vendor' }, 'publish'],
    ['run_terminal_command', { command: 'cat a.txt', working_directory: 'secrets' }, 'secrets'],
    ['run_terminal_command', { command: 'cat ../secrets/a.txt', working_directory: 'vendor' }, 'secrets'],
    ['run_terminal_command', { command: 'git push', is_background: true }, 'push'],
    ['web_fetch', { url: 'https://bad.example/' }, 'host'],
    ['mcp_prod_drop', {}, 'prod'],
    ['mcp__prod__drop', {}, 'prod'],
    ['call_mcp_tool', { server: 'prod', toolName: 'drop', arguments: {} }, 'prod'],
    ['mcp', { name: 'drop', arguments: {} }, 'prod'],
    ['mcp_stage_wipe', {}, 'wipe'],
    ['call_mcp_tool', { server: 'stage', toolName: 'wipe', arguments: {} }, 'wipe'],
    ['read_mcp_resource', { server: 'prod', uri: 'x://y' }, 'prod'],
    ['mcp_auth', { server_identifier: 'prod' }, 'prod'],
    ['todo_write', { todos: [{ id: 'a', content: 'x' }] }, 'todos'],
    ['update_todos', { todos: [{ id: 'a', content: 'x' }] }, 'todos'],
  ])('%s %o reaches neither the client nor its user', async (name, args, rule) => {
    const made = bench();
    const result = await made.run(name, args);
    expect(textIn(result)).toContain(`FORBIDDEN by ${rule}:`);
    expect(result.isError).toBe(true);
    expect(made.client.execs).toEqual([]);
    expect(made.client.queries).toEqual([]);
    expect(made.client.state.get().todos).toEqual([]);
    expect(made.client.shown.map(({ state }) => state)).toEqual(['started', 'completed']);
  });

  it.each<[string, JsonObject]>([
    ['read_file', { path: 'vendor/a.txt' }],
    ['search_replace', { path: 'a.txt', ...edit }],
    ['apply_patch', patch('*** Update File: a.txt', '-one', '+two', '*** Add File: b.txt', '+b')],
    ['list_dir', {}],
    ['grep', { pattern: 'one' }],
    ['run_terminal_command', { command: 'cat vendor/a.txt' }],
    ['mcp_stage_look', {}],
    ['todo_read', {}],
  ])('%s %o is none of them', async (name, args) => {
    const result = await bench().run(name, args);
    expect(textIn(result)).not.toContain('FORBIDDEN');
    expect(result.isError).toBeUndefined();
  });

  it.each(['content', 'count', 'files_with_matches'])(
    'a search of everything says nothing of forbidden files, as %s',
    async (output_mode) => {
      const made = bench();
      const text = textIn(await made.run('grep', { pattern: 'one', output_mode }));
      expect(text).toContain('a.txt');
      expect(text).not.toContain('secrets/a.txt');
      expect(text).toContain('[1 file is left out: the operator forbids reading it]');
      expect(text).toMatch(/2 (?:matching lines|matches|files)|in 2 files/);
    },
  );

  it('a glob does not name them', async () => {
    const text = textIn(await bench().run('glob_file_search', { glob_pattern: '*.txt' }));
    expect(text).toContain('vendor/a.txt');
    expect(text).not.toContain('secrets/a.txt');
  });

  it('are judged again by what is really sent', async () => {
    const judged: JudgedCall[] = [];
    const made = bench({
      forbids: async (call) => {
        judged.push(call);
        return undefined;
      },
    });
    await made.run('search_replace', { path: 'a.txt', ...edit });
    const touched = judged.flatMap(({ touches }) => touches);
    const file = path.join(made.folder, 'a.txt');
    for (const access of ['read', 'write'])
      expect(touched).toContainEqual({ type: 'path', path: file, access });
    expect(judged.every(({ tool: { name }, mode }) => name === 'search_replace' && mode === 'agent')).toBe(
      true,
    );
    expect(judged.every(({ folders }) => folders[0] === made.folder)).toBe(true);
  });

  it('an exec that is forbidden alone leaves every file of the edit as it was', async () => {
    const made = bench({
      forbids: async ({ touches }) =>
        touches.some(
          (touch) => touch.type === 'path' && touch.access === 'write' && touch.path.endsWith('/b.txt'),
        )
          ? 'not that one'
          : undefined,
    });
    const call = patch('*** Update File: a.txt', '-one', '+two', '*** Add File: sub/../b.txt', '+b');
    expect(textIn(await made.run('apply_patch', call))).toContain('not that one');
    expect(readFileSync(path.join(made.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(made.client.execs.filter(({ case: kind }) => kind === 'writeArgs')).toEqual([]);
  });

  it('typed input is judged with the command that reads it', async () => {
    const judged: JudgedCall[] = [];
    const made = createBench(
      {
        onExec: ({ case: kind }) =>
          kind === 'backgroundShellSpawnArgs'
            ? {
                case: 'backgroundShellSpawnResult',
                value: { result: { case: 'success', value: { shellId: 7, command: 'psql', pid: 1 } } },
              }
            : undefined,
      },
      {
        forbids: async (call) => {
          judged.push(call);
          return undefined;
        },
      },
    );
    await made.run('run_terminal_command', { command: 'psql', is_background: true });
    await made.run('write_shell_stdin', { shell_id: '7', chars: 'drop it\n' });
    const [touch] = judged.at(-1)?.touches ?? [];
    expect(touch?.type === 'command' && touch.command).toMatch(/drop it[\s\S]*\| \{\npsql\n\}/);
  });

  it('a sub-agent cannot make them either: it has the same tools', async () => {
    const made = bench();
    const inner: string[] = [];
    const outer = await made.run(
      'task',
      { prompt: 'read it for me', description: 'd' },
      {
        runSubTask: async () => {
          const result = await made.run('read_file', { path: 'secrets/a.txt' });
          inner.push(textIn(result));
          return { text: 'could not', usage: estimatedUsage(0, 0) };
        },
      },
    );
    expect(textIn(outer)).toBe('could not');
    expect(inner[0]).toContain('FORBIDDEN by secrets');
    expect(made.client.execs).toEqual([]);
  });
});

describe('clients that are handed whole calls', () => {
  const ran: string[] = [];
  const port: ToolPort = {
    list: async () => [],
    run: async ({ name }) => {
      ran.push(name);
      return { content: [{ type: 'text', text: 'ran' }] };
    },
    parallelOf: () => 'alone',
    isReadOnly: () => false,
  };
  const tools = forbidCalls(port, { forbids: forbidsBy(RULES), folders: ['/srv/app'] });
  const run = async (name: string, args: JsonObject) => {
    const context = {
      mode: 'agent' as const,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    };
    return textIn(await tools.run(callOf(name, args), context));
  };

  it.each<[string, JsonObject, string]>([
    ['read_file', { path: '/srv/app/secrets/a' }, 'secrets'],
    ['search_replace', { path: 'vendor/a', ...edit }, 'frozen'],
    ['delete_file', { path: 'vendor/a' }, 'frozen'],
    ['run_terminal_command', { command: 'git push' }, 'push'],
    ['web_fetch', { url: 'https://bad.example/' }, 'host'],
    ['mcp_prod_drop_all', { table: 'x' }, 'prod'],
    ['mcp_stage_wipe', {}, 'wipe'],
    ['todo_write', { todos: [] }, 'todos'],
  ])('are not handed %s %o', async (name, args, rule) => {
    expect(await run(name, args)).toContain(`FORBIDDEN by ${rule}:`);
    expect(ran).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['read_file', { path: '/srv/app/src/a' }],
    ['run_terminal_command', { command: 'git status' }],
    ['mcp_stage_look', {}],
    ['read_file', { wrong: 'arguments' }],
    ['no_such_tool', {}],
  ])('are handed %s %o', async (name, args) => {
    expect(await run(name, args)).toBe('ran');
    ran.length = 0;
  });
});
