// Token counts, both ways. Known from Anthropic's reference: `input_tokens` excludes cache reads and writes, counts in
// `message_delta` are cumulative. Compatible servers put the true count in only one of the two places.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Usage,
} from '../../core/index.ts';
import type { MessagesUsage } from './schema.ts';

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** Later counts replace earlier ones, except a null or zero that would erase a number. */
export function mergeUsage(
  earlier: JsonObject | undefined,
  later: JsonValue | undefined,
): JsonObject | undefined {
  if (!isJsonObject(later)) return earlier;
  const merged: JsonObject = { ...earlier };
  for (const [key, value] of Object.entries(later)) {
    const isEmpty = value === null || value === 0;
    if (!isEmpty || merged[key] === undefined) merged[key] = value;
  }
  return merged;
}

/** Undefined when there is nothing to read. Totals are inclusive, as the canon wants them. */
export function decodeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const [fresh, output, cacheWriteTokens, cacheReadTokens] = COUNTS.map((key) => count(value[key]));
  if (fresh === undefined && output === undefined) return undefined;
  const inputTokens = (fresh ?? 0) + (cacheWriteTokens ?? 0) + (cacheReadTokens ?? 0);
  const outputTokens = output ?? 0;
  return omitUndefined({
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    estimated: value.estimated === true || undefined,
  });
}

/** What a usage says beyond the counts: service tier, server tool uses, the cache's times to live. */
export function usageRest(value: JsonObject | undefined): JsonObject | undefined {
  if (!value) return undefined;
  const rest = Object.entries(value).filter(([key]) => !(COUNTS as readonly string[]).includes(key));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

export function encodeUsage(usage: Usage | undefined, rest?: JsonObject): MessagesUsage {
  const read = usage?.cacheReadTokens ?? 0;
  const written = usage?.cacheWriteTokens ?? 0;
  return omitUndefined({
    ...rest,
    input_tokens: Math.max(0, (usage?.inputTokens ?? 0) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage?.outputTokens ?? 0,
    estimated: usage?.estimated || undefined,
  });
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
