// Every tool that a client of the agent protocol runs, called by a scripted model and judged on the client's disk.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { TodoStatus } from '../../src/gen/agent/v1/common_pb.ts';
import { AgentMode } from '../../src/gen/agent/v1/user_message_pb.ts';
import { CUSTOM_SERVER, type DeclaredTool, type SendOptions } from '../support/native-client/index.ts';
import { type AgentOnStage, openStage, readTree, type Stage } from '../support/native-client/open-stage.ts';
import { type ScriptedCall, textOf } from '../support/native-client/scripted-model.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** Lets the model make its calls, one round each, and tells what came of them. */
async function callTools(
  calls: readonly ScriptedCall[],
  { options, ...agentOptions }: AgentOnStage & { readonly options?: SendOptions } = {},
) {
  stage = await openStage({ rounds: calls.map((call) => [call]) });
  const { agent, workspace } = await stage.agent('http2', agentOptions);
  const { record, end } = await agent.send('Do it.', options);
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
  expect(record.text).toContain('All done.');
  const results = stage.model?.results() ?? [];
  expect(results).toHaveLength(calls.length);
  return {
    record,
    workspace,
    results,
    shown: record.completedCalls.map(({ tool }) => tool.case),
    files: await readTree(workspace.folder),
    model: stage.model,
  };
}

describe('tools on files', () => {
  it('read a file, whole and in part', async () => {
    const { results, shown } = await callTools(
      [
        { name: 'read_file', args: { path: 'a.txt' } },
        { name: 'read_file', args: { path: 'a.txt', offset: 2, limit: 1 } },
        { name: 'read_file', args: { path: 'missing.txt' } },
      ],
      { files: { 'a.txt': 'one\ntwo\nthree\n' } },
    );
    expect(results[0]).toMatch(/one[\s\S]*two[\s\S]*three/);
    expect(results[1]).toContain('two');
    expect(results[1]).not.toMatch(/one|three/);
    expect(results[2]).toContain('missing.txt');
    expect(shown).toEqual(['readToolCall', 'readToolCall', 'readToolCall']);
  });

  it('write a file with its folders and overwrite it', async () => {
    const { files, shown } = await callTools([
      { name: 'write', args: { path: 'deep/er/new.txt', contents: 'first\n' } },
      { name: 'write', args: { path: 'deep/er/new.txt', contents: 'zweite ✓\n' } },
    ]);
    expect(files).toEqual({ 'deep/er/new.txt': 'zweite ✓\n' });
    expect(shown).toEqual(['editToolCall', 'editToolCall']);
  });

  it('edit by search and replace, by patch and in a notebook', async () => {
    const notebook = {
      cells: [{ cell_type: 'code', metadata: {}, source: ['x = 1'], outputs: [], execution_count: null }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    };
    const { files, record } = await callTools(
      [
        { name: 'search_replace', args: { path: 'a.txt', old_string: 'two', new_string: 'TWO' } },
        {
          name: 'apply_patch',
          args: {
            patch:
              '*** Begin Patch\n*** Update File: b.txt\n@@\n left\n-middle\n+centre\n right\n*** Add File: c.txt\n+fresh\n*** End Patch',
          },
        },
        {
          name: 'edit_notebook',
          args: {
            target_notebook: 'n.ipynb',
            cell_idx: 0,
            is_new_cell: false,
            old_string: 'x = 1',
            new_string: 'x = 2',
          },
        },
      ],
      {
        files: {
          'a.txt': 'one\ntwo\nthree\n',
          'b.txt': 'left\nmiddle\nright\n',
          'n.ipynb': JSON.stringify(notebook),
        },
      },
    );
    expect(files['a.txt']).toBe('one\nTWO\nthree\n');
    expect(files['b.txt']).toBe('left\ncentre\nright\n');
    expect(files['c.txt']?.trimEnd()).toBe('fresh');
    expect(files['n.ipynb']).toContain('x = 2');
    const edit = record.completedCalls[0]?.tool;
    expect(edit?.case).toBe('editToolCall');
    expect(
      JSON.stringify(edit, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)),
    ).toContain('TWO');
  });

  it('leave a file alone when the text to replace is not in it, and say so', async () => {
    const { files, results } = await callTools(
      [{ name: 'search_replace', args: { path: 'a.txt', old_string: 'nowhere', new_string: 'x' } }],
      { files: { 'a.txt': 'one\n' } },
    );
    expect(files).toEqual({ 'a.txt': 'one\n' });
    expect(results[0]).toMatch(/not found|does not|no match|not in/i);
  });

  it('delete one file and only that', async () => {
    const { files, shown } = await callTools([{ name: 'delete_file', args: { path: 'old.txt' } }], {
      files: { 'old.txt': 'x', 'kept.txt': 'y' },
    });
    expect(files).toEqual({ 'kept.txt': 'y' });
    expect(shown).toEqual(['deleteToolCall']);
  });

  it('list, search and find', async () => {
    const { results, shown } = await callTools(
      [
        { name: 'list_dir', args: { target_directory: '.' } },
        { name: 'grep', args: { pattern: 'needle' } },
        { name: 'grep', args: { pattern: 'NEEDLE', '-i': true, output_mode: 'files_with_matches' } },
        { name: 'grep', args: { pattern: 'needle', output_mode: 'count' } },
        { name: 'glob_file_search', args: { glob_pattern: '**/*.md' } },
        { name: 'grep', args: { pattern: '(' } },
      ],
      { files: { 'src/a.ts': 'x\nneedle one\n', 'src/b.ts': 'y\n', 'docs/c.md': 'needle two\n' } },
    );
    expect(results[0]).toMatch(/docs[\s\S]*src/);
    expect(results[1]).toMatch(/needle one/);
    expect(results[1]).toMatch(/needle two/);
    expect(results[2]).toMatch(/src\/a\.ts/);
    expect(results[2]).not.toMatch(/b\.ts/);
    expect(results[3]).toMatch(/1/);
    expect(results[4]).toMatch(/docs\/c\.md/);
    expect(results[4]).not.toMatch(/\.ts/);
    expect(results[5]).toMatch(/regex|unclosed|parse/i);
    expect(shown).toEqual([
      'lsToolCall',
      'grepToolCall',
      'grepToolCall',
      'grepToolCall',
      'globToolCall',
      'grepToolCall',
    ]);
  });
});

