// Interaction updates: what a user would see of a run. Text, thoughts and arguments become events; counts are added up;
// what only a screen needs is left out; what this version does not know is kept as it is.
import { toJson } from '@bufbuild/protobuf';
import type { JsonValue, TurnEvent, TurnSpans } from '../../core/index.ts';
import {
  type InteractionUpdate,
  InteractionUpdateSchema,
  type TurnEndedUpdate,
} from '../../gen/agent/v1/interaction_update_pb.ts';
import type { ToolCall } from '../../gen/agent/v1/tool_call_pb.ts';
import { CURSOR_AGENT } from './agent-settings.ts';
import type { AgentTool, AgentTools } from './agent-tools.ts';
import type { ExecChannel } from './exec-channel.ts';
import type { RunUsage } from './run-usage.ts';
import type { StreamedInputs } from './streamed-inputs.ts';

export type UpdateSignal =
  | { readonly type: 'text' | 'thinking' | 'step-completed' }
  /** The model has begun a call; if it is one of the caller's tools, its exec is on the way. */
  | { readonly type: 'call-begun'; readonly callId: string; readonly isCallers: boolean }
  | { readonly type: 'call-completed'; readonly callId: string }
  | { readonly type: 'turn-ended'; readonly ended: TurnEndedUpdate };

export interface UpdateContext {
  readonly spans: TurnSpans;
  readonly inputs: StreamedInputs;
  readonly tools: AgentTools;
  readonly exec: ExecChannel;
  readonly usage: RunUsage;
  /** Whether the argument text of a call may leave before the call is complete. */
  mayStream(callId: string): boolean;
}

export function decodeUpdate(
  update: InteractionUpdate,
  context: UpdateContext,
  out: TurnEvent[],
): UpdateSignal | undefined {
  const { spans, usage, exec } = context;
  const { message } = update;
  switch (message.case) {
    case 'textDelta': {
      const { text, isServerNotice } = message.value;
      if (text === '') return undefined;
      if (isServerNotice) {
        out.push({ type: 'warning', code: 'server-notice', message: text });
        return undefined;
      }
      spans.text(text, out);
      return { type: 'text' };
    }
    case 'thinkingDelta':
      if (message.value.text === '') return undefined;
      spans.reasoning(message.value.text, out);
      return { type: 'thinking' };
    case 'thinkingCompleted':
      spans.closeProse(out);
      return undefined;
    case 'partialToolCall':
    case 'toolCallStarted': {
      const { callId, toolCall } = message.value;
      if (toolCall?.tool.case === 'editToolCall') exec.noteEdit(callId);
      const tool = callerTool(toolCall, context.tools);
      if (tool && message.case === 'partialToolCall') {
        const { argsTextDelta: delta } = message.value;
        context.inputs.append({ callId, tool, delta, mayStream: context.mayStream(callId) }, out);
      }
      return { type: 'call-begun', callId, isCallers: tool !== undefined };
    }
    case 'toolCallCompleted':
      return { type: 'call-completed', callId: message.value.callId };
    case 'tokenDelta':
      usage.addOutput(message.value.tokens);
      return undefined;
    case 'stepCompleted':
      return { type: 'step-completed' };
    case 'turnEnded':
      return { type: 'turn-ended', ended: message.value };
    case 'heartbeat':
    case 'stepStarted':
    case 'toolCallDelta': // may hold the updates of a sub-agent; its `turn_ended` is not ours
    case 'shellOutputDelta':
    case 'userMessageAppended':
      return undefined;
    default: // summaries, suggestions, surveys, routed models, and what is not known yet
      out.push({ type: 'opaque', dialect: CURSOR_AGENT, value: describeUpdate(update) });
      return undefined;
  }
}

function callerTool(toolCall: ToolCall | undefined, tools: AgentTools): AgentTool | undefined {
  const args = toolCall?.tool.case === 'mcpToolCall' ? toolCall.tool.value.args : undefined;
  return args && tools.find(args);
}

function describeUpdate(update: InteractionUpdate): JsonValue {
  const unknownFields = (update.$unknown ?? []).map(({ no }) => no);
  const value: JsonValue = { frame: 'interaction_update', unknownFields };
  try {
    return { ...value, update: toJson(InteractionUpdateSchema, update) };
  } catch {
    return value; // a value that JSON cannot hold
  }
}
