// Every built-in tool that the client runs: offered where it should be, a success and a failure, both drawn.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { findClientTool } from '../../catalogue/index.ts';
import { estimatedUsage, type JsonObject, MODES, type Mode } from '../../core/index.ts';
import { McpToolDefinitionSchema } from '../../gen/agent/v1/mcp_pb.ts';
import { RequestContextEnvSchema } from '../../gen/agent/v1/request_context_pb.ts';
import type { ToolCall } from '../../gen/agent/v1/tool_call_pb.ts';
import type { ExecArgs, Query } from '../../native/remote-port.ts';
import { ASK_QUESTION_GATE, isReadOnlyMode } from '../modes.ts';
import { succeed } from '../tool-outcome.ts';
import { describeRemoteCall } from './describe-remote-call.ts';
import { type AnswerInit, DiskClient, type ResultInit } from './fixtures/disk-client.ts';
import { callOf, createBench, type RemoteBench, textIn } from './fixtures/remote-bench.ts';
import { REMOTE_TOOLS } from './remote-registry.ts';

interface Case {
  readonly good: JsonObject;
  readonly bad: JsonObject;
  readonly mode?: Mode;
}

const CASES: Readonly<Record<string, Case>> = {
  read_file: { good: { path: 'a.txt' }, bad: { path: 'no.txt' } },
  write: { good: { path: 'n.txt', contents: 'n' }, bad: { path: 'locked.txt', contents: 'n' } },
  search_replace: {
    good: { path: 'a.txt', old_string: 'one', new_string: 'two' },
    bad: { path: 'a.txt', old_string: 'zzz', new_string: 'two' },
  },
  apply_patch: {
    good: { patch: '*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch' },
    bad: { patch: 'no patch' },
  },
  edit_notebook: {
    good: { target_notebook: 'n.ipynb', cell_idx: 0, is_new_cell: true, new_string: 'print(1)' },
    bad: { target_notebook: 'a.txt', cell_idx: 0, is_new_cell: false, new_string: 'x' },
  },
  edit_file: {
    good: { path: 'a.txt', old_string: 'one', new_string: 'two' },
    bad: { path: 'a.txt', code_edit: 'x\n// ... existing code ...\ny' },
  },
  delete_file: { good: { path: 'a.txt' }, bad: { path: 'no.txt' } },
  list_dir: { good: {}, bad: { target_directory: 'no' } },
  grep: { good: { pattern: 'one' }, bad: { pattern: '(' } },
  glob_file_search: { good: { glob_pattern: '*.txt' }, bad: {} },
  read_lints: { good: { paths: ['a.txt'] }, bad: { paths: [] } },
  run_terminal_command: { good: { command: 'echo hi' }, bad: { command: 'refused' } },
  write_shell_stdin: { good: { shell_id: '1', chars: 'y' }, bad: { shell_id: '2', chars: 'y' } },
  await: { good: { task_id: '1' }, bad: { task_id: '2' } },
  todo_read: { good: {}, bad: { status: ['no such'] } },
  todo_write: { good: { todos: [{ id: 'a', content: 'x' }] }, bad: { merge: true, todos: [{ id: 'z' }] } },
  create_plan: { good: { plan: '# P' }, bad: {}, mode: 'plan' },
  ask_question: {
    good: { questions: [{ id: 'good', prompt: '?' }] },
    bad: { questions: [{ id: 'bad', prompt: '?' }] },
  },
  switch_mode: { good: { target_mode_id: 'plan' }, bad: { target_mode_id: 'debug' } },
  task: { good: { prompt: 'p', description: 'd' }, bad: { prompt: 'fail', description: 'd' } },
  await_task: { good: { ids: ['a1'] }, bad: { ids: ['a2'] } },
  web_search: { good: { search_term: 'good' }, bad: { search_term: 'bad' } },
  web_fetch: { good: { url: 'https://good/' }, bad: { url: 'https://bad/' } },
  generate_image: { good: { description: 'good' }, bad: { description: 'bad' } },
  computer_use: { good: { actions: [{ type: 'screenshot' }] }, bad: { actions: [] } },
  record_screen: { good: { mode: 'start' }, bad: { mode: 'discard' } },
  mcp: { good: { name: 'good', server: 's' }, bad: { name: 'nope', server: 's' } },
  call_mcp_tool: { good: { toolName: 'good', server: 's' }, bad: { toolName: 'nope', server: 's' } },
  get_mcp_tools: { good: {}, bad: { server: 5 } },
  list_mcp_resources: { good: {}, bad: { server: 'bad' } },
  read_mcp_resource: { good: { server: 's', uri: 'good' }, bad: { server: 's', uri: 'bad' } },
  mcp_auth: { good: { server_identifier: 'good' }, bad: { server_identifier: 'bad' } },
};

