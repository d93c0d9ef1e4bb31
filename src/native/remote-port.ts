// The far end of a native stream as tools see it: a client that runs execs, answers queries and shows calls. The front
// of the protocol offers it, the remote tools use it, and neither knows the other.
import type { ExecClientMessage, ExecServerMessage } from '../gen/agent/v1/exec_pb.ts';
import type { InteractionQuery, InteractionResponse } from '../gen/agent/v1/interaction_query_pb.ts';
import type { ToolCallDelta } from '../gen/agent/v1/interaction_update_pb.ts';
import type { McpToolDefinition } from '../gen/agent/v1/mcp_pb.ts';
import type { RequestContext } from '../gen/agent/v1/request_context_pb.ts';
import type { ToolCall } from '../gen/agent/v1/tool_call_pb.ts';

export type ExecArgs = ExecServerMessage['message'];
export type ExecResult = ExecClientMessage['message'];
export type Query = InteractionQuery['query'];
export type QueryAnswer = InteractionResponse['result'];

export interface ExecOptions {
  readonly signal: AbortSignal;
  /** Called with every message of an exec that answers with several, the last one included. */
  readonly onMessage?: (message: ExecResult) => void;
}

/** State that the model changes through tools and that travels in the checkpoint. */
export interface RunState {
  readonly todos: readonly TodoEntry[];
  readonly plan?: string;
}
export interface TodoEntry {
  readonly id: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
  /** Ids of what must be done first. */
  readonly dependencies?: readonly string[];
}

/** One client, for the length of one run. */
export interface RemotePort {
  /** Sends one exec and resolves with its (last) result; rejects with a GatewayError when the client threw or is gone. */
  exec(args: ExecArgs, options: ExecOptions): Promise<ExecResult>;
  /** Puts a question to the client's user. */
  query(query: Query, signal: AbortSignal): Promise<QueryAnswer>;
  /** Shows a call: without a result when it starts, with one when it is done. */
  showCall(callId: string, call: ToolCall, state: 'started' | 'completed'): void;
  showDelta(callId: string, delta: ToolCallDelta): void;
  /** What the client said about itself; undefined when it did not answer. */
  readonly requestContext: RequestContext | undefined;
  /** Custom tools and tools of MCP servers, each once. */
  readonly mcpTools: readonly McpToolDefinition[];
  /** Members of `ToolCall` that the caller allows; undefined when it did not restrict them. */
  readonly allowedTools: readonly string[] | undefined;
  readonly state: { get(): RunState; set(state: RunState): void };
}
