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

describe('the counts of a run that gives several answers', () => {
  const count = () => 400;

  it('add up to those of the whole run, and each says that it is an estimate', () => {
    const usage = new RunUsage();
    usage.addOutput(30);
    usage.noteContext(1_000);
    const first = usage.segment(count);
    expect(first).toEqual({ inputTokens: 970, outputTokens: 30, totalTokens: 1_000, estimated: true });
    usage.addRound();
    usage.addOutput(20);
    usage.noteContext(1_100);
    const second = usage.segment(count);
    expect(second).toEqual({ inputTokens: 1_080, outputTokens: 20, totalTokens: 1_100, estimated: true });
    usage.addRound();
    const ended = create(TurnEndedUpdateSchema, {
      inputTokens: 300n,
      outputTokens: 66n,
      cacheReadTokens: 2_800n,
      cacheWriteTokens: 100n,
      reasoningTokens: 40n,
    });
    const last = usage.final(ended);
    expect(last).toEqual({
      inputTokens: 1_150,
      outputTokens: 16,
      totalTokens: 1_166,
      cacheReadTokens: 1_150,
      cacheWriteTokens: 0,
      reasoningTokens: 16,
      estimated: true,
    });
    expect(first.totalTokens + second.totalTokens + (last?.totalTokens ?? 0)).toBe(3_266);
  });

  it('are guessed from the text for a backend that says nothing before the end', () => {
    const usage = new RunUsage();
    usage.noteEvents([
      { type: 'text-delta', id: 'p0', text: 'Let me look.' },
      { type: 'tool-input-delta', callId: 'c', text: '{"city":"Oslo"}' },
    ]);
    const first = usage.segment(count);
    expect(first).toEqual({ inputTokens: 100, outputTokens: 7, totalTokens: 107, estimated: true });
    const ended = create(TurnEndedUpdateSchema, { inputTokens: 240n, outputTokens: 19n });
    expect(usage.final(ended)).toEqual({
      inputTokens: 140,
      outputTokens: 12,
      totalTokens: 152,
      estimated: true,
    });
  });

  it('count no reading for an answer before which the model was not asked again', () => {
    const usage = new RunUsage();
    usage.noteContext(1_000);
    usage.segment(count);
    expect(usage.segment(count)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('stay as they are when they cannot include the earlier answers', () => {
    const usage = new RunUsage();
    usage.noteContext(1_000);
    usage.segment(count);
    const ended = create(TurnEndedUpdateSchema, { inputTokens: 900n, outputTokens: 5n });
    expect(usage.final(ended)).toEqual({ inputTokens: 900, outputTokens: 5, totalTokens: 905 });
  });

  it('are those of the last answer alone when the end has no numbers', () => {
    const usage = new RunUsage();
    usage.addOutput(30);
    usage.segment(count);
    usage.addRound();
    usage.addOutput(8);
    usage.noteContext(500);
    expect(usage.final(undefined)).toEqual({
      inputTokens: 492,
      outputTokens: 8,
      totalTokens: 500,
      estimated: true,
    });
  });
});
