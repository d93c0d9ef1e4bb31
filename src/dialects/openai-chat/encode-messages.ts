// Messages, canon to a chat wire. Departures from a plain copy, all for requests of other dialects only unless said:
// neighbouring assistant messages become one, text lists become one string, media in tool results (always) follows in
// a user message, because a tool message holds text only.
import {
  type JsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  type Warning,
} from '../../core/index.ts';
import { encodeMediaPart, encodePart } from './encode-parts.ts';
import { encodeCache } from './encode-tools.ts';
import type { ChatEncoding } from './encoding-options.ts';
import { lowerArguments } from './lowered-tool.ts';
import { encodeReplayedReasoning } from './reasoning.ts';
import { OPENAI_CHAT } from './schema.ts';
import type { ToolNames } from './tool-names.ts';

export interface MessageContext {
  readonly encoding: ChatEncoding;
  readonly names: ToolNames;
  /** The request was spoken in this dialect: its own form is kept. */
  readonly isNative: boolean;
  readonly warnings: Warning[];
}

type ResultMedia = Exclude<ToolResultPart['content'][number], { type: 'text' }>;

export function encodeMessages(messages: readonly Message[], context: MessageContext): JsonObject[] {
  const out: JsonObject[] = [];
  let media: JsonValue[] = [];
  const flushMedia = () => {
    // Results of parallel calls must stay together, so what they showed comes after the last of them.
    if (media.length > 0) out.push({ role: 'user', content: media });
    media = [];
  };
  for (const message of context.isNative ? messages : mergeAssistants(messages)) {
    if (message.role !== 'tool') flushMedia();
    if (message.role === 'assistant') out.push(encodeAssistant(message, context));
    else if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue;
        out.push(encodeResult(message, part, context));
        media.push(...encodeResultMedia(part, context));
      }
    } else {
      const encoded = encodePlain(message, message.role, context);
      if (encoded) out.push(encoded);
    }
  }
  flushMedia();
  return out;
}

/** Put between texts that were apart, so that they do not run into each other. */
const PARAGRAPH: Part = { type: 'text', text: '\n\n' };

/** Dialects of items (Responses) bring the text and each call of one turn apart; here they are one message. */
function mergeAssistants(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === 'assistant' && message.role === 'assistant') {
      const isGap = last.content.at(-1)?.type === 'text' && message.content[0]?.type === 'text';
      const content = [...last.content, ...(isGap ? [PARAGRAPH] : []), ...message.content];
      merged[merged.length - 1] = { ...last, content };
    } else merged.push(message);
  }
  return merged;
}

function encodePlain(
  message: Message,
  role: 'system' | 'developer' | 'user',
  context: MessageContext,
): JsonObject | undefined {
  const { encoding, isNative } = context;
  const content = encodeContent(message.content, '\n\n', context);
  // A user turn that held nothing this dialect can say would be refused as empty.
  if (content === '' && !isNative) return undefined;
  const wireRole = role === 'developer' && !encoding.developerRole && !isNative ? 'system' : role;
  return omitUndefined({ ...message.extra?.[OPENAI_CHAT], role: wireRole, content, name: message.name });
}

/** One string where one string says it all; a list of parts otherwise. */
function encodeContent(
  parts: readonly Part[],
  separator: string,
  context: MessageContext,
): string | JsonValue[] {
  const keepsMarks = context.isNative || context.encoding.cacheControl;
  const isPlain = parts.every(
    (part) =>
      part.type === 'text' &&
      !(keepsMarks && part.cache) &&
      !part.extra?.[OPENAI_CHAT] &&
      !(context.isNative && part.annotations),
  );
  if (isPlain && (!context.isNative || parts.length <= 1)) {
    return parts.map((part) => (part.type === 'text' ? part.text : '')).join(separator);
  }
  return parts.flatMap((part) => encodePart(part, context));
}

