// AWAIT_TASK (33): `aiserver.v1.AwaitTaskParams` (`ids`), and `agent.v1.SubagentAwaitArgs` (`agent_id`, `timeout_ms`).
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { type RunningTask, subAgentTasks } from './sub-agent-tasks.ts';
import { untilAborted } from './until-aborted.ts';

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

const args = toolArguments(
  {
    ids: z.array(z.string().min(1)).min(1).max(20).describe('The ids that the background tasks were given.'),
    timeout_ms: z
      .number()
      .int()
      .min(0)
      .default(DEFAULT_WAIT_MS)
      .describe('How long to wait for all of them, at most 600000; 0 only looks.'),
  },
  {
    aliases: {
      ids: ['task_ids', 'task_id', 'agent_id', 'agent_ids', 'id'],
      timeout_ms: ['block_until_ms', 'timeout', 'wait_ms'],
    },
    ignored: ['pattern'],
  },
);

export const awaitTask = defineTool({
  number: 33,
  name: 'await_task',
  description:
    'Wait for tasks that were started in the background and read their answers. After the time-out it says which still run; call it again for those.',
  args,
  risk: 'none',
  modes: ['agent', 'chat', 'search'],
  parallel: 'any',
  status: 'retired',
  touches: () => [],
  run: (given, context) =>
    settle(context, async () => {
      const tasks = context.resources.get(subAgentTasks);
      const ids = [...new Set(given.ids)];
      const found = ids.flatMap((id) => tasks.find(id) ?? []);
      const missing = ids.filter((id) => tasks.find(id) === undefined);
      if (found.length === 0) {
        const known = tasks.runningTasks().map((task) => task.id);
        return fail(
          'ENOENT',
          `No background task has the id ${missing.join(', ')}; ${known.length === 0 ? 'none is running' : `running are ${known.join(', ')}`}.`,
          { data: { task_results: [], missing_task_ids: missing } },
        );
      }
      await waitForAll(found, Math.min(given.timeout_ms, MAX_WAIT_MS), context);
      const notes = found.map((task) => describe(task, context.nowMs()));
      if (missing.length > 0) notes.push(`Unknown: ${missing.join(', ')}.`);
      return succeed(notes.join('\n\n'), {
        data: {
          task_results: found.flatMap((task) => resultOf(task)),
          still_running_task_ids: found.filter((task) => task.report === undefined).map((task) => task.id),
          missing_task_ids: missing,
        },
      });
    }),
});

async function waitForAll(
  tasks: readonly RunningTask[],
  waitMs: number,
  context: ToolContext,
): Promise<void> {
  if (waitMs === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  try {
    const all = Promise.all(tasks.map((task) => task.done));
    await untilAborted(Promise.race([all, timeUp]), context.signal);
  } finally {
    clearTimeout(timer);
  }
}

function describe(task: RunningTask, nowMs: number): string {
  const head = `${task.id} "${task.title}"`;
  if (task.report === undefined)
    return `${head} still runs after ${Math.round((nowMs - task.startedMs) / 1000)} s.`;
  return `${head} ${task.report.isSuccess ? 'is done' : 'failed'}:\n${task.report.text}`;
}

function resultOf(task: RunningTask) {
  if (task.report === undefined) return [];
  return [
    {
      task_id: task.id,
      ...omitUndefined({ agent_id: task.report.agentId }),
      result: {
        summary: task.report.text,
        changed_files: [...(task.report.changedFiles ?? [])],
        user_aborted: false,
        subagent_errored: !task.report.isSuccess,
      },
    },
  ];
}
