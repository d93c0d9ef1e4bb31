import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { SubAgentPort, SubAgentReport, SubAgentTask } from './sub-agent-port.ts';

export const MAX_RUNNING_TASKS = 4;
/** Reports that nobody has asked for yet; the oldest goes first. */
const MAX_KEPT_TASKS = 100;

export interface RunningTask {
  readonly id: string;
  readonly title: string;
  readonly startedMs: number;
  /** Never rejects: a port that throws is a report of failure. */
  readonly done: Promise<SubAgentReport>;
  /** Set once `done` has settled. */
  report?: SubAgentReport;
  endedMs?: number;
}

/** Sub-agents that work while their parent goes on; they end with the runtime. */
export class SubAgentTasks {
  readonly #tasks = new Map<string, RunningTask>();
  readonly #abort = new AbortController();

  start(port: SubAgentPort, task: SubAgentTask, context: ToolContext): RunningTask {
    const id = context.newId('task_');
    // Not the call's signal: the call is over long before the task is.
    const own: ToolContext = { ...context, signal: this.#abort.signal };
    const started: RunningTask = {
      id,
      title: task.title,
      startedMs: context.nowMs(),
      done: runToReport(port, task, own).then((report) => {
        started.report = report;
        started.endedMs = context.nowMs();
        return report;
      }),
    };
    this.#tasks.set(id, started);
    this.#forgetOldest();
    return started;
  }

  /** By its own id, or by the id of the agent that did it. */
  find(id: string): RunningTask | undefined {
    const found = this.#tasks.get(id);
    return found ?? [...this.#tasks.values()].find((task) => task.report?.agentId === id);
  }

  runningTasks(): readonly RunningTask[] {
    return [...this.#tasks.values()].filter((task) => task.report === undefined);
  }

  dispose(): void {
    this.#abort.abort(new Error('The tool runtime is closing.'));
    this.#tasks.clear();
  }

  #forgetOldest(): void {
    for (const [id, task] of this.#tasks) {
      if (this.#tasks.size <= MAX_KEPT_TASKS) return;
      if (task.report !== undefined) this.#tasks.delete(id);
    }
  }
}

export async function runToReport(
  port: SubAgentPort,
  task: SubAgentTask,
  context: ToolContext,
): Promise<SubAgentReport> {
  try {
    return await port.run(task, context);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { isSuccess: false, text: context.signal.aborted ? 'It was cancelled.' : why };
  }
}

export const subAgentTasks = defineResource({
  name: 'sub-agent-tasks',
  create: () => new SubAgentTasks(),
  dispose: (tasks) => tasks.dispose(),
});
