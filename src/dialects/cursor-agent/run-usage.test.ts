import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { TurnEndedUpdateSchema } from '../../gen/agent/v1/interaction_update_pb.ts';
import { RunUsage } from './run-usage.ts';

describe('the counts of a run', () => {
  it('are unknown when nothing was counted', () => {
    expect(new RunUsage().final(undefined)).toBeUndefined();
    expect(new RunUsage().final(create(TurnEndedUpdateSchema))).toBeUndefined();
  });

  it('are marked as an estimate when only the context and the stream were counted', () => {
    const usage = new RunUsage();
    usage.addOutput(30);
    usage.noteContext(1_000);
    expect(usage.final(undefined)).toEqual({
      inputTokens: 970,
      outputTokens: 30,
      totalTokens: 1_000,
      estimated: true,
    });
  });

  it('include what was read from and written to the cache', () => {
    const ended = create(TurnEndedUpdateSchema, {
      inputTokens: 1n,
      outputTokens: 2n,
      cacheReadTokens: 3n,
      cacheWriteTokens: 4n,
    });
    expect(new RunUsage().final(ended)).toEqual({
      inputTokens: 8,
      outputTokens: 2,
      totalTokens: 10,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
    });
  });

  it('cap cache reads that cannot be true, by the context of each round', () => {
    const usage = new RunUsage();
    usage.noteContext(100);
    usage.addRound();
    const ended = create(TurnEndedUpdateSchema, {
      inputTokens: 0n,
      outputTokens: 1n,
      cacheReadTokens: 1_000_000n,
    });
    expect(usage.final(ended)?.cacheReadTokens).toBe(200);
  });
});