describe('tools of the shell', () => {
  it('run commands in the workspace, with what they say and how they end', async () => {
    const { results, record, workspace, shown } = await callTools([
      { name: 'run_terminal_command', args: { command: 'pwd; echo err >&2; echo out > made.txt' } },
      { name: 'run_terminal_command', args: { command: 'exit 7' } },
      {
        name: 'run_terminal_command',
        args: { command: 'sleep 20', timeout_ms: 200, timeout_behavior: 'cancel' },
      },
    ]);
    expect(results[0]).toContain(workspace.folder);
    expect(results[0]).toContain('err');
    expect(await readFile(join(workspace.folder, 'made.txt'), 'utf8')).toBe('out\n');
    expect(results[1]).toContain('7');
    expect(results[2]).toMatch(/time|abort|cancel/i);
    expect(shown).toEqual(['shellToolCall', 'shellToolCall', 'shellToolCall']);
    const shells = record.execs.flatMap(({ message }) =>
      message.case === 'shellStreamArgs' || message.case === 'shellArgs' ? [message.value] : [],
    );
    expect(shells).toHaveLength(3);
    for (const shell of shells) {
      expect(shell.parsingResult).toBeDefined();
      expect(shell.workingDirectory).toBe(workspace.folder);
    }
    const deltas = record.updates('toolCallDelta').map(({ toolCallDelta }) => toolCallDelta?.delta.case);
    const output = record.updates('shellOutputDelta');
    expect(deltas.length + output.length).toBeGreaterThan(0);
  });

  it('start a command in the background and write to it', async () => {
    const { workspace, results } = await callTools([
      {
        name: 'run_terminal_command',
        args: { command: 'read line; echo "got $line" > answer.txt', is_background: true, stdin: 'pipe' },
      },
      { name: 'write_shell_stdin', args: { shell_id: '1', chars: 'hello\n' } },
    ]);
    expect(results[0]).toMatch(/1/);
    await expect.poll(() => readTree(workspace.folder)).toEqual({ 'answer.txt': 'got hello\n' });
  });
});

