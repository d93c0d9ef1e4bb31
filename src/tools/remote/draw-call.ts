// Calls as the client draws them: `ToolCall` with `args` while it runs, with `args` and `result` when it is done. The
// client's own result is shown where the member holds that very message, else the outcome in the member's own form.
import { type Message, mergeFromBinary, toBinary } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { type ToolCall, ToolCallSchema } from '../../gen/agent/v1/tool_call_pb.ts';
import { present } from '../codecs/call-form.ts';
import { agentCodec } from '../codecs/index.ts';
import { writeMessage } from '../codecs/message-json.ts';
import type { ListedMcpTool } from './mcp/mcp-catalogue.ts';
import type { RemoteAnswer } from './remote-tool.ts';
import { memberOf, type Resolved } from './resolve-call.ts';

export interface DrawnCall {
  readonly callId: string;
  /** As the model wrote it; shown for names that nothing stands behind. */
  readonly name: string;
  readonly resolved: Resolved | undefined;
  readonly input: JsonValue | undefined;
}

export function drawCall(call: DrawnCall): ToolCall {
  const { resolved, input, callId } = call;
  const args = isJsonObject(input) ? input : {};
  if (resolved?.kind !== 'builtin') return drawMcpCall(call.name, resolved?.target, args, callId);
  const { tool } = resolved.program;
  const parsed = tool.args.safeParse(input ?? {});
  const known = parsed.success && isJsonObject(parsed.data) ? parsed.data : args; // half a call may not parse yet
  const drawn = agentCodec.encodeCall(tool.name, known, { callId }).message;
  if (drawn.tool.case === 'editToolCall' && drawn.tool.value.args)
    Object.assign(drawn.tool.value.args, editDrawing(tool.name, known));
  return drawn;
}

/** An edit is drawn as a path and the text that goes in; patches and replacements have no fields of their own. */
function editDrawing(
  name: string,
  { patch, new_string }: JsonObject,
): { path?: string; streamContent?: string } {
  if (name === 'apply_patch' && typeof patch === 'string') {
    const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(patch)?.[1]?.trim();
    return { streamContent: patch, ...(path === undefined ? {} : { path }) };
  }
  return typeof new_string === 'string' ? { streamContent: new_string } : {};
}

function drawMcpCall(
  name: string,
  target: ListedMcpTool | undefined,
  args: JsonObject,
  callId: string,
): ToolCall {
  const fields = present({
    name: target?.wireName ?? name,
    tool_name: target?.tool ?? name,
    provider_identifier: target?.server,
    server_identifier: target?.server,
    tool_call_id: callId,
    args,
  });
  return writeMessage(ToolCallSchema, { tool_call_id: callId, mcp_tool_call: { args: fields } }).message;
}

export function drawResult(call: DrawnCall, answer: RemoteAnswer): ToolCall {
  const drawn = drawCall(call);
  const name = call.resolved?.kind === 'builtin' ? call.resolved.program.tool.name : 'mcp';
  if (answer.result && setOwnResult(drawn, answer.result, call.resolved)) return drawn;
  const { message } = agentCodec.encodeResult(name, answer.outcome, { callId: call.callId });
  return mergeFromBinary(ToolCallSchema, drawn, toBinary(ToolCallSchema, message));
}

/** False when the member's result is another message than the client's. */
function setOwnResult(drawn: ToolCall, result: Message, resolved: Resolved | undefined): boolean {
  const member = resolved === undefined ? '' : memberOf(resolved);
  const call = ToolCallSchema.fields.find((field) => field.name === member)?.message;
  const place = call?.fields.find((field) => field.name === 'result');
  if (!place?.message || place.message.typeName !== result.$typeName || drawn.tool.value === undefined)
    return false;
  Object.assign(drawn.tool.value, { [place.localName]: result }); // the type names are the same
  return true;
}
