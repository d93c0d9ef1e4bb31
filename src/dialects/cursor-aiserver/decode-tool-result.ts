// aiserver.v1 `ConversationMessage.ToolResult`: a finished call of the history, with what came of it. IDEs send the typed
// result, public gateways the same with a JSON text for MCP tools; old clients sent `content` alone.
import { toJson } from '@bufbuild/protobuf';
import { isJsonObject, type TextPart, type ToolCallPart, type ToolResultPart } from '../../core/index.ts';
import type { ConversationMessage_ToolResult } from '../../gen/aiserver/v1/chat_request_pb.ts';
import {
  type ClientSideToolV2Result,
  ClientSideToolV2ResultSchema,
  type ToolResultError,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { ToolMessages, WireCall } from './aiserver-host.ts';
import { decodeImages } from './decode-images.ts';
import type { HistoryIds } from './history-ids.ts';
import { codeChunk } from './message-context.ts';
import { resultNotes } from './result-notes.ts';

export interface HistoryCodec {
  readonly messages: ToolMessages;
  readonly ids: HistoryIds;
  readonly onDrift: (kind: string) => void;
}

type ResultContent = ToolResultPart['content'];

export interface HistoryCall {
  readonly call: ToolCallPart;
  /** Undefined when the client has none. */
  readonly result: ToolResultPart | undefined;
  /** Names the model's turn; calls of one turn share it. */
  readonly modelCallId: string | undefined;
}

/** `place` tells calls without an id apart. */
export function decodeHistoryCall(
  entry: ConversationMessage_ToolResult,
  place: string,
  codec: HistoryCodec,
): HistoryCall {
  const known = readCall(entry, codec);
  const wireId = entry.toolCallId || entry.toolCall?.toolCallId || entry.result?.toolCallId || '';
  const callId = codec.ids.read(wireId === '' ? `call_${place}` : wireId);
  const name = entry.toolName || known?.modelName || known?.name || 'unknown_tool';
  const call: ToolCallPart = {
    type: 'tool-call',
    callId,
    name,
    kind: 'function',
    argumentsText: argumentsOf(entry, known),
  };
  const read = readResult(entry, codec);
  const result: ToolResultPart | undefined = read && {
    type: 'tool-result',
    callId,
    name,
    content: [...read.content, ...attachments(entry, codec)],
    ...(read.isError ? { isError: true } : {}),
  };
  return {
    call,
    result,
    modelCallId: entry.modelCallId || entry.toolCall?.modelCallId || entry.result?.modelCallId || undefined,
  };
}

function readCall(entry: ConversationMessage_ToolResult, codec: HistoryCodec): WireCall | undefined {
  if (entry.toolCall === undefined) return undefined;
  try {
    return codec.messages.decodeCall(entry.toolCall);
  } catch {
    codec.onDrift(`ClientSideToolV2 ${entry.toolCall.tool}`);
    return undefined;
  }
}

/** The model's own text where the client kept it; history must hold JSON, whatever it kept. */
function argumentsOf(entry: ConversationMessage_ToolResult, known: WireCall | undefined): string {
  const params = entry.toolCall?.params;
  const mcp = params?.case === 'mcpParams' ? params.value.tools[0]?.parameters : undefined;
  const texts = [entry.rawArgs, entry.args, known?.rawArgs, mcp];
  const written = texts.find((text) => text !== undefined && isJsonObjectText(text));
  return written ?? JSON.stringify(known?.args ?? {});
}

function isJsonObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

interface ReadResult {
  readonly content: ResultContent;
  readonly isError: boolean;
}

function readResult(entry: ConversationMessage_ToolResult, codec: HistoryCodec): ReadResult | undefined {
  if (entry.error) return { content: [textPart(errorText(entry.error))], isError: true };
  if (entry.content) return { content: [textPart(entry.content)], isError: false };
  if (entry.result === undefined) return undefined;
  // An empty message is what a client sends that has nothing to say yet.
  if (entry.result.result.case === undefined && entry.result.error === undefined) return undefined;
  return decodeOutcome(entry.result, codec);
}

/** What came of a call, for the model; what cannot be read is shown as it is. */
export function decodeOutcome(
  message: ClientSideToolV2Result,
  { messages, onDrift }: Pick<HistoryCodec, 'messages' | 'onDrift'>,
): ReadResult {
  try {
    const { outcome } = messages.decodeResult(message);
    if (!outcome.ok) return { content: [textPart(outcome.error.message)], isError: true };
    const text = [outcome.content, ...resultNotes(message)].filter((one) => one !== '').join('\n');
    return { content: [textPart(text), ...(outcome.parts ?? [])], isError: false };
  } catch {
    onDrift(`ClientSideToolV2Result ${message.tool}`);
    if (message.error) return { content: [textPart(errorText(message.error))], isError: true };
    return {
      content: [textPart(JSON.stringify(toJson(ClientSideToolV2ResultSchema, message)))],
      isError: false,
    };
  }
}

function errorText(error: ToolResultError): string {
  return error.modelVisibleErrorMessage || error.clientVisibleErrorMessage || 'The call failed.';
}

function attachments(entry: ConversationMessage_ToolResult, { onDrift }: HistoryCodec): ResultContent {
  const chunks = entry.attachedCodeChunks.map((chunk) => textPart(codeChunk('attached_code', chunk)));
  return [...chunks, ...decodeImages(entry.images, onDrift)];
}

function textPart(text: string): TextPart {
  return { type: 'text', text };
}
