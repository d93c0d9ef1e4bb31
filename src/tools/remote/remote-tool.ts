import type { Message } from '@bufbuild/protobuf';
import type { CallContext, Mode } from '../../core/index.ts';
import { findBuiltinTool } from '../codecs/find-builtin-tool.ts';
import type { Tool, Touch } from '../tool.ts';
import type { ToolOutcome } from '../tool-outcome.ts';
import type { JudgedTool } from './remote-options.ts';
import type { RemoteSession } from './remote-session.ts';

/** What a program may use while it carries out one call. */
export interface RemoteCall extends CallContext {
  readonly callId: string;
  /** As rules know it. */
  readonly tool: JudgedTool;
  readonly session: RemoteSession;
}

export interface RemoteAnswer {
  readonly outcome: ToolOutcome;
  /** The client's own result, where the drawn call has a place for this very message. */
  readonly result?: Message | undefined;
  /** The call changed the mode of the run. */
  readonly mode?: Mode;
  /** The run rests until the user acts. */
  readonly endsRun?: boolean;
}

/** A built-in tool whose work is done by the client: same name, schema and modes, another way to run. */
export interface RemoteTool<Args = unknown> {
  readonly tool: Tool;
  /** Whether models are told of it; a tool that is not is still run when it is called. */
  isListed?(session: RemoteSession): boolean;
  /** What the mode must know beyond the tool's own risk. */
  touches?(args: Args): readonly Touch[];
  /** What rules must know before anything is asked or sent; each exec is judged by its own arguments besides. */
  claims?(args: Args, call: RemoteCall): readonly Touch[];
  run(args: Args, call: RemoteCall): Promise<RemoteAnswer>;
}

export function defineRemoteTool<Args>(name: string, program: Omit<RemoteTool<Args>, 'tool'>): RemoteTool {
  // `run` is handed only what the tool's own schema has parsed.
  return { tool: findBuiltinTool(name), ...program } as RemoteTool;
}