const note = (server: string): DeclaredTool & { readonly inputs: JsonObject[] } => {
  const inputs: JsonObject[] = [];
  return {
    server,
    name: 'note',
    description: 'Takes a note.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' }, more: {} }, required: ['text'] },
    inputs,
    execute: (input) => {
      inputs.push(input);
      if (input.text === 'throw') throw new Error('the ink has run out');
      return `noted ${String(input.text)}`;
    },
  };
};

describe('tools that the client declares', () => {
  it.each([CUSTOM_SERVER, 'ledger'])('are called at %s with nested arguments intact', async (server) => {
    const tool = note(server);
    const more = { list: [1, -2.5, null, 'ß'], inner: { ключ: { deep: [[]] } }, no: false };
    stage = await openStage({ rounds: [] });
    const named = await stage.agent('http1', { tools: [tool] });
    await named.agent.send('What is there?');
    const name = stage.model?.toolNames().find((candidate) => candidate.endsWith('note')) ?? '';
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    await stage.stop();

    const { results, shown } = await callTools(
      [
        { name, args: { text: 'milk', more } },
        { name, args: { text: 'throw' } },
      ],
      { tools: [tool] },
    );
    expect(tool.inputs).toEqual([{ text: 'milk', more }, { text: 'throw' }]);
    expect(results[0]).toContain('noted milk');
    expect(results[1]).toContain('the ink has run out');
    expect(shown).toEqual(['mcpToolCall', 'mcpToolCall']);
  });
});

describe('tools that need the user', () => {
  it('ask a question and put a plan before the user in plan mode', async () => {
    const options = [
      { id: 'red', label: 'Red' },
      { id: 'blue', label: 'Blue' },
    ];
    const { record, results } = await callTools(
      [
        {
          name: 'ask_question',
          args: { title: 'Colour', questions: [{ id: 'q1', prompt: 'Which?', options }] },
        },
      ],
      { options: { mode: AgentMode.PLAN } },
    );
    expect(record.queries.map(({ query }) => query.case)).toEqual(['askQuestionInteractionQuery']);
    expect(results[0]).toMatch(/red/i);
    await stage?.stop();

    const planned = await openStage({
      rounds: [
        [{ name: 'create_plan', args: { name: 'Paint', overview: 'Paint it red.', plan: '# Paint\n' } }],
      ],
    });
    stage = planned;
    const { agent } = await planned.agent('http2');
    const turn = await agent.send('Plan it.', { mode: AgentMode.PLAN });
    expect(turn.end).toEqual({ kind: 'done' });
    expect(turn.record.violations).toEqual([]);
    const [query] = turn.record.queries;
    expect(query?.query.case === 'createPlanRequestQuery' && query.query.value.args?.plan).toContain(
      '# Paint',
    );
    expect(turn.record.checkpoints.at(-1)?.plan).toBeDefined();
  });

  it('change the mode when the user agrees, and not when not', async () => {
    const calls = [{ name: 'switch_mode', args: { target_mode_id: 'plan', explanation: 'to think first' } }];
    const agreed = await callTools(calls);
    expect(agreed.record.queries.map(({ query }) => query.case)).toEqual(['switchModeRequestQuery']);
    expect(agreed.model?.toolNames()).not.toContain('write');
    expect(agreed.record.checkpoints.at(-1)?.mode).toBe(AgentMode.PLAN);
    await stage?.stop();
    const refused = await callTools(calls, {
      options: {
        answerQuery: () => ({
          case: 'switchModeRequestResponse',
          value: { result: { case: 'rejected', value: { reason: 'not now' } } },
        }),
      },
    });
    expect(refused.results[0]).toMatch(/not now|refus|declin|reject/i);
    expect(refused.model?.toolNames()).toContain('write');
  });
});

