import { describe, expect, it } from 'vitest';
import { estimatedUsage, GatewayError, type SubTask } from '../../../core/index.ts';
import { ASK_QUESTION_GATE } from '../../modes.ts';
import type { AnswerInit } from '../fixtures/disk-client.ts';
import { createBench, textIn } from '../fixtures/remote-bench.ts';

const NO_USAGE = estimatedUsage(0, 0);

describe('to-dos', () => {
  it('live in the state of the run, are merged by id, and are drawn as the client knows them', async () => {
    const { run, client } = createBench();
    await run('todo_write', {
      todos: [
        { id: 'a', content: 'first' },
        { id: 'b', content: 'then', dependencies: ['a'] },
      ],
    });
    await run('TodoWrite', { merge: true, todos: [{ id: 'a', status: 'completed' }] });
    expect(client.state.get().todos).toEqual([
      { id: 'a', content: 'first', status: 'completed' },
      { id: 'b', content: 'then', status: 'pending', dependencies: ['a'] },
    ]);
    const { tool } = client.shown.at(-1)?.call ?? {};
    if (tool?.case !== 'updateTodosToolCall') throw new Error('not drawn as to-dos');
    expect(tool.value.args?.merge).toBe(true);
    expect(tool.value.result?.result).toMatchObject({
      case: 'success',
      value: { totalCount: 2, wasMerge: true },
    });
    expect(textIn(await run('todo_read', {}))).toBe('[x] a: first\n[ ] b: then (after a)');
    expect(client.execs).toEqual([]);
  });

  it('are a sub-agent’s own: neither its list nor its folder is its parent’s or its sibling’s', async () => {
    const { run, client, folder } = createBench();
    const todo = (id: string) => ({ todos: [{ id, content: `of ${id}` }] });
    await run('todo_write', todo('parent'));
    await run('todo_write', todo('one'), { subRunId: 'run_1' });
    await run('todo_write', todo('two'), { subRunId: 'run_2' });
    expect(client.state.get().todos.map(({ id }) => id)).toEqual(['parent']);
    expect(textIn(await run('todo_read', {}, { subRunId: 'run_1' }))).toBe('[ ] one: of one');
    expect(textIn(await run('todo_read', {}))).toBe('[ ] parent: of parent');
    await run('run_terminal_command', { command: 'mkdir d && cd d' }, { subRunId: 'run_1' });
    const where = async (more: object) => textIn(await run('run_terminal_command', { command: 'pwd' }, more));
    expect(await where({ subRunId: 'run_1' })).toContain(`${folder}/d`);
    expect(await where({})).not.toContain(`${folder}/d`);
  });

  it('stay as they were when a change makes no sense', async () => {
    const { run, client } = createBench();
    client.state.set({ todos: [{ id: 'a', content: 'kept', status: 'pending' }], plan: 'p' });
    const result = await run('todo_write', { merge: true, todos: [{ id: 'z', status: 'completed' }] });
    expect(result.isError).toBe(true);
    expect(client.state.get()).toEqual({
      todos: [{ id: 'a', content: 'kept', status: 'pending' }],
      plan: 'p',
    });
  });
});

describe('questions', () => {
  const question = { questions: [{ id: 'q', prompt: 'Which?', options: [{ id: 'x', label: 'The X' }] }] };
  const gates = { [ASK_QUESTION_GATE]: true };

  it('come back with the words of the options', async () => {
    const { run, client } = createBench(
      {
        onQuery: () => ({
          case: 'askQuestionInteractionResponse',
          value: {
            result: {
              result: {
                case: 'success',
                value: { answers: [{ questionId: 'q', selectedOptionIds: ['x'], freeformText: 'soon' }] },
              },
            },
          },
        }),
      },
      { gates },
    );
    expect(textIn(await run('ask_question', question))).toBe('Which?\n→ The X; "soon"');
    expect(client.queries[0]?.value).toMatchObject({
      toolCallId: 'call-1',
      args: { questions: [{ id: 'q', prompt: 'Which?', options: [{ id: 'x', label: 'The X' }] }] },
    });
  });

  it('that are left open end the run; refused ones do not', async () => {
    const answers: AnswerInit[] = [
      { case: 'askQuestionInteractionResponse', value: { result: { result: { case: 'async', value: {} } } } },
      {
        case: 'askQuestionInteractionResponse',
        value: { result: { result: { case: 'rejected', value: { reason: 'busy' } } } },
      },
      {
        case: 'askQuestionInteractionResponse',
        value: { result: { result: { case: 'error', value: { errorMessage: 'no user here' } } } },
      },
    ];
    const { run } = createBench({ onQuery: () => answers.shift() }, { gates });
    expect(await run('ask_question', question)).toMatchObject({ endsRun: true });
    expect(textIn(await run('ask_question', question))).toContain('did not answer (busy)');
    expect(textIn(await run('ask_question', question))).toContain('(no user here)');
    expect(textIn(await run('ask_question', question))).toContain('the client gave no answer');
  });
});

