import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countingIds, type JsonObject } from '../core/index.ts';
import { Approvals, createMemoryApprovalStore } from './approvals/index.ts';
import type { LifecycleEvent } from './envelope.ts';
import { defaultPolicy, Policy, type RuleConfig } from './policy/index.ts';
import { defineResource } from './resources.ts';
import { createFolderLedger } from './runtime/call-ledger.ts';
import type { McpPort } from './runtime/mcp-port.ts';
import { createToolRuntime, type ToolRuntime, type ToolRuntimeOptions } from './runtime.ts';
import { defineTool, MODES, type Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { fail, succeed, type ToolOutcome } from './tool-outcome.ts';
import { Workspace } from './workspace.ts';

let folder = '';
let workspace: Workspace;
let approvals: Approvals;
let runs: string[] = [];
let events: LifecycleEvent[] = [];
const open: ToolRuntime[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'runtime-'));
  mkdirSync(path.join(folder, 'project/src'), { recursive: true });
  mkdirSync(path.join(folder, 'outside'));
  workspace = new Workspace(path.join(folder, 'project'));
  approvals = new Approvals({
    store: createMemoryApprovalStore(),
    timeoutMs: 60_000,
    nowMs: () => 0,
    newId: countingIds(),
    schedule: () => () => undefined,
  });
  runs = [];
  events = [];
});

