import { describe, expect, it } from 'vitest';
import { type Message, type Usage, userMessage } from '../core/index.ts';
import { ContextMeter } from './context-meter.ts';

const usage = (inputTokens: number, rest: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens: 100,
  totalTokens: inputTokens + 100,
  ...rest,
});
/** About a hundred tokens. */
const message: Message = userMessage('x'.repeat(400 - 16));

describe('the meter of the window', () => {
  it('takes the count of the upstream and guesses only what came since', () => {
    const meter = new ContextMeter(1000);
    meter.count(usage(500), 3);
    expect(meter.tokens([message, message, message])).toBe(600);
    expect(meter.tokens([message, message, message, message])).toBe(700);
  });

  it('guesses everything where nobody counted', () => {
    const meter = new ContextMeter(1000);
    meter.count(usage(500, { estimated: true }), 1);
    meter.setOverhead('y'.repeat(800), []);
    expect(meter.tokens([message])).toBe(300);
  });

  it('is full at four fifths, and never without a known window', () => {
    const meter = new ContextMeter(1000);
    const boundless = new ContextMeter(undefined);
    for (const each of [meter, boundless]) each.count(usage(650), 1);
    expect(meter.isFull([message])).toBe(false);
    expect(meter.isFull([message, message])).toBe(true);
    expect(boundless.isFull([message, message])).toBe(false);
  });

  it('wants growth after a compaction before it is full again', () => {
    const meter = new ContextMeter(1000);
    const long = Array.from({ length: 9 }, () => message);
    meter.compacted(long);
    expect(meter.isFull([...long, message])).toBe(false);
    expect(meter.isFull([...long, message, message])).toBe(true);
  });

  it('forgets the count of a conversation that is no more', () => {
    const meter = new ContextMeter(1000);
    meter.count(usage(900), 9);
    meter.compacted([message]);
    expect(meter.tokens([message])).toBe(100);
  });

  it('believes an upstream that overflows more than the configuration', () => {
    const meter = new ContextMeter(1_000_000);
    meter.count(usage(9_900), 0);
    expect(meter.window([], false)).toBe(1_000_000);
    expect(meter.window([], true)).toBe(9_000);
  });
});
