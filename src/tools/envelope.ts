// The client's own envelopes: `builtin_tool_call {case, value}` in, `tool_result {case, value}` out, and the life-cycle
// events in between. Known from a public description of the client; the case is the lower-case enum name.
import { findClientTool, MCP_TOOL_NUMBER, resolveToolName } from '../catalogue/index.ts';
import {
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../core/index.ts';
import type { Progress } from './tool-context.ts';
import type { Attachments, FailureCode, ToolOutcome } from './tool-outcome.ts';

/** One call as the runtime takes it, from whatever channel. */
export interface ToolCall {
  readonly id: string;
  /** Any name the catalogue or an MCP server knows. */
  readonly name: string;
  readonly args: JsonObject;
}

/** Stands between the id of a call and those of the calls that are made inside it. */
export const INSIDE = '>';

export interface BuiltinToolCall {
  readonly id: string;
  readonly type: 'builtin_tool_call';
  readonly builtin_tool_call: { readonly case: string; readonly value: JsonObject };
}

export interface ToolResultValue {
  readonly tool_call_id: string;
  readonly content?: string;
  readonly error?: { readonly message: string; readonly code: string };
  readonly attachments?: Attachments;
}

export interface ToolResultEnvelope {
  readonly tool_result: {
    readonly case: 'builtin_tool_result' | 'call_mcp_tool_result';
    readonly value: ToolResultValue;
  };
}

const CALL_MCP_TOOL_NUMBER = 49;

export function decodeBuiltinCall(envelope: unknown): ToolCall {
  if (!isJsonObject(envelope))
    throw invalidRequest('A tool call must be an object with id and builtin_tool_call.');
  const { id, type, builtin_tool_call: call } = envelope;
  if (typeof id !== 'string' || id === '') throw invalidRequest('id must be a non-empty string.', 'id');
  if (type !== undefined && type !== 'builtin_tool_call') {
    throw invalidRequest(`type must be "builtin_tool_call", not ${JSON.stringify(type)}.`, 'type');
  }
  if (!isJsonObject(call) || typeof call.case !== 'string' || call.case === '') {
    throw invalidRequest(
      'builtin_tool_call must have a case, e.g. {"case": "read_file_v2", "value": {…}}.',
      'builtin_tool_call',
    );
  }
  return { id, name: call.case, args: decodeValue(call.value) };
}

function decodeValue(value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw invalidRequest('builtin_tool_call.value must be an object of arguments.', 'builtin_tool_call.value');
}

export function encodeBuiltinCall(call: ToolCall): BuiltinToolCall {
  const tool = resolveToolName(call.name, call.args);
  const name = tool.number === MCP_TOOL_NUMBER ? call.name : tool.caseName;
  return { id: call.id, type: 'builtin_tool_call', builtin_tool_call: { case: name, value: call.args } };
}

/** `toolNumber` says which case the result travels under: MCP results have their own. */
export function encodeToolResult(
  callId: string,
  toolNumber: number,
  outcome: ToolOutcome,
): ToolResultEnvelope {
  const isMcp = toolNumber === MCP_TOOL_NUMBER || toolNumber === CALL_MCP_TOOL_NUMBER;
  const value = omitUndefined({
    tool_call_id: callId,
    content: outcome.ok ? outcome.content : undefined,
    error: outcome.ok ? undefined : { message: outcome.error.message, code: outcome.error.code },
    attachments: attachmentsOf(outcome),
  });
  return { tool_result: { case: isMcp ? 'call_mcp_tool_result' : 'builtin_tool_result', value } };
}

/** Pictures travel as the client knows them: base64 in the attachments. */
function attachmentsOf(outcome: ToolOutcome): Attachments | undefined {
  const image = outcome.ok ? outcome.parts?.find((part) => part.type === 'image') : undefined;
  const picture = image && 'data' in image.source ? { image_base64: image.source.data } : {};
  const all = { ...picture, ...outcome.attachments };
  return Object.keys(all).length === 0 ? undefined : all;
}

export function decodeToolResult(envelope: unknown): {
  readonly callId: string;
  readonly outcome: ToolOutcome;
} {
  const result = isJsonObject(envelope) ? envelope.tool_result : undefined;
  const value = isJsonObject(result) ? result.value : undefined;
  if (!isJsonObject(value) || typeof value.tool_call_id !== 'string') {
    throw invalidRequest('tool_result.value must have a tool_call_id.', 'tool_result.value.tool_call_id');
  }
  const attachments = isJsonObject(value.attachments) ? { attachments: value.attachments } : {};
  if (isJsonObject(value.error)) {
    const { code, message } = value.error;
    // The wire's code is free text; programs that know it compare strings all the same.
    const known = (typeof code === 'string' ? code : 'FAILED') as FailureCode;
    return {
      callId: value.tool_call_id,
      outcome: { ok: false, error: { code: known, message: String(message ?? code) }, ...attachments },
    };
  }
  const content = typeof value.content === 'string' ? value.content : '';
  return { callId: value.tool_call_id, outcome: { ok: true, content, ...attachments } };
}

interface CallEvent {
  readonly callId: string;
  /** As the caller wrote it. */
  readonly name: string;
  readonly atMs: number;
}

/** The life of a call for whoever watches; every `started` is followed by exactly one `completed`. */
export type LifecycleEvent =
  | (CallEvent & { readonly type: 'started'; readonly args: JsonObject })
  | (CallEvent & { readonly type: 'awaiting-approval'; readonly approvalId: string; readonly reason: string })
  | (CallEvent & { readonly type: 'running' })
  | (CallEvent & { readonly type: 'progress'; readonly progress: Progress })
  | (CallEvent & { readonly type: 'completed'; readonly toolNumber: number; readonly outcome: ToolOutcome });

/** The number under which a call's result is encoded, for callers that hold only the name. */
export function toolNumberOf(call: ToolCall): number {
  const { number } = resolveToolName(call.name, call.args);
  return findClientTool(number) ? number : MCP_TOOL_NUMBER;
}
