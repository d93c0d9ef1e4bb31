// Token counts, both ways. Known from OpenAI's reference.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Usage,
} from '../../core/index.ts';
import type { ResponsesUsage } from './schema.ts';

/** Undefined when there is nothing to read. */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = count(value.input_tokens);
  const outputTokens = count(value.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const input = details(value.input_tokens_details);
  const output = details(value.output_tokens_details);
  return omitUndefined({
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: count(value.total_tokens) ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    cacheReadTokens: count(input.cached_tokens),
    cacheWriteTokens: count(input.cache_write_tokens),
    inputAudioTokens: count(input.audio_tokens),
    reasoningTokens: count(output.reasoning_tokens),
    outputAudioTokens: count(output.audio_tokens),
  });
}

/**
 * The two details are always there, zero when nobody counted them: OpenAI always sends them, typed client libraries
 * read them without asking, and Codex refuses a details object that lacks its number.
 */
export function encodeUsage(usage: Usage): ResponsesUsage {
  return omitUndefined({
    input_tokens: usage.inputTokens,
    input_tokens_details: omitUndefined({
      cached_tokens: usage.cacheReadTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_tokens: usage.inputAudioTokens,
    }),
    output_tokens: usage.outputTokens,
    output_tokens_details: omitUndefined({
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: usage.outputAudioTokens,
    }),
    total_tokens: usage.totalTokens,
    estimated: usage.estimated || undefined,
  });
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function details(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
