import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { awaitTask } from './await-task.ts';
import { type SubAgentReport, type SubAgentTask, subAgentPort } from './sub-agent-port.ts';
import { MAX_RUNNING_TASKS } from './sub-agent-tasks.ts';
import { task } from './task.ts';
import { taskV1 } from './task-v1.ts';

/** Sub-agents that end when the test says so. */
class HeldAgents {
  readonly started: { task: SubAgentTask; signal: AbortSignal; end: (report: SubAgentReport) => void }[] = [];

  run(given: SubAgentTask, context: { signal: AbortSignal }): Promise<SubAgentReport> {
    return new Promise((resolve) => {
      this.started.push({ task: given, signal: context.signal, end: resolve });
    });
  }
}

let place: TempWorkspace;
let agents: HeldAgents;
beforeEach(() => {
  place = tempWorkspace({});
  agents = new HeldAgents();
  place.context.resources.set(subAgentPort, agents);
});
afterEach(() => place.dispose());

const DONE: SubAgentReport = {
  agentId: 'agent-7',
  isSuccess: true,
  text: 'It is in a.ts.',
  changedFiles: ['a.ts'],
};

describe('a task in the foreground', () => {
  test('gives the final words and the id for resuming', async () => {
    const pending = place.ask(task, { description: 'Find it', prompt: 'Where is it?', resume: 'agent-6' });
    agents.started[0]?.end(DONE);
    const outcome = await pending;
    expect(outcome.content).toBe('It is in a.ts.\n\n(agent id for resuming: agent-7)');
    expect(outcome.data).toMatchObject({ agent_id: 'agent-7', is_background: false });
    expect(agents.started[0]?.task).toMatchObject({ title: 'Find it', resume: 'agent-6', isReadOnly: false });
  });

  test('fails with what the agent said went wrong', async () => {
    place.context.resources.set(subAgentPort, { run: () => Promise.reject(new Error('no tokens left')) });
    const outcome = await place.call(task, { prompt: 'Where is it?' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'FAILED' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain('no tokens left');
  });

  test('ends when the call is cancelled', async () => {
    const pending = place.call(task, { prompt: 'Where is it?' });
    place.abort.abort();
    expect(await pending).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
    expect(agents.started[0]?.signal.aborted).toBe(true);
  });

  test('says so when there is no model', async () => {
    place.context.resources.set(subAgentPort, undefined);
    expect(await place.call(task, { prompt: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE' },
    });
  });
});

test.each([
  [{ readonly: true }, true],
  [{ subagent_type: 'explore' }, true],
  [{ subagent_type: { explore: {} } }, true],
  [{ mode: 2 }, true],
  [{ subagent_type: 'generalPurpose' }, false],
])('with %j the sub-agent may only look: %s', async (more, isReadOnly) => {
  const pending = place.call(task, { prompt: 'x', ...more });
  agents.started[0]?.end(DONE);
  await pending;
  expect(agents.started[0]?.task.isReadOnly).toBe(isReadOnly);
});

test('a parent that may not change anything cannot have it done by another', async () => {
  const chat = tempWorkspace({}, { mode: 'chat' });
  chat.context.resources.set(subAgentPort, agents);
  const pending = chat.call(task, { prompt: 'delete everything' });
  agents.started[0]?.end(DONE);
  await pending;
  expect(agents.started[0]?.task.isReadOnly).toBe(true);
  await chat.dispose();
});

describe('a task in the background', () => {
  const start = async () => {
    const outcome = await place.ask(task, { prompt: 'x', run_in_background: true });
    return String(outcome.data?.agent_id);
  };

  test('gives an id at once, and its answer to whoever waits', async () => {
    const id = await start();
    expect((await place.ask(awaitTask, { ids: [id], timeout_ms: 0 })).data).toMatchObject({
      task_results: [],
      still_running_task_ids: [id],
    });
    const pending = place.ask(awaitTask, { task_id: id });
    agents.started[0]?.end(DONE);
    const outcome = await pending;
    expect(outcome.content).toContain('It is in a.ts.');
    expect(outcome.data).toMatchObject({
      task_results: [{ task_id: id, agent_id: 'agent-7', result: { summary: 'It is in a.ts.' } }],
      missing_task_ids: [],
    });
    expect((await place.ask(awaitTask, { agent_id: 'agent-7' })).content).toContain('is done');
  });

  test('outlives the call that started it, but not the runtime', async () => {
    await start();
    place.abort.abort();
    expect(agents.started[0]?.signal.aborted).toBe(false);
    await place.context.resources.dispose();
    expect(agents.started[0]?.signal.aborted).toBe(true);
  });

  test('is refused when too many run already', async () => {
    for (let count = 0; count < MAX_RUNNING_TASKS; count++) await start();
    const outcome = await place.call(task, { prompt: 'x', run_in_background: true });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });

  test('is not found under an id nobody gave', async () => {
    const id = await start();
    const outcome = await place.call(awaitTask, { ids: ['task_none'] });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
      data: { missing_task_ids: ['task_none'] },
    });
    expect(outcome.ok ? '' : outcome.error.message).toContain(id);
  });

  test('waiting ends when the call is cancelled', async () => {
    const id = await start();
    const pending = place.call(awaitTask, { ids: [id] });
    place.abort.abort();
    expect(await pending).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });
});

test('the older form takes its own names and the newer ones', async () => {
  const pending = place.ask(taskV1, {
    task_description: 'Do it',
    task_title: 'T',
    allowed_write_directories: ['src'],
  });
  agents.started[0]?.end(DONE);
  await pending;
  expect(agents.started[0]?.task).toMatchObject({
    title: 'T',
    prompt: 'Do it',
    writableFolders: [`${place.root}/src`],
  });
  const newer = await place.ask(taskV1, { description: 'Short', prompt: 'Long', run_in_background: true });
  expect(newer.data).toMatchObject({ is_background: true });
  expect(agents.started[1]?.task).toMatchObject({ title: 'Short', prompt: 'Long' });
});
