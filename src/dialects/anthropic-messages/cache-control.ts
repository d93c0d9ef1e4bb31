import {
  type CacheHint,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';

export function decodeCache(value: JsonValue | undefined): CacheHint | undefined {
  if (!isJsonObject(value)) return undefined;
  return omitUndefined({ ttl: typeof value.ttl === 'string' ? value.ttl : undefined });
}

export function encodeCache(cache: CacheHint | undefined): JsonObject | undefined {
  return cache && omitUndefined({ type: 'ephemeral', ttl: cache.ttl });
}

/** Anthropic refuses a request with more marks than this. */
const MAX_MARKS = 4;

/** The latest marks cover the longest prefixes, so the earliest go first. Changes the blocks in place. */
export function limitCacheMarks(blocks: readonly JsonObject[]): void {
  const marked = blocks.filter((block) => block.cache_control !== undefined);
  for (const block of marked.slice(0, Math.max(0, marked.length - MAX_MARKS))) delete block.cache_control;
}