describe('the to-do list', () => {
  it('is kept by the server, merged, shown and stored with the checkpoint', async () => {
    const { record, results } = await callTools([
      {
        name: 'todo_write',
        args: {
          todos: [
            { id: 'a', content: 'sow', status: 'in_progress' },
            { id: 'b', content: 'reap', status: 'pending' },
          ],
        },
      },
      {
        name: 'todo_write',
        args: { merge: true, todos: [{ id: 'a', content: 'sow', status: 'completed' }] },
      },
      { name: 'todo_read', args: {} },
    ]);
    expect(results[2]).toMatch(/sow[\s\S]*reap/);
    const shown = record.completedCalls[1]?.tool;
    if (shown?.case !== 'updateTodosToolCall' || shown.value.result?.result.case !== 'success')
      throw new Error(`not shown as a to-do list: ${shown?.case}`);
    expect(shown.value.result.result.value.todos.map(({ id, status }) => [id, status])).toEqual([
      ['a', TodoStatus.COMPLETED],
      ['b', TodoStatus.PENDING],
    ]);
    expect(record.checkpoints.at(-1)?.todos).toHaveLength(2);
  });
});

describe('what the client knows', () => {
  it('is asked for diagnostics, resources of MCP servers and pages', async () => {
    const server = createServer((_request, response) => response.end('the page')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server always has one
    try {
      const { results } = await callTools(
        [
          { name: 'read_lints', args: { paths: ['a.ts'] } },
          { name: 'list_mcp_resources', args: {} },
          { name: 'read_mcp_resource', args: { server: 'notes', uri: 'memo://one' } },
          { name: 'web_fetch', args: { url: `http://127.0.0.1:${port}/` } },
        ],
        { files: { 'a.ts': 'let x = 1;\n' }, tools: [note('notes')] },
      );
      expect(results[0]).toContain('unused variable');
      expect(results[1]).toContain('memo://one');
      expect(results[2]).toContain('what memo://one holds');
      expect(results[3]).toContain('the page');
    } finally {
      server.close();
    }
  });
});

describe('what the client says about itself', () => {
  it('reaches the model: folder, shell, rules', async () => {
    stage = await openStage({ rounds: [] });
    const { agent, workspace } = await stage.agent('http1', {
      rules: [{ path: '/rules/style.mdc', text: 'Indent with three spaces.' }],
    });
    expect((await agent.send('Hello.')).end).toEqual({ kind: 'done' });
    const [system] = stage.model?.conversations()[0] ?? [];
    expect(textOf(system?.content)).toContain(workspace.folder);
    expect(textOf(system?.content)).toContain('Indent with three spaces.');
    expect(textOf(system?.content)).toContain('bash');
  });
});

describe('calls that cannot be run', () => {
  it('are answered to the model without reaching the client', async () => {
    const { results, workspace } = await callTools([
      { name: 'read_fil', args: { path: 'a.txt' } },
      { name: 'read_file', args: {} },
    ]);
    expect(results[0]).toContain('read_file');
    expect(results[1]).toContain('path');
    expect(workspace.executions).toEqual([]);
  });
});

describe('several calls at once', () => {
  it('run side by side, and their results keep the order of the calls', async () => {
    stage = await openStage({
      rounds: [['a.txt', 'b.txt'].map((path) => ({ name: 'read_file', args: { path } }))],
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { agent } = await stage.agent('http2', {
      files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
      // The first is answered only after the second has begun.
      before: ({ args }) => {
        if (args.case === 'readArgs' && args.value.path.endsWith('a.txt')) return released;
        release();
      },
    });
    const { record, end } = await agent.send('Do it.');
    expect(end).toEqual({ kind: 'done' });
    expect(record.violations).toEqual([]);
    const [first, second] = stage.model?.results() ?? [];
    expect(first).toContain('alpha');
    expect(second).toContain('beta');
  });
});