afterEach(async () => {
  for (const runtime of open.splice(0)) await runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

type Run = (args: { path: string }, context: ToolContext) => Promise<ToolOutcome>;

function pathTool(more: Partial<Tool> & { run?: Run; access?: 'read' | 'write' }): Tool {
  const { access = 'read', run, ...rest } = more;
  return {
    ...defineTool<{ path: string; limit?: number | undefined }>({
      number: 40,
      name: 'read_file',
      description: '',
      args: z.strictObject({ path: z.string(), limit: z.number().int().min(1).optional() }),
      risk: access,
      modes: MODES,
      parallel: 'any',
      status: 'local',
      touches: (args, context) => [{ type: 'path', path: context.workspace.absolute(args.path), access }],
      run: async (args, context) => {
        runs.push(args.path);
        return run ? run(args, context) : succeed(`read ${args.path}`);
      },
    }),
    ...rest,
  };
}

const editTool = (more: Parameters<typeof pathTool>[0] = {}) =>
  pathTool({ number: 38, name: 'search_replace', access: 'write', parallel: 'alone', ...more });

const shellTool = defineTool<{ command: string }>({
  number: 15,
  name: 'run_terminal_cmd',
  description: '',
  args: z.object({ command: z.string() }),
  risk: 'execute',
  modes: MODES,
  parallel: 'alone',
  status: 'local',
  touches: ({ command }, context) => [{ type: 'command', command, cwd: context.workspace.root }],
  run: async ({ command }) => {
    runs.push(command);
    return succeed(`ran ${command}`);
  },
  preview: ({ command }) => command,
});

interface Setup extends Partial<Omit<ToolRuntimeOptions, 'policy'>> {
  readonly policy?: Parameters<typeof defaultPolicy>[0];
}

function start({ policy = { setting: 'auto-accept' }, ...more }: Setup = {}): ToolRuntime {
  const runtime = createToolRuntime({
    workspace,
    tools: [pathTool({}), editTool(), shellTool],
    policy: new Policy({ user: defaultPolicy(policy) }, { homeFolder: '/home/user' }),
    approvals,
    mode: 'agent',
    stateFolder: path.join(folder, 'state'),
    nowMs: () => 0,
    ...more,
  });
  runtime.subscribe((event) => events.push(event));
  open.push(runtime);
  return runtime;
}

let nextId = 1;
const call = (name: string, args: JsonObject, id = `call_${nextId++}`) => ({ id, name, args });
const pendingApproval = async () => {
  await expect.poll(() => events.some((event) => event.type === 'awaiting-approval')).toBe(true);
  const [approval] = await approvals.list('pending');
  if (!approval) throw new Error('no approval is pending');
  return approval;
};

describe('a call', () => {
  it('runs and tells its life', async () => {
    const outcome = await start().call(call('Read', { path: 'src/a.ts' }, 'c1'));
    expect(outcome).toMatchObject({ ok: true, content: 'read src/a.ts', attachments: { duration_ms: 0 } });
    expect(events.map((event) => event.type)).toEqual(['started', 'running', 'completed']);
    expect(events.at(-1)).toMatchObject({ callId: 'c1', name: 'Read', toolNumber: 40, outcome });
  });

  it.each(['read_file', 'Read', 'READ_FILE_V2', 'read-file', 'ReadFile'])(
    'is found by the name %s',
    async (name) => {
      expect(await start().call(call(name, { path: 'a' }))).toMatchObject({ ok: true });
    },
  );

  it('with a wrong name is told the nearest ones', async () => {
    const outcome = await start().call(call('serch_replace', { path: 'a' }));
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', message: expect.stringContaining('search_replace') },
    });
  });

  it('with wrong arguments is told every problem', async () => {
    const outcome = await start().call(call('Read', { limit: 0, pth: 'a' }));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
    if (outcome.ok) return;
    expect(outcome.error.message).toContain('`path` is missing (string)');
    expect(outcome.error.message).toContain('`pth` is not an argument');
    expect(outcome.error.message).toContain('`limit`');
    expect(runs).toEqual([]);
  });

  it('chooses among tools of one number by what the arguments fit', async () => {
    const write = pathTool({
      number: 38,
      name: 'write',
      access: 'write',
      args: z.strictObject({ path: z.string(), contents: z.string() }),
    });
    const runtime = start({ tools: [editTool(), write] });
    expect(await runtime.call(call('edit_file_v2', { path: 'a', contents: 'x' }))).toMatchObject({
      ok: true,
    });
    const chosen = start({ tools: [editTool(), write], choose: () => 'write' });
    expect(await chosen.call(call('StrReplace', { path: 'a' }))).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
  });

  it('that throws is a failure, not a crash', async () => {
    const broken = pathTool({ run: async () => Promise.reject(new Error('disk on fire')) });
    const outcome = await start({ tools: [broken] }).call(call('Read', { path: 'a' }));
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'FAILED', message: expect.stringContaining('disk on fire') },
      attachments: { error_details: { code: 'FAILED' } },
    });
  });

  it('streams its progress', async () => {
    const slow = pathTool({
      run: async (_, context) => {
        context.progress({ text: 'half', fraction: 0.5 });
        return succeed('done');
      },
    });
    await start({ tools: [slow] }).call(call('Read', { path: 'a' }));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'progress', progress: { text: 'half', fraction: 0.5 } }),
    );
  });

  it('is not disturbed by a listener that throws', async () => {
    const runtime = start();
    runtime.subscribe(() => {
      throw new Error('bad listener');
    });
    expect(await runtime.call(call('Read', { path: 'a' }))).toMatchObject({ ok: true });
  });
});

describe('at most once', () => {
  it('a repeated id gives the same outcome and runs nothing', async () => {
    const runtime = start();
    const same = call('Read', { path: 'a' }, 'again');
    const [first, second] = await Promise.all([runtime.call(same), runtime.call(same)]);
    expect(await runtime.call(same)).toBe(first);
    expect(second).toBe(first);
    expect(runs).toEqual(['a']);
  });

  it('an id with other arguments is refused', async () => {
    const runtime = start();
    await runtime.call(call('Read', { path: 'a' }, 'again'));
    expect(await runtime.call(call('Read', { path: 'b' }, 'again'))).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
    expect(runs).toEqual(['a']);
  });
});