function answerExec(args: ExecArgs): ResultInit | undefined {
  switch (args.case) {
    case 'writeArgs':
      return args.value.path.endsWith('locked.txt')
        ? {
            case: 'writeResult',
            value: {
              result: { case: 'permissionDenied', value: { path: args.value.path, error: 'locked' } },
            },
          }
        : undefined;
    case 'shellStreamArgs':
      return args.value.command === 'refused'
        ? { case: 'shellStream', value: { event: { case: 'permissionDenied', value: { error: 'no' } } } }
        : undefined;
    case 'writeShellStdinArgs':
      return args.value.shellId === 1
        ? { case: 'writeShellStdinResult', value: { result: { case: 'success', value: { shellId: 1 } } } }
        : {
            case: 'writeShellStdinResult',
            value: { result: { case: 'error', value: { error: 'no shell' } } },
          };
    case 'subagentArgs':
      return args.value.prompt === 'fail'
        ? { case: 'subagentResult', value: { result: { case: 'error', value: { error: 'lost' } } } }
        : { case: 'subagentResult', value: { result: { case: 'success', value: { finalMessage: 'done' } } } };
    case 'subagentAwaitArgs':
      return args.value.agentId === 'a1'
        ? { case: 'subagentAwaitResult', value: { result: { case: 'complete', value: { agentId: 'a1' } } } }
        : { case: 'subagentAwaitResult', value: { result: { case: 'notFound', value: { agentId: 'a2' } } } };
    case 'fetchArgs':
      return {
        case: 'fetchResult',
        value: { result: { case: 'success', value: { url: args.value.url, content: 'page' } } },
      };
    case 'computerUseArgs':
      return { case: 'computerUseResult', value: { result: { case: 'success', value: { actionCount: 1 } } } };
    case 'recordScreenArgs':
      return args.value.mode === 1
        ? { case: 'recordScreenResult', value: { result: { case: 'startSuccess', value: {} } } }
        : {
            case: 'recordScreenResult',
            value: { result: { case: 'failure', value: { error: 'none runs' } } },
          };
    case 'mcpArgs':
      return { case: 'mcpResult', value: { result: { case: 'success', value: {} } } };
    case 'listMcpResourcesExecArgs':
      return args.value.server === 'bad'
        ? {
            case: 'listMcpResourcesExecResult',
            value: { result: { case: 'rejected', value: { reason: 'no' } } },
          }
        : { case: 'listMcpResourcesExecResult', value: { result: { case: 'success', value: {} } } };
    case 'readMcpResourceExecArgs':
      return args.value.uri === 'bad'
        ? { case: 'readMcpResourceExecResult', value: { result: { case: 'error', value: { error: 'no' } } } }
        : {
            case: 'readMcpResourceExecResult',
            value: { result: { case: 'success', value: { uri: 'good' } } },
          };
    default:
      return undefined;
  }
}

function answerQuery(query: Query): AnswerInit | undefined {
  const isGood =
    JSON.stringify(query.value, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)).match(
      /good|plan/,
    ) !== null;
  const approval = isGood
    ? { result: { case: 'approved' as const, value: {} } }
    : { result: { case: 'rejected' as const, value: { reason: 'no' } } };
  switch (query.case) {
    case 'webSearchRequestQuery':
      return { case: 'webSearchRequestResponse', value: approval } as AnswerInit; // one of the two above
    case 'webFetchRequestQuery':
      return { case: 'webFetchRequestResponse', value: approval } as AnswerInit; // the same
    case 'generateImageRequestQuery':
      return { case: 'generateImageRequestResponse', value: approval } as AnswerInit; // the same
    case 'mcpAuthRequestQuery':
      return { case: 'mcpAuthRequestResponse', value: approval } as AnswerInit; // the same
    case 'switchModeRequestQuery':
      return { case: 'switchModeRequestResponse', value: approval } as AnswerInit; // the same
    case 'askQuestionInteractionQuery':
      return {
        case: 'askQuestionInteractionResponse',
        value: {
          result: isGood
            ? { result: { case: 'success', value: {} } }
            : { result: { case: 'rejected', value: { reason: 'no' } } },
        },
      };
    case 'createPlanRequestQuery':
      return {
        case: 'createPlanRequestResponse',
        value: { result: { result: { case: 'success', value: {} } } },
      };
    default:
      return undefined;
  }
}

const definition = create(McpToolDefinitionSchema, {
  name: 's-good',
  providerIdentifier: 's',
  toolName: 'good',
});

