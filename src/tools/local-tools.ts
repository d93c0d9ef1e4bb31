// The tool runtime as a loop sees it. Names, policy, approvals and the order of calls are the runtime's own business.
import {
  type AgentCall,
  type CallContext,
  type CallResult,
  isJsonObject,
  type Mode,
  type ToolDefinition,
  type ToolPort,
} from '../core/index.ts';
import { INSIDE } from './envelope.ts';
import type { McpPort } from './mcp-port.ts';
import { modelDefinition } from './model-definition.ts';
import { isOffered, isReadOnlyMode } from './modes.ts';
import { chooseTool } from './registry.ts';
import { findTool } from './runtime/find-tool.ts';
import type { CallOptions, ToolRuntime } from './runtime.ts';
import type { ToolOutcome } from './tool-outcome.ts';

export interface LocalToolsOptions {
  readonly runtime: ToolRuntime;
  readonly mcp?: Pick<McpPort, 'tools'>;
  /** The call inside which everything here runs; its id goes before those of the calls. */
  readonly parentId?: string;
  readonly writableFolders?: readonly string[];
}

export function createLocalTools(options: LocalToolsOptions): ToolPort {
  const { runtime, mcp, parentId } = options;
  return {
    async list(mode, signal) {
      const servers = mcp ? (await mcp.tools(signal)).tools : [];
      const offered = servers.filter(
        ({ consent, annotations }) =>
          consent !== 'changed' && (!isReadOnlyMode(mode) || annotations?.readOnlyHint === true),
      );
      return [...listBuiltin(runtime, mode), ...offered.map(mcpDefinition)];
    },
    knows: (name) => findTool({ id: '', name, args: {} }, runtime.tools, chooseTool) !== undefined,
    run: (call, context) => run(options, call, context),
    // The runtime has a queue of its own that knows what may run beside what.
    parallelOf: () => 'any',
    isReadOnly(call) {
      const args = isJsonObject(call.input) ? call.input : {};
      const tool = findTool({ id: idOf(call, parentId), name: call.name, args }, runtime.tools, chooseTool);
      return tool !== undefined && (tool.risk === 'none' || tool.risk === 'read');
    },
  };
}

function listBuiltin({ tools, gates }: ToolRuntime, mode: Mode): ToolDefinition[] {
  return tools
    .filter(
      ({ status, modes, number }) =>
        status === 'local' && modes.includes(mode) && isOffered(number, mode, gates),
    )
    .map(modelDefinition);
}

type McpTools = Awaited<ReturnType<McpPort['tools']>>['tools'];

function mcpDefinition({ modelName, description, inputSchema }: McpTools[number]): ToolDefinition {
  return { kind: 'function', name: modelName, description, parameters: inputSchema };
}

async function run(options: LocalToolsOptions, call: AgentCall, context: CallContext): Promise<CallResult> {
  const { runtime, parentId, writableFolders = [] } = options;
  const id = idOf(call, parentId);
  const stopWatching = runtime.subscribe((event) => {
    if (event.type !== 'progress' || event.callId !== id) return;
    const { output, text } = event.progress;
    if (output) context.onProgress(output);
    else if (text !== undefined) context.onProgress({ text });
  });
  try {
    const args = isJsonObject(call.input) ? call.input : {};
    const given: CallOptions = { signal: context.signal, mode: context.mode, writableFolders };
    const outcome = await runtime.call(
      { id, name: call.name, args },
      parentId === undefined ? given : { ...given, parentId },
    );
    context.signal.throwIfAborted();
    return resultOf(outcome);
  } finally {
    stopWatching();
  }
}

function idOf({ callId }: AgentCall, parentId: string | undefined): string {
  return parentId === undefined ? callId : `${parentId}${INSIDE}${callId}`;
}

function resultOf(outcome: ToolOutcome): CallResult {
  if (!outcome.ok) return { content: [{ type: 'text', text: outcome.error.message }], isError: true };
  return { content: [{ type: 'text', text: outcome.content }, ...(outcome.parts ?? [])] };
}