describe('at most once through a restart', () => {
  const ledger = () => createFolderLedger(path.join(folder, 'calls'));

  it('a call that ended gives its outcome again', async () => {
    const same = call('search_replace', { path: 'a' }, 'kept');
    const first = await start({ ledger: ledger() }).call(same);
    expect(await start({ ledger: ledger() }).call(same)).toEqual(first);
    expect(runs).toEqual(['a']);
  });

  it('a call that was cut off is not run again', async () => {
    const hang = editTool({ run: () => new Promise(() => undefined) });
    void start({ ledger: ledger(), tools: [hang], cancelGraceMs: 1 }).call(
      call('search_replace', { path: 'a' }, 'cut'),
    );
    await expect.poll(() => runs).toEqual(['a']);
    const outcome = await start({ ledger: ledger() }).call(call('search_replace', { path: 'a' }, 'cut'));
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'FAILED', message: expect.stringContaining('not run again') },
    });
    expect(runs).toEqual(['a']);
  });

  it('reading is simply done again', async () => {
    for (let round = 0; round < 2; round++)
      await start({ ledger: ledger() }).call(call('Read', { path: 'a' }, 'r'));
    expect(runs).toEqual(['a', 'a']);
  });
});

describe('policy and approval', () => {
  it('a denied call does not run and says which rule', async () => {
    const rules: RuleConfig[] = [{ id: 'no-src', decision: 'deny', path: 'src/**' }];
    const outcome = await start({ policy: { setting: 'run-everything', rules } }).call(
      call('Write', { path: 'src/a.ts' }),
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'DENIED', message: expect.stringContaining('no-src') },
    });
    expect(runs).toEqual([]);
  });

  it('an asked call waits, and runs when it is allowed once', async () => {
    const runtime = start();
    const outcome = runtime.call(call('Shell', { command: 'npm publish' }, 'c9'));
    const approval = await pendingApproval();
    expect(approval).toMatchObject({
      callId: 'c9',
      risk: 'execute',
      preview: 'npm publish',
      rule: 'builtin:unknown-command',
    });
    expect(runs).toEqual([]);
    await approvals.answer(approval.id, { type: 'once' });
    expect(await outcome).toMatchObject({ ok: true });
    expect(events.map((event) => event.type)).toEqual([
      'started',
      'awaiting-approval',
      'running',
      'completed',
    ]);
    void runtime.call(call('Shell', { command: 'npm publish' }));
    await expect.poll(() => approvals.list('pending')).toHaveLength(1);
  });

  it('always adds a rule and asks no more', async () => {
    const kept: RuleConfig[] = [];
    const runtime = start({ onRule: (rule) => void kept.push(rule) });
    const outcome = runtime.call(call('Shell', { command: 'npm publish' }));
    await approvals.answer((await pendingApproval()).id, { type: 'always' });
    await outcome;
    expect(kept).toEqual([{ decision: 'allow', command: ['npm publish $'] }]);
    expect(await runtime.call(call('Shell', { command: 'npm publish' }))).toMatchObject({ ok: true });
    expect(runs).toHaveLength(2);
  });

  it('a refusal reaches the model with what the user said', async () => {
    const outcome = start().call(call('Shell', { command: 'npm publish' }));
    await approvals.answer((await pendingApproval()).id, { type: 'deny', feedback: 'use npm pack' });
    expect(await outcome).toMatchObject({
      ok: false,
      error: { code: 'DENIED', message: expect.stringContaining('use npm pack') },
    });
    expect(runs).toEqual([]);
  });

  it('silence means no', async () => {
    const expire: (() => void)[] = [];
    approvals = new Approvals({
      store: createMemoryApprovalStore(),
      timeoutMs: 5,
      nowMs: () => 0,
      newId: countingIds(),
      schedule: (_, fire) => {
        expire.push(fire);
        return () => undefined;
      },
    });
    const outcome = start().call(call('Shell', { command: 'npm publish' }));
    await pendingApproval();
    for (const fire of expire) fire();
    expect(await outcome).toMatchObject({
      ok: false,
      error: { code: 'DENIED', message: expect.stringContaining('in time') },
    });
  });

  it('always is not offered when an administrator holds the settings', async () => {
    void start({ policy: { setting: 'auto-accept', isAdminControlled: true } }).call(
      call('Shell', { command: 'npm publish' }),
    );
    expect(await pendingApproval()).not.toHaveProperty('alwaysRule');
  });

  it('a link swapped while the approval waits is not followed', async () => {
    const outcome = start().call(call('Write', { path: '.config/a' }));
    const approval = await pendingApproval();
    symlinkSync('../outside', path.join(workspace.root, '.config'));
    await approvals.answer(approval.id, { type: 'once' });
    expect(await outcome).toMatchObject({
      ok: false,
      error: { code: 'DENIED', message: expect.stringContaining('changed since it was judged') },
    });
    expect(runs).toEqual([]);
  });

  it('a link swapped between the judgement and the run is not followed', async () => {
    let looks = 0;
    const reader = pathTool({});
    const swapping: Tool = {
      ...reader,
      touches: (args, context) => {
        looks += 1;
        if (looks === 2) symlinkSync('../../outside', path.join(workspace.root, 'src/new'));
        return reader.touches(args, context);
      },
    };
    const outcome = await start({ tools: [swapping] }).call(call('Read', { path: 'src/new/data.txt' }));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(runs).toEqual([]);
  });
});