function fullBench(): RemoteBench {
  const env = create(RequestContextEnvSchema, { computerUseSupported: true });
  const source = { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } as const;
  const bench = createBench(
    { mcpTools: [definition], onExec: answerExec, onQuery: answerQuery, context: { supportsMcpAuth: true } },
    {
      gates: { [ASK_QUESTION_GATE]: true },
      clientSubAgents: { model: 'up/m' },
      webSearch: async () => succeed('found', { data: { references: [] } }),
      generateImage: async () => succeed('made', { parts: [{ type: 'image', source }] }),
      wait: async () => undefined,
    },
  );
  Object.assign(bench.client.requestContext?.env ?? {}, { computerUseSupported: env.computerUseSupported });
  writeFileSync(path.join(bench.folder, 'a.txt'), 'one\n');
  mkdirSync(path.join(bench.folder, '.terminals'));
  writeFileSync(path.join(bench.folder, '.terminals/1.txt'), 'out\n---\nexit_code: 0\n---\n');
  return bench;
}

const runSubTask = async () => ({ text: 'done', usage: estimatedUsage(0, 0) });

describe.each(REMOTE_TOOLS.map(({ tool }) => tool))('$name at the client', (tool) => {
  const { good, bad, mode = 'agent' } = CASES[tool.name] ?? { good: {}, bad: {} };

  it('has cases in this table', () => {
    expect(CASES).toHaveProperty(tool.name);
  });

  it.each([
    ['a success', good, undefined],
    ['a failure', bad, true],
  ] as const)('draws %s from start to end', async (_what, args, isError) => {
    const bench = fullBench();
    const result = await bench.run(tool.name, args, { mode, runSubTask });
    expect(textIn(result)).not.toBe('');
    expect(result.isError).toBe(isError);
    expect(bench.client.shown.map(({ state }) => state)).toEqual(['started', 'completed']);
    const member = findClientTool(tool.number)?.agentToolCall?.name ?? '';
    for (const { call, callId } of bench.client.shown) {
      expect(call.toolCallId).toBe(callId);
      expect(snake(call.tool.case)).toBe(member);
    }
    const [started, completed] = bench.client.shown.map(({ call }) => call);
    expect(hasResult(started)).toBe(false);
    expect(hasResult(completed)).toBe(true);
    for (const exec of bench.client.execs) expectShellForm(exec, bench.folder);
  });

  it('changes nothing in a mode that only reads, whatever name the call uses', async () => {
    if (tool.risk !== 'write' && tool.risk !== 'execute') return;
    for (const name of [tool.name, ...(findClientTool(tool.number)?.names ?? [])]) {
      const bench = fullBench();
      const result = await bench.run(name, good, { mode: 'chat' });
      expect(result.isError, name).toBe(true);
      expect(bench.client.execs, name).toEqual([]);
    }
  });
});

function hasResult(call: ToolCall | undefined): boolean {
  const value = call?.tool.value;
  return value !== undefined && 'result' in value && value.result !== undefined;
}

