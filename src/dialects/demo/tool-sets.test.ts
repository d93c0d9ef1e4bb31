import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { ToolCall, ToolDefinition } from '../../core/index.ts';
import { ask, type DemoRun, runDemo, system } from './fixtures/run-demo.ts';
import { toolSets } from './fixtures/tool-sets.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

const wishes = [
  'read package.json',
  'read "my notes/a file.txt"',
  'run npm test',
  'list files',
  'list src',
  'search for TODO in src',
  'find files *.ts',
  'create notes/hello.txt with hello world',
  'replace foo with bar in a.txt',
  'replace all foo with bar in a.txt',
  'delete old.txt',
  'fetch https://example.com/',
  'search the web for cats',
  'remember todo: buy milk',
  'remember todo: buy milk, sleep well',
  'read a.txt and b.txt, and run ls',
];

async function wish(text: string, tools: readonly ToolDefinition[]): Promise<DemoRun> {
  const request = ask(text, tools);
  return runDemo({ ...request, messages: [system('Working directory: /w/p'), ...request.messages] });
}

function expectValid(call: ToolCall, tools: readonly ToolDefinition[]): void {
  const tool = tools.find(({ name }) => name === call.name);
  expect(tool?.kind).toBe(call.kind);
  if (tool?.kind === 'function') {
    const { $schema: _draft, ...schema } = tool.parameters ?? {}; // the validator knows one draft; these mean the same in all
    expect(ajv.validate(schema, call.input), `${call.name} ${call.argumentsText}`).toBe(true);
  } else {
    expect(call.argumentsText).toMatch(/^\*\*\* Begin Patch\n[\s\S]*\n\*\*\* End Patch\n$/);
  }
}

describe.each(Object.entries(toolSets))('with the tools of %s', (_client, tools) => {
  it.each(wishes)('%s: every call fits its declared schema', async (text) => {
    const run = await wish(text, tools);
    for (const call of run.calls) expectValid(call, tools);
    if (run.calls.length === 0) expect(run.text).toContain('I would need');
    expect(run.result.finishReason).toBe(run.calls.length > 0 ? 'tool-calls' : 'stop');
  });

  it('calls some tool when it must, whatever was said', async () => {
    const run = await runDemo(ask('hmm', tools, { toolChoice: { type: 'required' } }));
    expect(run.calls).toHaveLength(1);
    for (const call of run.calls) expectValid(call, tools);
  });
});

// The one that only edits files has no way to run or to search.
const ableSets = Object.entries(toolSets).filter(([client]) => client !== 'a many-in-one tool');

it.each(ableSets)(
  'with the tools of %s it reads, writes, edits, lists, searches and runs',
  async (_client, tools) => {
    for (const text of wishes.slice(0, 11)) expect((await wish(text, tools)).calls, text).toHaveLength(1);
  },
);

describe('the arguments', () => {
  it.each<[string, string, string, unknown]>([
    ['OpenCode', 'read a.txt', 'read', { filePath: '/w/p/a.txt' }],
    [
      'OpenCode',
      'fetch https://example.com/',
      'webfetch',
      { url: 'https://example.com/', format: 'markdown' },
    ],
    ['OpenCode', 'run npm test', 'bash', { command: 'npm test', description: 'Run npm test' }],
    [
      'Claude Code',
      'replace all a with b in c.txt',
      'Edit',
      { file_path: '/w/p/c.txt', old_string: 'a', new_string: 'b', replace_all: true },
    ],
    ['Codex', 'read a.txt', 'exec_command', { cmd: 'cat a.txt' }],
    ['an older Codex', 'run ls', 'shell', { command: ['bash', '-lc', 'ls'] }],
    ['Cline', 'read a.txt', 'read_files', { files: [{ path: '/w/p/a.txt' }] }],
    ['Cline', 'create a.txt with hi', 'editor', { path: '/w/p/a.txt', new_text: 'hi' }],
    ['Continue', 'list files', 'List', { dirpath: '.' }],
    ['Continue', 'remember todo: a, b', 'Checklist', { checklist: '- [ ] a\n- [ ] b' }],
    ['Cursor', 'delete a.txt', 'Delete', { path: '/w/p/a.txt' }],
    [
      'Cursor',
      'remember todo: a, b',
      'TodoWrite',
      {
        merge: false,
        todos: [
          { id: '1', content: 'a', status: 'pending' },
          { id: '2', content: 'b', status: 'pending' },
        ],
      },
    ],
    ['an older Cursor', 'run ls', 'run_terminal_cmd', { command: 'ls', is_background: false }],
    [
      'MCP servers',
      'replace a with b in c.txt',
      'mcp__files__edit_file',
      { path: 'c.txt', edits: [{ oldText: 'a', newText: 'b' }] },
    ],
    ['MCP servers', 'search the web for cats', 'web.search', { q: 'cats' }],
    [
      'a many-in-one tool',
      'read a.txt',
      'str_replace_based_edit_tool',
      { command: 'view', path: '/w/p/a.txt' },
    ],
  ])('of %s for "%s" are those of %s', async (client, text, name, input) => {
    const { calls } = await wish(text, toolSets[client] ?? []);
    expect(calls.map((call) => [call.name, call.input])).toEqual([[name, input]]);
  });

  it('stay relative when no working directory is known', async () => {
    const { calls } = await runDemo(ask('read a.txt', toolSets.OpenCode));
    expect(calls[0]?.input).toEqual({ filePath: 'a.txt' });
  });

  it('of a custom patch tool are a patch', async () => {
    const { calls } = await wish('create a.txt with "one\ntwo\n"', toolSets.Codex ?? []);
    expect(calls[0]).toMatchObject({ name: 'apply_patch', kind: 'custom' });
    expect(calls[0]?.argumentsText).toBe('*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n');
  });
});
