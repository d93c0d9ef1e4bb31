// Client-declared tools in a run: announced, executed by the client as MCP execs, resumed from a checkpoint.
import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { ExecClientMessage } from '../../../src/gen/agent/v1/exec_pb.ts';
import type { McpToolDefinition } from '../../../src/gen/agent/v1/mcp_pb.ts';
import {
  type BackendRun,
  type Checkpoint,
  type ExecCall,
  type ServerFrame,
  updateFrame,
} from './backend-run.ts';
import type { InterleavingStep } from './interleaving.ts';

export interface ScriptedCall {
  readonly callId: string;
  /** The bare name of a tool that the client declared. */
  readonly name: string;
  readonly args: Readonly<Record<string, JsonValue>>;
}

export interface IssueOptions {
  readonly tools?: readonly McpToolDefinition[];
  /** False: only the execs, as after a resumption. */
  readonly isAnnounced?: boolean;
  /** False: no checkpoint follows, so that nothing tells the client that the batch is complete. */
  readonly hasCheckpoint?: boolean;
}

/** Announces and issues the calls, then the checkpoint that closes the batch, all in one chunk. */
export async function issueCalls(
  run: BackendRun,
  calls: readonly ScriptedCall[],
  options: IssueOptions = {},
): Promise<ExecCall[]> {
  const tools = options.tools ?? run.request.mcpTools?.mcpTools ?? [];
  const frames: ServerFrame[] = [];
  const execs: ExecCall[] = [];
  for (const call of calls) {
    const args = mcpArgs(call, tools);
    const toolCall = { tool: { case: 'mcpToolCall' as const, value: { args } } };
    if (options.isAnnounced !== false) {
      const argsTextDelta = JSON.stringify(call.args);
      const { callId } = call;
      frames.push(
        updateFrame({
          case: 'partialToolCall',
          value: { callId, toolCall, argsTextDelta, modelCallId: 'm1' },
        }),
        updateFrame({ case: 'toolCallStarted', value: { callId, toolCall, modelCallId: 'm1' } }),
      );
    }
    const exec = run.prepareExec({ case: 'mcpArgs', value: args });
    frames.push(exec.frame);
    execs.push(exec.call);
  }
  if (options.hasCheckpoint !== false) {
    frames.push({ case: 'conversationCheckpointUpdate', value: pendingState(calls) });
  }
  await run.send(...frames);
  return execs;
}

/** Plays the calls of one answer step by step; what stands between two waits goes out in one chunk. */
export async function playInterleaving(
  run: BackendRun,
  steps: readonly InterleavingStep[],
): Promise<Map<string, string>> {
  const tools = run.request.mcpTools?.mcpTools ?? [];
  const results = new Map<string, string>();
  const execs = new Map<string, ExecCall>();
  let frames: ServerFrame[] = [];
  for (const step of steps) {
    if (step.type === 'await') {
      await run.send(...frames);
      frames = [];
      for (const { callId } of step.calls) {
        const exec = execs.get(callId);
        if (!exec) throw new Error(`The exec of ${callId} was never sent.`);
        results.set(callId, resultText(await exec.next()));
        await exec.closed();
      }
    } else if (step.type === 'checkpoint') {
      const { pending } = step;
      const value = pending.length === 0 ? { mode: 1 as const } : pendingState(pending);
      frames.push({ case: 'conversationCheckpointUpdate', value });
    } else if (step.type === 'exec') {
      const exec = run.prepareExec({ case: 'mcpArgs', value: mcpArgs(step.call, tools) });
      execs.set(step.call.callId, exec.call);
      frames.push(exec.frame);
    } else frames.push(callUpdate(step, tools));
  }
  await run.send(...frames);
  return results;
}

function callUpdate(
  step: Extract<InterleavingStep, { type: 'partial' | 'started' | 'exec' | 'completed' }>,
  tools: readonly McpToolDefinition[],
): ServerFrame {
  const { callId } = step.call;
  const toolCall = { tool: { case: 'mcpToolCall' as const, value: { args: mcpArgs(step.call, tools) } } };
  const value = { callId, toolCall, modelCallId: 'm1' };
  if (step.type === 'partial') {
    return updateFrame({ case: 'partialToolCall', value: { ...value, argsTextDelta: step.text } });
  }
  return updateFrame({ case: step.type === 'started' ? 'toolCallStarted' : 'toolCallCompleted', value });
}

/** Waits for every result and its stream_close, in whatever order, and reports the calls as completed. */
export async function settleCalls(
  run: BackendRun,
  calls: readonly ScriptedCall[],
  execs: readonly ExecCall[],
): Promise<string[]> {
  const results = await Promise.all(execs.map((exec) => exec.next()));
  await Promise.all(execs.map((exec) => exec.closed()));
  await run.update(
    ...calls.map((call, index) => {
      const result = results[index]?.message;
      const value = {
        args: mcpArgs(call, run.request.mcpTools?.mcpTools ?? []),
        ...(result?.case === 'mcpResult' && result.value.result.case === 'success'
          ? { result: { result: { case: 'success' as const, value: { content: [] } } } }
          : {}),
      };
      const toolCall = { tool: { case: 'mcpToolCall' as const, value } };
      return {
        case: 'toolCallCompleted' as const,
        value: { callId: call.callId, toolCall, modelCallId: 'm1' },
      };
    }),
  );
  await run.checkpoint({ mode: 1 });
  return results.map(resultText);
}

/** The text of an MCP result, or what went wrong with it. */
export function resultText({ message }: ExecClientMessage): string {
  if (message.case !== 'mcpResult') return `unexpected ${message.case}`;
  const { result } = message.value;
  if (result.case === 'success') {
    return result.value.content
      .map(({ content }) => (content.case === 'text' ? content.value.text : `[${content.case}]`))
      .join('');
  }
  return result.case === 'error' ? `error: ${result.value.error}` : `${result.case}`;
}

/** The calls that the checkpoint of a resuming client says are still open. */
export function pendingCalls(run: BackendRun): ScriptedCall[] {
  const rounds = run.request.conversationState?.pendingToolCalls ?? [];
  return rounds.flatMap((text) => {
    // Written by `pendingState` below, or by a test in its place.
    const round = JSON.parse(text) as { content: { toolCallId: string; toolName: string; args: object }[] };
    return round.content.map(({ toolCallId, toolName, args }) => ({
      callId: toolCallId,
      name: toolName.replace(/^mcp_[^_]+_/, ''),
      args: args as ScriptedCall['args'],
    }));
  });
}

function pendingState(calls: readonly ScriptedCall[]): Checkpoint {
  const content = calls.map(({ callId, name, args }) => ({
    type: 'tool-call',
    toolCallId: callId,
    toolName: name,
    args,
  }));
  const round = { id: '1', role: 'assistant', content };
  return { mode: 1, pendingToolCalls: [JSON.stringify(round)] };
}

function mcpArgs(call: ScriptedCall, tools: readonly McpToolDefinition[]) {
  const tool = tools.find(({ name, toolName }) => toolName === call.name || name === call.name);
  return {
    name: tool?.name ?? call.name,
    toolName: tool?.toolName ?? call.name,
    providerIdentifier: tool?.providerIdentifier ?? 'unknown',
    toolCallId: call.callId,
    args: Object.fromEntries(
      Object.entries(call.args).map(([key, value]) => [key, fromJson(ValueSchema, value)]),
    ),
  };
}
