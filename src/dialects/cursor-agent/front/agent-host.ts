// What the front needs from whoever joins it to the loop and to the tools.
import type { AgentEvent, AgentTask, TurnRequest, TurnResult } from '../../../core/index.ts';
import type { ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import type { RemotePort } from '../../../native/remote-port.ts';
import type { NativeContext } from '../../native-front.ts';

/** Where a run's model is when the request itself says so. */
export interface ClientUpstream {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The server is Azure's: its address holds a deployment and the key travels in a header of its own. */
  readonly azureDeployment?: string;
}

export interface AgentRun {
  readonly task: AgentTask;
  readonly port: RemotePort;
  readonly clientUpstream?: ClientUpstream;
  readonly signal: AbortSignal;
}

export interface NativeModel {
  /** The name by which clients ask for it. */
  readonly id: string;
  readonly displayName: string;
  readonly contextWindow?: number;
}

export interface AgentHost {
  runAgent(run: AgentRun, context: NativeContext): AsyncIterable<AgentEvent>;
  /** One turn beside the run: a title, a summary. */
  runTurn(request: TurnRequest, context: NativeContext): Promise<TurnResult>;
  /** The models this caller may use, the default one first. */
  listModels(context: NativeContext): Promise<readonly NativeModel[]>;
  /** A call by its canonical or MCP name as the protocol draws it; arguments may still be incomplete. */
  describeCall(
    call: { readonly callId: string; readonly name: string; readonly argumentsText: string },
    port: RemotePort,
  ): ToolCall;
}
