import { expect, it } from 'vitest';
import type { JsonObject, Usage } from '../../core/index.ts';
import { decodeUsage, encodeUsage } from './usage.ts';

const full: Usage = {
  inputTokens: 100,
  outputTokens: 50,
  totalTokens: 150,
  cacheReadTokens: 30,
  cacheWriteTokens: 20,
  inputAudioTokens: 5,
  reasoningTokens: 10,
  outputAudioTokens: 6,
  acceptedPredictionTokens: 7,
  rejectedPredictionTokens: 8,
};

it('carries every count both ways', () => {
  expect(encodeUsage(full)).toEqual({
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20, audio_tokens: 5 },
    completion_tokens_details: {
      reasoning_tokens: 10,
      audio_tokens: 6,
      accepted_prediction_tokens: 7,
      rejected_prediction_tokens: 8,
    },
  });
  expect(decodeUsage(encodeUsage(full))).toEqual(full);
});

it('does not claim counts that nobody made', () => {
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
  expect(encodeUsage(usage)).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 });
  expect(encodeUsage({ ...usage, estimated: true })).toMatchObject({ estimated: true });
});

it.each<[string, JsonObject]>([
  ['DeepSeek', { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 }],
  ['Moonshot', { cached_tokens: 4 }],
  ['LiteLLM', { cache_read_input_tokens: 4 }],
])('reads the cache hits of %s', (_server, fields) => {
  expect(
    decodeUsage({ prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, ...fields })?.cacheReadTokens,
  ).toBe(4);
});

it('works out what is missing and refuses what is no count', () => {
  expect(decodeUsage({ prompt_tokens: 10, total_tokens: 12 })).toMatchObject({ outputTokens: 2 });
  expect(decodeUsage(null)).toBeUndefined();
  expect(decodeUsage({})).toBeUndefined();
  expect(decodeUsage({ prompt_tokens: 'many' })).toBeUndefined();
});