describe('modes', () => {
  it.each(['chat', 'plan', 'search'] as const)(
    '%s mode neither writes nor runs, by whatever name',
    async (mode) => {
      const runtime = start({ mode, policy: { setting: 'run-everything' } });
      for (const name of [
        'Write',
        'StrReplace',
        'edit_file',
        'search-replace',
        'MultiEdit',
        'EDIT_FILE_V2',
      ]) {
        expect(await runtime.call(call(name, { path: 'a' })), name).toMatchObject({
          ok: false,
          error: { code: 'WRONG_MODE' },
        });
      }
      for (const name of ['Shell', 'bash', 'run_terminal_command_v2', 'RunTerminalCmd']) {
        expect(await runtime.call(call(name, { command: 'ls' })), name).toMatchObject({
          ok: false,
          error: { code: 'WRONG_MODE' },
        });
      }
      expect(await runtime.call(call('Read', { path: 'a' }))).toMatchObject({ ok: true });
      expect(runs).toEqual(['a']);
    },
  );

  it('a switched mode holds for the next call', async () => {
    const runtime = start({ mode: 'plan' });
    expect(await runtime.call(call('Write', { path: 'a' }))).toMatchObject({ ok: false });
    runtime.switchMode('agent');
    expect(await runtime.call(call('Write', { path: 'a' }))).toMatchObject({ ok: true });
    expect(runtime.declare().supportedTools).toEqual([15, 38, 40]);
  });
});

describe('running together', () => {
  function gated() {
    const waiting: (() => void)[] = [];
    let most = 0;
    let now = 0;
    const run: Run = async ({ path: name }) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => waiting.push(resolve));
      now -= 1;
      return succeed(name);
    };
    const release = async (count: number) => {
      await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(count);
      for (const resume of waiting.splice(0)) resume();
    };
    return { run, release, most: () => most };
  }

  it('readers run at once, an edit runs alone and in its turn', async () => {
    const gate = gated();
    const runtime = start({ tools: [pathTool({ run: gate.run }), editTool()] });
    const all = [
      runtime.call(call('Read', { path: 'a' })),
      runtime.call(call('Read', { path: 'b' })),
      runtime.call(call('search_replace', { path: 'c' })),
      runtime.call(call('Read', { path: 'd' })),
    ];
    await gate.release(2);
    await all[2];
    await gate.release(1);
    await Promise.all(all);
    expect([runs.slice(0, 2).sort(), ...runs.slice(2)]).toEqual([['a', 'b'], 'c', 'd']);
    expect(gate.most()).toBe(2);
  });

  it('of a tool that allows few, five run at once', async () => {
    const gate = gated();
    const runtime = start({ tools: [pathTool({ run: gate.run, parallel: 'few' })] });
    const all = Array.from({ length: 8 }, (_, index) => runtime.call(call('Read', { path: `f${index}` })));
    await gate.release(5);
    await gate.release(3);
    await Promise.all(all);
    expect(gate.most()).toBe(5);
  });

  it('a call made inside another does not wait for it', async () => {
    const runtime: ToolRuntime = start({
      tools: [
        editTool({
          run: (_, context) => runtime.call(call('Read', { path: 'inner' }), { parentId: context.callId }),
        }),
        pathTool({}),
      ],
    });
    expect(await runtime.call(call('search_replace', { path: 'outer' }))).toMatchObject({
      content: 'read inner',
    });
  });
});

