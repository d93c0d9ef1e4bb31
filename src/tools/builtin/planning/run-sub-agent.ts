import { omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { type SubAgentPort, type SubAgentTask, subAgentPort } from './sub-agent-port.ts';
import { MAX_RUNNING_TASKS, runToReport, subAgentTasks } from './sub-agent-tasks.ts';
import { untilAborted } from './until-aborted.ts';

/** What both generations of the task tool do, once their arguments are in one form. */
export function runSubAgent(
  task: SubAgentTask,
  isBackground: boolean,
  context: ToolContext,
): Promise<ToolOutcome> {
  return settle(context, async () => {
    const port = context.resources.get(subAgentPort);
    if (!port) {
      return fail(
        'UNAVAILABLE',
        `The task "${task.title}" needs an agent of its own and no model is connected to this tool runtime. Do the work yourself, step by step, or run it under crosspoint run, which has one.`,
      );
    }
    // A parent that may not change anything cannot have it done by another.
    const bound = mayChange(context) ? task : { ...task, isReadOnly: true };
    if (isBackground) return startInBackground(port, bound, context);
    const started = context.nowMs();
    const report = await untilAborted(runToReport(port, bound, context), context.signal);
    const attachments = { duration_ms: context.nowMs() - started };
    const data = {
      ...omitUndefined({ agent_id: report.agentId }),
      is_background: false,
      completed_task_result: {
        summary: report.text,
        changed_files: [...(report.changedFiles ?? [])],
        user_aborted: false,
        subagent_errored: !report.isSuccess,
      },
    };
    if (!report.isSuccess) {
      return fail('FAILED', `The sub-agent for "${task.title}" did not finish: ${report.text}`, {
        attachments,
        data,
      });
    }
    const resume = report.agentId === undefined ? '' : `\n\n(agent id for resuming: ${report.agentId})`;
    return succeed(`${report.text}${resume}`, { attachments, data });
  });
}

function startInBackground(port: SubAgentPort, task: SubAgentTask, context: ToolContext): ToolOutcome {
  const tasks = context.resources.get(subAgentTasks);
  const running = tasks.runningTasks();
  if (running.length >= MAX_RUNNING_TASKS) {
    const ids = running.map((one) => one.id).join(', ');
    return fail(
      'UNAVAILABLE',
      `${running.length} sub-agents are working already (${ids}), which is the most at once. Wait for one with await_task.`,
    );
  }
  const { id } = tasks.start(port, task, context);
  return succeed(
    `Started "${task.title}" in the background as ${id}. Read its answer with await_task; do not do its work meanwhile.`,
    { data: { agent_id: id, is_background: true, async_task_result: { task_id: id } } },
  );
}

function mayChange(context: ToolContext): boolean {
  return context.mode === 'agent' || context.mode === 'debug';
}
