import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUsage, encodeUsage, mergeUsage, usageRest } from './usage.ts';

describe('token counts of the Messages API', () => {
  it('come back as they went, for any counts', () => {
    const count = fc.nat(1_000_000);
    fc.assert(
      fc.property(count, count, count, count, (fresh, read, written, output) => {
        const usage = decodeUsage({
          input_tokens: fresh,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: written,
          output_tokens: output,
        });
        expect(usage?.inputTokens).toBe(fresh + read + written);
        expect(usage?.totalTokens).toBe(fresh + read + written + output);
        expect(encodeUsage(usage)).toMatchObject({ input_tokens: fresh, output_tokens: output });
      }),
    );
  });

  it('say that they are a guess when they are one', () => {
    const guess = { inputTokens: 1, outputTokens: 1, totalTokens: 2, estimated: true };
    expect(encodeUsage(guess)).toMatchObject({ estimated: true });
    expect(decodeUsage(encodeUsage(guess))).toMatchObject({ estimated: true });
  });

  it('are absent when nothing was counted', () => {
    expect(decodeUsage(null)).toBeUndefined();
    expect(decodeUsage({ service_tier: 'standard' })).toBeUndefined();
  });

  it('merge without a zero erasing a number', () => {
    const merged = mergeUsage(
      { input_tokens: 9, output_tokens: 1 },
      { input_tokens: 0, output_tokens: 5, x: null },
    );
    expect(merged).toEqual({ input_tokens: 9, output_tokens: 5, x: null });
    expect(usageRest(merged)).toEqual({ x: null });
  });
});
