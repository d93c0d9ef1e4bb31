// A whole chat answer, canon to `chat.completion`. Known from OpenAI's reference.
import {
  type AudioPart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type TextPart,
  type ToolCallPart,
  type TurnResult,
} from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { describeAnswer } from './describe-answer.ts';
import { encodeFinishReason } from './finish-reason.ts';
import {
  type ChatAnswerMessage,
  type ChatCompletion,
  type ChatToolCall,
  OPENAI_CHAT,
  usesLegacyFunctions,
} from './schema.ts';
import { asChoiceLogprobs } from './turn-encoder.ts';
import { encodeUsage } from './usage.ts';

export function encodeResult(result: TurnResult, context: EncodeContext): ChatCompletion {
  const { id, created, model, kept } = describeAnswer(result.start, context);
  const isLegacy = usesLegacyFunctions(context.request);
  const message = encodeAnswer(result, isLegacy);
  const hasCalls = message.tool_calls !== undefined || message.function_call !== undefined;
  const reason = encodeFinishReason(result.finishReason, { hasCalls, hasRefusal: message.refusal !== null });
  return omitUndefined({
    id,
    object: 'chat.completion' as const,
    created,
    model,
    choices: [
      {
        index: 0,
        message,
        logprobs: mergeLogprobs(result),
        finish_reason: reason === 'tool_calls' && isLegacy ? ('function_call' as const) : reason,
      },
    ],
    usage: result.usage && encodeUsage(result.usage),
    ...kept,
  });
}

function encodeAnswer(result: TurnResult, isLegacy: boolean): ChatAnswerMessage {
  const texts: TextPart[] = [];
  const calls: ChatToolCall[] = [];
  let thought = '';
  let refusal = '';
  let audio: AudioPart | undefined;
  for (const part of result.content) {
    if (part.type === 'text') texts.push(part);
    else if (part.type === 'reasoning') thought += part.text;
    else if (part.type === 'refusal') refusal += part.text;
    else if (part.type === 'audio') audio = part;
    else if (part.type === 'tool-call' && part.kind !== 'hosted') calls.push(encodeCall(part));
  }
  const text = texts.map((part) => part.text).join('');
  const annotations = texts.flatMap((part) => part.annotations ?? []);
  const hasOther = calls.length > 0 || refusal !== '' || audio !== undefined;
  const first = calls[0];
  return omitUndefined({
    role: 'assistant' as const,
    content: text === '' && hasOther ? null : text,
    refusal: refusal === '' ? null : refusal,
    reasoning_content: thought === '' ? undefined : thought,
    annotations: annotations.length > 0 ? annotations : undefined,
    tool_calls: calls.length > 0 && !isLegacy ? calls : undefined,
    function_call: isLegacy && first?.type === 'function' ? first.function : undefined,
    audio: audio && encodeAudio(audio, result),
  });
}

function encodeCall(call: ToolCallPart): ChatToolCall {
  const { callId: id, name, argumentsText } = call;
  if (call.kind === 'custom') return { id, type: 'custom', custom: { name, input: argumentsText } };
  // Clients parse this text, and an empty one is no JSON.
  return { id, type: 'function', function: { name, arguments: argumentsText === '' ? '{}' : argumentsText } };
}

function encodeAudio(audio: AudioPart, result: TurnResult): JsonObject {
  const kept = result.end?.extra?.[OPENAI_CHAT]?.audio;
  const data = audio.source.type === 'base64' ? audio.source.data : undefined;
  return omitUndefined({ ...(isJsonObject(kept) ? kept : undefined), data, transcript: audio.transcript });
}

/** Scores came in pieces, one list per delta; here they are one list for the text and one for the refusal. */
function mergeLogprobs(result: TurnResult): JsonValue {
  let merged: { content: JsonValue[]; refusal: JsonValue[] } | undefined;
  for (const part of result.content) {
    if (part.type !== 'text' || !Array.isArray(part.logprobs)) continue;
    for (const piece of part.logprobs) {
      const scores = asChoiceLogprobs(piece);
      if (!isJsonObject(scores)) continue;
      merged ??= { content: [], refusal: [] };
      if (Array.isArray(scores.content)) merged.content.push(...scores.content);
      if (Array.isArray(scores.refusal)) merged.refusal.push(...scores.refusal);
    }
  }
  return merged
    ? { content: merged.content, refusal: merged.refusal.length > 0 ? merged.refusal : null }
    : null;
}
