// The shapes of output items, shared by the stream and the whole answer.
import {
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ReasoningEnd,
  type ReasoningPart,
  type ToolResultPart,
} from '../../core/index.ts';
import { OPENAI, OPENAI_RESPONSES } from './schema.ts';
import { sealProof } from './sealed-content.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function messageItem(id: string, status: ItemStatus, content: JsonValue[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

export function textPart(
  text: string,
  annotations: readonly JsonValue[] = [],
  logprobs: JsonValue[] = [],
): JsonObject {
  return { type: 'output_text', text, annotations: [...annotations], logprobs };
}

export function refusalPart(text: string): JsonObject {
  return { type: 'refusal', refusal: text };
}

export interface CallFields {
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly text: string;
  readonly status: ItemStatus;
}

export function functionCallItem({ id, callId, name, namespace, text, status }: CallFields): JsonObject {
  return omitUndefined({
    id,
    type: 'function_call',
    status,
    arguments: text,
    call_id: callId,
    name,
    namespace,
  }) as JsonObject; // strings only
}

export function customCallItem({ id, callId, name, namespace, text, status }: CallFields): JsonObject {
  return omitUndefined({
    id,
    type: 'custom_tool_call',
    status,
    call_id: callId,
    input: text,
    name,
    namespace,
  }) as JsonObject; // strings only
}

/** A call that ran inside the turn, by the gateway or by another vendor's server: shown, never to be run again. */
export function serverCallItem(fields: CallFields, result: ToolResultPart | undefined): JsonObject {
  const text = result?.content
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n');
  return {
    id: fields.id,
    type: 'mcp_call',
    status: result?.isError ? 'failed' : 'completed',
    server_label: 'crosspoint',
    name: fields.name,
    arguments: fields.text,
    output: result?.isError ? null : (text ?? null),
    error: result?.isError ? (text ?? '') : null,
  };
}

export function reasoningItem(
  id: string,
  summary: readonly JsonObject[],
  content: readonly JsonObject[],
  encrypted: string | undefined,
): JsonObject {
  return omitUndefined({
    id,
    type: 'reasoning',
    summary: [...summary],
    content: content.length > 0 ? [...content] : undefined,
    encrypted_content: encrypted,
  }) as JsonObject; // JSON values only
}

/** The `encrypted_content` for a thought: OpenAI's as it is, any other vendor's proof packed so that it comes back. */
export function encryptedContent(
  proof: Pick<ReasoningPart, 'text' | 'form' | 'signature' | 'encrypted' | 'origin'>,
): string | undefined {
  const { encrypted, signature, origin } = proof;
  if (encrypted !== undefined && signature === undefined && (origin ?? OPENAI) === OPENAI) return encrypted;
  return encrypted === undefined && signature === undefined ? undefined : sealProof(proof);
}

/** An item shows its summary before its content, and a hidden thought has nothing to share with a visible one. */
export function beginsReasoningItem(form: ReasoningPart['form'], hasContent: boolean): boolean {
  return form === 'redacted' || (form === 'summary' && hasContent);
}

/** A thought that carries a proof, or the mark of this dialect, is the last of its item. */
export function endsReasoningItem(end: Pick<ReasoningEnd, 'encrypted' | 'signature' | 'extra'>): boolean {
  const isMarked = end.extra?.[OPENAI_RESPONSES]?.item !== undefined;
  return isMarked || end.encrypted !== undefined || end.signature !== undefined;
}

/** Token probabilities from this dialect are a list; the chat dialect wraps it. */
export function logprobList(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  const isObject = typeof value === 'object' && value !== null;
  return isObject && Array.isArray(value.content) ? value.content : [];
}

/** A function without arguments is called with an empty object: the Agents SDK breaks on an empty string. */
export function argumentsOrEmpty(argumentsText: string): string {
  return argumentsText === '' ? '{}' : argumentsText;
}

export function imageItem(id: string, data: string, rest: JsonObject | undefined): JsonObject {
  return { id, type: 'image_generation_call', status: 'completed', ...rest, result: data };
}
