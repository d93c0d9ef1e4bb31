// Agents that tools start: the loop over the gateway's own models, with the runtime's own tools. Every call goes through
// the same policy and the same approvals as the parent's.
import { platform } from 'node:os';
import {
  type AgentEvent,
  type AgentTask,
  type IdSource,
  type Message,
  textOf,
  userMessage,
} from '../../core/index.ts';
import type { AgentRunner } from '../../gateway/agent-runner.ts';
import type { SubAgentPort, SubAgentReport, SubAgentTask } from '../../tools/builtin/planning/index.ts';
import { INSIDE } from '../../tools/envelope.ts';
import { createLocalTools } from '../../tools/local-tools.ts';
import type { ToolContext } from '../../tools/tool-context.ts';
import type { ToolService } from '../tool-service.ts';

export interface SubAgentsOptions {
  readonly runner: AgentRunner;
  /** The service whose tools the agents use; it is there when the first one starts. */
  readonly service: () => Promise<ToolService>;
  /** How deep agents may start agents. */
  readonly maxDepth: number;
  readonly newId: IdSource;
}

/** Conversations that may be gone on with; the oldest go first. */
const MAX_KEPT = 50;
const FRONT = 'tools';

export function createSubAgents(options: SubAgentsOptions): SubAgentPort {
  const kept = new Map<string, readonly Message[]>();
  return {
    async run(task, context) {
      if (depthOf(context) >= options.maxDepth) {
        return failure(
          `Agents may not nest deeper than agent.maxDepth (${options.maxDepth}); do the work yourself.`,
        );
      }
      const earlier = task.resume === undefined ? [] : kept.get(task.resume);
      if (!earlier) {
        return failure(
          `No agent ${task.resume} is known here; start a new one and tell it what it must know.`,
        );
      }
      const agentId = task.resume ?? options.newId('agent_');
      const messages = [...earlier, userMessage(promptOf(task))];
      const { report, said } = await runOne(options, { task, context, agentId, messages });
      kept.delete(agentId);
      kept.set(agentId, [...messages, ...said]);
      for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
      return report;
    },
  };
}

interface OneRun {
  readonly task: SubAgentTask;
  readonly context: ToolContext;
  readonly agentId: string;
  readonly messages: readonly Message[];
}

async function runOne({ runner, service }: SubAgentsOptions, run: OneRun) {
  const { task, context, agentId } = run;
  const { runtime, mcp } = await service();
  const tools = createLocalTools({
    runtime,
    mcp,
    parentId: context.callId,
    writableFolders: task.writableFolders,
  });
  const job = { front: FRONT, task: agentTask(run), tools, signal: context.signal };
  const said: Message[] = [];
  let report = failure('The agent stopped without a word.');
  for await (const event of runner.run(job, { owner: '' })) {
    const line = describe(event);
    if (line !== undefined) context.progress({ text: `${task.title}: ${line}` });
    if (event.type === 'step-end') said.push(...event.messages);
    if (event.type === 'hint') said.push(event.message);
    if (event.type === 'run-error') report = failure(event.error.message);
    if (event.type === 'run-end') report = reportOf(event, said, agentId);
  }
  return { report, said };
}

function agentTask({ task, context, agentId, messages }: OneRun): AgentTask {
  return {
    runId: context.newId('run_'),
    model: task.model ?? '',
    mode: task.isReadOnly ? 'search' : context.mode,
    messages,
    surroundings: { workspaces: [context.workspace.root], os: platform() },
    session: agentId,
    depth: 1,
  };
}

function promptOf({ prompt, attachments }: SubAgentTask): string {
  if (attachments.length === 0) return prompt;
  return `${prompt}\n\nRead these files first:\n${attachments.map((file) => `- ${file}`).join('\n')}`;
}

function reportOf(
  end: Extract<AgentEvent, { type: 'run-end' }>,
  said: readonly Message[],
  agentId: string,
): SubAgentReport {
  const last = said.findLast(({ role }) => role === 'assistant');
  const words = last ? textOf(last.content).trim() : '';
  if (end.reason === 'done') return { agentId, isSuccess: true, text: words || '(It said nothing.)' };
  const why = end.explanation ?? `It ended with "${end.reason}".`;
  return { agentId, isSuccess: false, text: words === '' ? why : `${why} Its last words: ${words}` };
}

function describe(event: AgentEvent): string | undefined {
  if (event.type === 'call-start') return event.call.name;
  if (event.type === 'compaction-start') return 'summing up what it knows';
  return undefined;
}

/** Calls of an agent carry the id of the call that started it in front of their own. */
function depthOf({ callId }: ToolContext): number {
  return callId.split(INSIDE).length - 1;
}

function failure(text: string): SubAgentReport {
  return { isSuccess: false, text };
}
