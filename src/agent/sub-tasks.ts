import {
  type AgentEvent,
  type AgentTask,
  type CallProgress,
  isReadOnlyMode,
  type Message,
  type Mode,
  omitUndefined,
  type SubTask,
  type SubTaskResult,
  type ToolPort,
  textOf,
  type Usage,
  userMessage,
} from '../core/index.ts';
import { subTaskPrompt } from './prompts/index.ts';
import type { RunAgentOptions } from './run-options.ts';
import type { RunTree } from './run-tree.ts';

export type StartRun = (options: RunAgentOptions, tree: RunTree) => AsyncIterable<AgentEvent>;

export interface RunSubTaskOptions {
  readonly parent: RunAgentOptions & { readonly tree: RunTree; readonly startRun: StartRun };
  /** The parent's mode at this moment. */
  readonly mode: Mode;
  readonly subTask: SubTask;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CallProgress) => void;
  /** Called with every count, so that a task that is cut short is counted too. */
  readonly onUsage: (usage: Usage) => void;
}

/**
 * Runs a task below a call. It has the parent's ports and prices, a conversation and a guard of its own, and draws on
 * the parent's limits; what the parent's reader sees of it is progress of the call.
 */
export async function runSubTask(options: RunSubTaskOptions): Promise<SubTaskResult> {
  const { parent, signal, onProgress, onUsage } = options;
  const task = childTask(options);
  const tools = toolsOfRun(parent.tools, task.runId);
  let text = '';
  for await (const event of parent.startRun(
    { ...parent, task, tools, signal },
    { ...parent.tree, onUsage },
  )) {
    report(event, onProgress);
    if (event.type === 'run-end' || event.type === 'run-error') {
      // The parent is over too: its call is then interrupted, which is not the same as failed.
      signal.throwIfAborted();
      if (parent.tree.lost.cause) throw parent.tree.lost.cause;
    }
    if (event.type === 'step-end') text = lastText(event.messages) || text;
    if (event.type === 'run-error') {
      return { text: `The task failed: ${event.error.message}`, isError: true, usage: event.usage };
    }
    if (event.type === 'run-end') {
      if (event.reason === 'done') return { text, usage: event.usage };
      const why = event.explanation ?? `It ended with "${event.reason}".`;
      const soFar = text === '' ? '' : `\n\nWhat it said last:\n${text}`;
      return { text: `The task did not finish. ${why}${soFar}`, isError: true, usage: event.usage };
    }
  }
  throw new Error('A run ended without saying so.');
}

/** The same tools, told whose call it is: what they keep for a run is not kept for all of them. */
function toolsOfRun(port: ToolPort, runId: string): ToolPort {
  return {
    list: (mode, signal) => port.list(mode, signal),
    ...(port.knows && { knows: (name) => port.knows?.(name) === true }),
    // The innermost run comes first.
    run: (call, context) => port.run(call, { ...context, subRunId: context.subRunId ?? runId }),
    parallelOf: (call) => port.parallelOf(call),
    isReadOnly: (call) => port.isReadOnly(call),
  };
}

function childTask({ parent, mode, subTask }: RunSubTaskOptions): AgentTask {
  const { task } = parent;
  const append = [task.systemPrompt?.append, subTaskPrompt(subTask.kind)].filter(
    (text) => text !== undefined,
  );
  return omitUndefined({
    ...task,
    runId: parent.newId('run_'),
    model: subTask.model ?? task.model,
    // Readings of the parent's model name say nothing about another one.
    modelAlternatives: subTask.model === undefined ? task.modelAlternatives : undefined,
    mode: childMode(mode, subTask),
    messages: [userMessage(subTask.prompt)],
    systemPrompt: omitUndefined({
      replace: subTask.systemPrompt ?? task.systemPrompt?.replace,
      append: append.join('\n\n'),
    }),
    // The limits are those of the tree, counted there.
    limits: undefined,
    depth: (task.depth ?? 0) + 1,
  });
}

/** A run that may only read cannot start one that may do more. */
function childMode(mode: Mode, { mode: wanted, kind }: SubTask): Mode {
  const asked = wanted ?? (kind?.toLowerCase() === 'explore' ? 'search' : mode);
  return isReadOnlyMode(mode) && !isReadOnlyMode(asked) ? mode : asked;
}

function report(event: AgentEvent, onProgress: (progress: CallProgress) => void): void {
  if (event.type === 'call-start') onProgress({ text: `\n[${event.call.name}]\n` });
  if (event.type !== 'turn-events') return;
  let text = '';
  for (const item of event.events) if (item.type === 'text-delta') text += item.text;
  if (text !== '') onProgress({ text });
}

function lastText(messages: readonly Message[]): string {
  const answer = messages.findLast(({ role }) => role === 'assistant');
  return answer ? textOf(answer.content).trim() : '';
}