describe('cancelling', () => {
  it('reaches the tool that runs', async () => {
    const tool = pathTool({
      run: (_, context) =>
        new Promise((resolve) =>
          context.signal.addEventListener('abort', () => resolve(fail('ECANCELED', 'stopped'))),
        ),
    });
    const runtime = start({ tools: [tool] });
    const outcome = runtime.call(call('Read', { path: 'a' }, 'long'));
    await expect.poll(() => runs).toHaveLength(1);
    expect(runtime.cancel('long')).toBe(true);
    expect(await outcome).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
    expect(runtime.cancel('long')).toBe(false);
    expect(runtime.cancel('unknown')).toBe(false);
  });

  it('does not wait long for a tool that does not listen', async () => {
    const runtime = start({
      tools: [pathTool({ run: () => new Promise(() => undefined) })],
      cancelGraceMs: 1,
    });
    const controller = new AbortController();
    const outcome = runtime.call(call('Read', { path: 'a' }), { signal: controller.signal });
    await expect.poll(() => runs).toHaveLength(1);
    controller.abort();
    expect(await outcome).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });

  it('takes back a call that waits for approval', async () => {
    const runtime = start();
    const outcome = runtime.call(call('Shell', { command: 'npm publish' }, 'w'));
    await pendingApproval();
    runtime.cancel('w');
    expect(await outcome).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
    expect(await approvals.list('cancelled')).toHaveLength(1);
    expect(runs).toEqual([]);
  });
});

describe('results', () => {
  it('a long one is cut, and the whole of it is in a file for the user alone', async () => {
    const text = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
    const runtime = start({
      tools: [pathTool({ run: async () => succeed(text) })],
      maxContentCharacters: 1_000,
    });
    const outcome = await runtime.call(call('Read', { path: 'a' }, '../../evil'));
    const location = outcome.attachments?.output_location;
    if (!outcome.ok || location === undefined) throw new Error('expected a trimmed result');
    expect(outcome.content.length).toBeLessThan(1_500);
    expect(outcome.content).toContain(location);
    expect(path.dirname(location)).toBe(path.join(folder, 'state/outputs'));
    expect(readFileSync(location, 'utf8')).toBe(text);
    expect(statSync(location).mode & 0o777).toBe(0o600);
  });

  it('a reminder comes when much has been read and nothing done, and goes with the first change', async () => {
    const runtime = start({ discoveryBudget: 5 });
    const read = async () => (await runtime.call(call('Read', { path: 'a' }))).attachments?.todo_reminder;
    expect([await read(), await read(), await read()]).toEqual([undefined, undefined, undefined]);
    expect(await read()).toEqual({
      type: 'DISCOVERY_BUDGET',
      message: "You've used 80% of your search budget",
    });
    await runtime.call(call('search_replace', { path: 'a' }));
    expect(await read()).toBeUndefined();
  });
});