function snake(name: string | undefined): string {
  return (name ?? '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function expectShellForm(exec: ExecArgs, folder: string): void {
  if (
    exec.case !== 'shellArgs' &&
    exec.case !== 'shellStreamArgs' &&
    exec.case !== 'backgroundShellSpawnArgs'
  )
    return;
  expect(exec.value.parsingResult).toBeDefined();
  expect(exec.value.workingDirectory).toBe(folder);
}

describe('what a model is offered', () => {
  const signal = new AbortController().signal;

  it('has canonical names, descriptions and object schemas', async () => {
    for (const tool of await fullBench().tools.list('agent', signal)) {
      if (tool.kind !== 'function') throw new Error(`${tool.name} is no function`);
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      if (!tool.name.startsWith('mcp_s_')) expect(tool.description).toBeTruthy();
      expect(tool.parameters, tool.name).toMatchObject({ type: 'object' });
      expect(tool.parameters).not.toHaveProperty('$schema');
    }
  });

  it('can be called: nothing is offered that the mode then refuses', async () => {
    for (const mode of MODES) {
      const bench = fullBench();
      const names = (await bench.tools.list(mode, signal)).map((tool) => tool.name);
      for (const name of names) {
        const args = CASES[name]?.good ?? {};
        const text = textIn(await bench.run(name, args, { mode, runSubTask }));
        expect(text, `${name} in ${mode}`).not.toMatch(/is not available in|only reads/);
      }
    }
  });

  it('changes nothing in modes that only read', async () => {
    for (const mode of MODES.filter(isReadOnlyMode)) {
      const names = (await fullBench().tools.list(mode, signal)).map((tool) => tool.name);
      expect(names).toEqual(expect.arrayContaining(['read_file', 'grep', 'list_dir', 'todo_write']));
      for (const name of [
        'write',
        'search_replace',
        'apply_patch',
        'delete_file',
        'run_terminal_command',
        'mcp_s_good',
      ])
        expect(names).not.toContain(name);
    }
  });

  it('is no more than the caller allows, and no other call runs', async () => {
    const { tools, run, client } = createBench({
      allowedTools: ['read_tool_call', 'grep_tool_call'],
      mcpTools: [definition],
    });
    expect((await tools.list('agent', signal)).map((tool) => tool.name)).toEqual(['read_file', 'grep']);
    for (const name of ['write', 'bash', 'mcp_s_good', 'good'])
      expect(textIn(await run(name, { path: 'a', contents: '', command: 'ls' }))).toContain('caller allows');
    expect(client.execs).toEqual([]);
  });

  it('includes the client’s own tools when they are allowed alone', async () => {
    const { tools } = createBench({ allowedTools: ['mcp_tool_call'], mcpTools: [definition] });
    expect((await tools.list('agent', signal)).map((tool) => tool.name)).toEqual(['mcp_s_good']);
  });
});

describe('calls that make no sense', () => {
  it('get the nearest name', async () => {
    const { run, client } = createBench();
    const result = await run('read_fil', {});
    expect(textIn(result)).toMatch(/There is no tool "read_fil" here\. Nearest: read_file/);
    expect(client.shown.map(({ call }) => call.tool.case)).toEqual(['mcpToolCall', 'mcpToolCall']);
    expect(textIn(await run('codebase_search', { query: 'x' }))).toContain('There is no tool');
  });

  it('are told what is wrong with their arguments', async () => {
    const { run, tools } = createBench();
    expect(textIn(await run('read_file', { offset: 'x' }))).toContain('The arguments of read_file are wrong');
    const broken = { ...callOf('read_file', {}), argumentsText: '{"path": ', inputProblem: 'cut off' };
    const { input: _input, ...call } = broken;
    const context = {
      mode: 'agent' as const,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    };
    expect(textIn(await tools.run(call, context))).toContain('they are not JSON (cut off)');
  });

  it('may be free text where the tool takes text', async () => {
    const { tools, folder } = createBench();
    writeFileSync(path.join(folder, 'a.txt'), 'one\n');
    const argumentsText = '*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch';
    const context = {
      mode: 'agent' as const,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    };
    const result = await tools.run(
      { callId: 'c', name: 'ApplyPatch', kind: 'custom', argumentsText },
      context,
    );
    expect(result.isError).toBeUndefined();
  });
});

describe('how calls may run', () => {
  it('is what the tools say', () => {
    const { tools } = createBench();
    expect(tools.parallelOf(callOf('Read', { path: 'a' }))).toBe('any');
    expect(tools.parallelOf(callOf('grep', { pattern: 'a' }))).toBe('few');
    expect(tools.parallelOf(callOf('Write', { path: 'a', contents: '' }))).toBe('alone');
    expect(tools.parallelOf(callOf('nope', {}))).toBe('any');
    expect(tools.isReadOnly(callOf('Read', { path: 'a' }))).toBe(true);
    expect(tools.isReadOnly(callOf('web_fetch', { url: 'u' }))).toBe(true);
    expect(tools.isReadOnly(callOf('todo_write', { todos: [] }))).toBe(false);
    expect(tools.isReadOnly(callOf('bash', { command: 'ls' }))).toBe(false);
    expect(tools.isReadOnly(callOf('read_mcp_resource', { server: 's', uri: 'u' }))).toBe(true);
    expect(tools.isReadOnly(callOf('read_mcp_resource', { server: 's', uri: 'u', path: 'x' }))).toBe(false);
  });
});

describe('a call that is still being written', () => {
  const port = new DiskClient('/w', { mcpTools: [definition] });

  it('is drawn with as much as there is', () => {
    const drawn = (name: string, argumentsText: string) =>
      describeRemoteCall({ callId: 'c', name, argumentsText }, port).tool;
    expect(drawn('write', '{"path": "a.ts", "contents": "let a')).toMatchObject({
      case: 'editToolCall',
      value: { args: { path: 'a.ts', streamContent: 'let a' } },
    });
    expect(drawn('Shell', '{"command": "ls -')).toMatchObject({
      case: 'shellToolCall',
      value: { args: { command: 'ls -' } },
    });
    expect(drawn('read_file', '')).toMatchObject({ case: 'readToolCall' });
    expect(drawn('mcp_s_good', '{"a": [1, {"b": tr')).toMatchObject({
      case: 'mcpToolCall',
      value: { args: { toolName: 'good', providerIdentifier: 's' } },
    });
    expect(drawn('whatever', '{')).toMatchObject({
      case: 'mcpToolCall',
      value: { args: { name: 'whatever' } },
    });
  });

  it('never fails to be drawn, wherever the text is cut', () => {
    for (const [name, { good }] of Object.entries(CASES)) {
      const text = JSON.stringify(good);
      for (let end = 0; end <= text.length; end++)
        expect(
          describeRemoteCall({ callId: 'c', name, argumentsText: text.slice(0, end) }, port).toolCallId,
        ).toBe('c');
    }
  });
});