function encodeAssistant(message: Message, context: MessageContext): JsonObject {
  const prose: Part[] = [];
  const thoughts: ReasoningPart[] = [];
  const calls: JsonObject[] = [];
  let audio: JsonObject | undefined;
  let isApart = false;
  for (const part of message.content) {
    if (part.type === 'tool-call') {
      if (part.kind !== 'hosted') calls.push(encodeCall(part, context));
      isApart = prose.length > 0;
    } else if (part.type === 'reasoning') thoughts.push(part);
    else if (part.type === 'audio' && part.source.type === 'id') audio = { id: part.source.id };
    else {
      if (isApart && part.type === 'text') prose.push(PARAGRAPH);
      isApart = false;
      prose.push(part);
    }
  }
  const content = encodeContent(prose, '', context);
  const isEmpty = content.length === 0;
  const replays = context.isNative || context.encoding.reasoningReplay;
  return omitUndefined({
    ...message.extra?.[OPENAI_CHAT],
    role: 'assistant',
    // OpenAI refuses [] here, and null where there is nothing beside it.
    content: isEmpty ? (calls.length > 0 || audio ? null : '') : content,
    name: message.name,
    ...(replays ? encodeReplayedReasoning(thoughts) : undefined),
    audio,
    // An empty list is refused too, so it is never sent.
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

function encodeCall(call: ToolCallPart, context: MessageContext): JsonObject {
  const { function: innerFunction, custom: innerCustom, ...outer } = call.extra?.[OPENAI_CHAT] ?? {};
  const name = context.names.wireName(call);
  const cache_control = call.cache && keepsCache(context) ? encodeCache(call.cache) : undefined;
  const head = omitUndefined({ ...outer, id: call.callId, cache_control });
  if (call.kind === 'custom' && context.encoding.customTools) {
    return { ...head, type: 'custom', custom: { ...asObject(innerCustom), name, input: call.argumentsText } };
  }
  const argumentsText = call.kind === 'custom' ? lowerArguments(call.argumentsText) : call.argumentsText;
  // A call without any text was a call without arguments; strict servers want JSON there.
  const isBlank = argumentsText === '' && !context.isNative;
  const inner = { ...asObject(innerFunction), name, arguments: isBlank ? '{}' : argumentsText };
  return { ...head, type: 'function', function: inner };
}

function encodeResult(message: Message, result: ToolResultPart, context: MessageContext): JsonObject {
  const texts = result.content.filter((part) => part.type === 'text');
  const hasMedia = texts.length < result.content.length;
  let content: string | JsonValue[];
  if (context.isNative && !result.isError) content = encodeContent(texts, '\n', context);
  else content = markError(texts.map((part) => part.text).join('\n'), result.isError ?? false);
  if (content.length === 0 && hasMedia) content = 'The result is in the next message.';
  const cache_control = result.cache && keepsCache(context) ? encodeCache(result.cache) : undefined;
  return omitUndefined({
    ...message.extra?.[OPENAI_CHAT],
    role: 'tool',
    tool_call_id: result.callId,
    name: context.isNative ? result.name : undefined,
    content,
    cache_control,
  });
}

/** A chat tool message cannot say that it failed except in words; they are added only if the text has none. */
function markError(text: string, isError: boolean): string {
  if (!isError || /error|fail|denied|refused|exception/i.test(text)) return text;
  return text === '' ? 'Error: the tool failed without a message.' : `Error: ${text}`;
}

function encodeResultMedia(result: ToolResultPart, context: MessageContext): JsonValue[] {
  const media = result.content.filter((part): part is ResultMedia => part.type !== 'text');
  const parts = media.flatMap((part) => encodeMediaPart(part, context));
  return parts.length > 0
    ? [{ type: 'text', text: `Returned by tool call ${result.callId}:` }, ...parts]
    : [];
}

function keepsCache(context: MessageContext): boolean {
  return context.isNative || context.encoding.cacheControl;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
