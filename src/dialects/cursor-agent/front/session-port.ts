import type { ToolCallDelta } from '../../../gen/agent/v1/interaction_update_pb.ts';
import type { McpToolDefinition } from '../../../gen/agent/v1/mcp_pb.ts';
import type { RequestContext } from '../../../gen/agent/v1/request_context_pb.ts';
import type { ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import type { RemotePort } from '../../../native/remote-port.ts';
import type { Conversation } from './conversation.ts';
import type { ExecRequests } from './exec-requests.ts';
import type { Outbox } from './outbox.ts';
import type { QueryRequests } from './query-requests.ts';
import { updateFrame } from './server-frames.ts';

export interface SessionPortOptions {
  readonly exec: ExecRequests;
  readonly query: QueryRequests;
  readonly outbox: Outbox;
  readonly conversation: Conversation;
  readonly requestContext: RequestContext | undefined;
  readonly mcpTools: readonly McpToolDefinition[];
  readonly allowedTools: readonly string[] | undefined;
  /** The model's turn that made the calls which are shown now. */
  readonly modelCallId: () => string;
}

/** The client of one run, as tools see it. Remembers how calls were drawn, for the history that clients show. */
export class SessionPort implements RemotePort {
  readonly requestContext: RequestContext | undefined;
  readonly mcpTools: readonly McpToolDefinition[];
  readonly allowedTools: readonly string[] | undefined;
  readonly state: RemotePort['state'];
  readonly exec: RemotePort['exec'];
  readonly query: RemotePort['query'];
  readonly #options: SessionPortOptions;
  readonly #drawn = new Map<string, { readonly call: ToolCall; readonly state: 'started' | 'completed' }>();

  constructor(options: SessionPortOptions) {
    const { exec, query, conversation, requestContext, mcpTools, allowedTools } = options;
    this.#options = options;
    this.requestContext = requestContext;
    this.mcpTools = mcpTools;
    this.allowedTools = allowedTools;
    this.state = {
      get: () => conversation.runState,
      set: (state) => {
        conversation.runState = state;
      },
    };
    this.exec = (args, execOptions) => exec.request(args, execOptions);
    this.query = (query_, signal) => query.ask(query_, signal);
  }

  showCall(callId: string, call: ToolCall, state: 'started' | 'completed'): void {
    this.#drawn.set(callId, { call, state });
    const value = { callId, toolCall: call, modelCallId: this.#options.modelCallId() };
    const update = state === 'started' ? 'toolCallStarted' : 'toolCallCompleted';
    this.#options.outbox.post(updateFrame({ case: update, value }));
  }

  showDelta(callId: string, toolCallDelta: ToolCallDelta): void {
    const value = { callId, toolCallDelta, modelCallId: this.#options.modelCallId() };
    this.#options.outbox.post(updateFrame({ case: 'toolCallDelta', value }));
  }

  /** How far a call was shown; undefined when it was not. */
  shownState(callId: string): 'started' | 'completed' | undefined {
    return this.#drawn.get(callId)?.state;
  }

  drawingOf(callId: string): ToolCall | undefined {
    return this.#drawn.get(callId)?.call;
  }

  /** The calls of a settled round are in the history now. */
  forgetDrawings(): void {
    this.#drawn.clear();
  }
}