describe('MCP', () => {
  const port = (isReadOnly: boolean, isChanged = false): McpPort => ({
    resolve: async (name) =>
      name === 'mcp_docs_search'
        ? { server: 'docs', tool: 'search' }
        : fail('UNKNOWN_TOOL', `No MCP server has a tool "${name}".`),
    change: () => (isChanged ? '-Searches.\n+Searches and deletes.' : undefined),
    list: () => [{ server: 'docs', tools: [{ name: 'search', isReadOnly }] }],
    facts: () => ({ isReadOnly, isChanged }),
    call: async (target, args) => {
      runs.push(`${target.server}:${target.tool}`);
      return succeed(JSON.stringify(args));
    },
  });
  const rules: RuleConfig[] = [{ decision: 'allow', mcp: 'docs:search' }];

  it('unknown names go to the port, through the same policy', async () => {
    const allowed = start({ mcp: port(false), policy: { setting: 'auto-accept', rules } });
    expect(await allowed.call(call('mcp_docs_search', { q: 'x' }))).toMatchObject({
      ok: true,
      content: '{"q":"x"}',
    });
    expect(events.at(-1)).toMatchObject({ toolNumber: 19 });
    void start({ mcp: port(false) }).call(call('mcp_docs_search', { q: 'x' }));
    expect(await pendingApproval()).toMatchObject({ rule: 'protection:mcp-tools' });
  });

  it('a tool that was changed after consent asks again', async () => {
    void start({ mcp: port(false, true), policy: { setting: 'run-everything', rules } }).call(
      call('mcp_docs_search', {}),
    );
    expect(await pendingApproval()).toMatchObject({
      rule: 'protection:mcp-changed',
      preview: expect.stringContaining('+Searches and deletes.'),
    });
    expect(runs).toEqual([]);
  });

  it('a tool nobody has agreed to yet is asked for where the user wants that, whatever the rules say', async () => {
    const newTool: McpPort = { ...port(false), facts: () => ({ isNew: true }) };
    void start({ mcp: newTool, policy: { setting: 'run-everything', rules } }).call(
      call('mcp_docs_search', {}),
    );
    expect(await pendingApproval()).toMatchObject({ rule: 'protection:mcp-new' });
  });

  it('a name that no server has is answered by the servers, a slip in a built-in name by the nearest', async () => {
    const runtime = start({ mcp: port(false) });
    expect(await runtime.call(call('mcp_docs_find', {}))).toMatchObject({
      error: { message: 'No MCP server has a tool "mcp_docs_find".' },
    });
    expect(await runtime.call(call('reed_file', {}))).toMatchObject({
      error: { message: expect.stringContaining('Nearest: read_file') },
    });
  });

  it('a tool that is changed between the judgement and the run is not called', async () => {
    let looks = 0;
    const rug: McpPort = { ...port(false), facts: () => ({ isChanged: looks++ > 1 }) };
    const runtime = start({ mcp: rug, policy: { setting: 'auto-accept', rules } });
    const outcome = await runtime.call(call('mcp_docs_search', {}));
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'DENIED', message: expect.stringContaining('not described as it was') },
    });
    expect(runs).toEqual([]);
  });

  it('in modes that only read, only tools that are vouched for run', async () => {
    const policy = { setting: 'auto-accept' as const, rules };
    expect(
      await start({ mode: 'plan', mcp: port(false), policy }).call(call('mcp_docs_search', {})),
    ).toMatchObject({ ok: false, error: { code: 'WRONG_MODE' } });
    expect(
      await start({ mode: 'plan', mcp: port(true), policy }).call(call('mcp_docs_search', {})),
    ).toMatchObject({ ok: true });
  });
});

describe('closing', () => {
  it('cancels what runs, puts resources away and takes no more calls', async () => {
    const marker = path.join(folder, 'disposed');
    const JOBS = defineResource({ name: 'jobs', create: () => ({}), dispose: () => mkdirSync(marker) });
    const tool = pathTool({
      run: (_, context) => {
        context.resources.get(JOBS);
        return new Promise((resolve) =>
          context.signal.addEventListener('abort', () => resolve(fail('ECANCELED', 'stopped'))),
        );
      },
    });
    const runtime = start({ tools: [tool] });
    const outcome = runtime.call(call('Read', { path: 'a' }));
    await expect.poll(() => runs).toHaveLength(1);
    await runtime.close();
    expect(await outcome).toMatchObject({ ok: false });
    expect(existsSync(marker)).toBe(true);
    expect(await runtime.call(call('Read', { path: 'b' }))).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE' },
    });
  });
});