describe('modes and plans', () => {
  it('change only when the user agrees', async () => {
    const replies: AnswerInit[] = [
      { case: 'switchModeRequestResponse', value: { result: { case: 'approved', value: {} } } },
      {
        case: 'switchModeRequestResponse',
        value: { result: { case: 'rejected', value: { reason: 'not now' } } },
      },
    ];
    const { run, client } = createBench({ onQuery: () => replies.shift() });
    expect(await run('switch_mode', { target_mode_id: 'chat' })).toMatchObject({ mode: 'chat' });
    expect(client.queries[0]?.value).toMatchObject({ args: { targetModeId: 'ask' } });
    const refused = await run('SwitchMode', { target_mode_id: 'plan', explanation: 'large' });
    expect(refused.mode).toBeUndefined();
    expect(textIn(refused)).toContain('not now');
    expect((await run('switch_mode', { target_mode_id: 'plan' })).mode).toBeUndefined();
  });

  it('a plan that the client takes ends the run and stays in the state', async () => {
    const { run, client } = createBench({
      onQuery: () => ({
        case: 'createPlanRequestResponse',
        value: { result: { planUri: 'file:///p.md', result: { case: 'success', value: {} } } },
      }),
    });
    const result = await run(
      'create_plan',
      { name: 'P', plan: '# P\ndo', todos: [{ content: 'one' }] },
      { mode: 'plan' },
    );
    expect(result).toMatchObject({ endsRun: true });
    expect(client.state.get()).toEqual({
      plan: '# P\ndo',
      todos: [{ id: '1', content: 'one', status: 'pending' }],
    });
    expect(client.queries[0]?.value).toMatchObject({
      args: { name: 'P', plan: '# P\ndo', todos: [{ content: 'one' }] },
    });
  });

  it('a plan that the client cannot show is told in words; an empty one is none', async () => {
    const { run, client } = createBench();
    const result = await run('create_plan', { plan: '# P' }, { mode: 'plan' });
    expect(result.endsRun).toBeUndefined();
    expect(textIn(result)).toContain('Tell it to the user in words');
    expect(client.state.get().plan).toBe('# P');
    expect((await run('create_plan', {}, { mode: 'plan' })).isError).toBe(true);
  });
});

describe('sub-agents', () => {
  const args = { description: 'look', prompt: 'find it', subagent_type: 'explore' };

  const tasks: SubTask[] = [];
  const runSubTask = async (task: SubTask) => {
    tasks.push(task);
    return { text: 'done here', usage: NO_USAGE };
  };

  it('run at a client that knows them where that is wanted, on the model of the run', async () => {
    const { run, client } = createBench(
      {
        onExec: () => ({
          case: 'subagentResult',
          value: { result: { case: 'success', value: { agentId: 'a1', finalMessage: 'here it is' } } },
        }),
      },
      { clientSubAgents: { model: 'up/m' } },
    );
    expect(textIn(await run('task', args, { runSubTask }))).toBe('here it is');
    expect(client.execs[0]?.value).toMatchObject({
      prompt: 'find it',
      subagentType: 'explore',
      modelId: 'up/m',
      readonly: true,
    });
  });

  it('run here when the client throws, and it is not asked again', async () => {
    tasks.length = 0;
    const { run, client } = createBench({}, { clientSubAgents: { model: 'up/m' } });
    expect(textIn(await run('Task', args, { runSubTask }))).toBe('done here');
    expect(textIn(await run('task', { ...args, subagent_type: 'generalPurpose' }, { runSubTask }))).toBe(
      'done here',
    );
    expect(client.execs).toHaveLength(1);
    expect(tasks).toEqual([
      { prompt: 'find it', description: 'look', mode: 'search', kind: 'explore' },
      { prompt: 'find it', description: 'look', kind: 'generalPurpose' },
    ]);
  });

  it('run here unless the client is meant to', async () => {
    const { run, client } = createBench();
    expect(textIn(await run('task', args, { runSubTask }))).toBe('done here');
    expect(client.execs).toEqual([]);
  });

  it('do not nest deeper than the run allows, by no way, and say when they fail', async () => {
    const { run, client } = createBench({}, { clientSubAgents: { model: 'up/m' } });
    expect((await run('task', args)).isError).toBe(true);
    expect(client.execs).toEqual([]);
    const runSubTask = async () => ({ text: 'lost', isError: true, usage: NO_USAGE });
    expect(textIn(await run('task', args, { runSubTask }))).toContain('did not finish: lost');
  });
});

describe('a client that fails', () => {
  it('by throwing is a result; by leaving is the end of the run', async () => {
    const errors = [
      new GatewayError('upstream-rejected', 'ripgrep path not configured'),
      new TypeError('broken'),
      new GatewayError('upstream-unavailable', 'the client is gone'),
    ];
    const { run, client } = createBench({ onExec: () => errors.shift() });
    const thrown = await run('grep', { pattern: 'x' });
    expect(thrown.isError).toBe(true);
    expect(textIn(thrown)).toBe(
      'The client could not run grep: ripgrep path not configured. Try another way.',
    );
    expect((await run('grep', { pattern: 'x' })).isError).toBe(true);
    await expect(run('grep', { pattern: 'x' })).rejects.toThrow('the client is gone');
    expect(client.shown.map(({ state }) => state)).toEqual(
      Array.from({ length: 3 }, () => ['started', 'completed']).flat(),
    );
  });
});
