// Token counts, both ways. Known from OpenAI's reference; DeepSeek (`prompt_cache_hit_tokens`), Moonshot
// (`cached_tokens`), OpenRouter (`cache_write_tokens`) and LiteLLM (`cache_*_input_tokens`) from their documentation.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Usage,
} from '../../core/index.ts';
import type { ChatUsage } from './schema.ts';

/** Undefined when there is nothing to read: a usage of null, or one without any count. */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = count(value.prompt_tokens);
  const outputTokens = count(value.completion_tokens);
  const totalTokens = count(value.total_tokens);
  if (inputTokens === undefined && outputTokens === undefined && totalTokens === undefined) return undefined;
  const input = details(value.prompt_tokens_details);
  const output = details(value.completion_tokens_details);
  return omitUndefined({
    inputTokens: inputTokens ?? Math.max(0, (totalTokens ?? 0) - (outputTokens ?? 0)),
    outputTokens: outputTokens ?? Math.max(0, (totalTokens ?? 0) - (inputTokens ?? 0)),
    totalTokens: totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    cacheReadTokens:
      count(input.cached_tokens) ??
      count(value.prompt_cache_hit_tokens) ??
      count(value.cached_tokens) ??
      count(value.cache_read_input_tokens),
    cacheWriteTokens: count(input.cache_write_tokens) ?? count(value.cache_creation_input_tokens),
    inputAudioTokens: count(input.audio_tokens),
    reasoningTokens: count(output.reasoning_tokens) ?? count(value.reasoning_tokens),
    outputAudioTokens: count(output.audio_tokens),
    acceptedPredictionTokens: count(output.accepted_prediction_tokens),
    rejectedPredictionTokens: count(output.rejected_prediction_tokens),
  });
}

/** Details nobody counted stay absent: a zero would be a claim. */
export function encodeUsage(usage: Usage): ChatUsage {
  const input = omitUndefined({
    cached_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    audio_tokens: usage.inputAudioTokens,
  });
  const output = omitUndefined({
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.outputAudioTokens,
    accepted_prediction_tokens: usage.acceptedPredictionTokens,
    rejected_prediction_tokens: usage.rejectedPredictionTokens,
  });
  return omitUndefined({
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: Object.keys(input).length > 0 ? input : undefined,
    completion_tokens_details: Object.keys(output).length > 0 ? output : undefined,
    estimated: usage.estimated || undefined,
  });
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function details(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
