import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { type ReadBodyOptions, readBody } from './read-body.ts';

const options: ReadBodyOptions = { headers: {}, maxBytes: 1_000, idleMs: 60_000, totalMs: 300_000 };

afterEach(() => {
  vi.useRealTimers();
});

describe('a body that does not come to its end', () => {
  it('is given up when it stands still', async () => {
    vi.useFakeTimers();
    const source = new PassThrough();
    const reading = expect(readBody(source, options)).rejects.toMatchObject({ code: 'deadline-exceeded' });
    await vi.advanceTimersByTimeAsync(60_000);
    await reading;
  });

  it('is given up when it trickles, however steadily', async () => {
    vi.useFakeTimers();
    const source = new PassThrough();
    const reading = expect(readBody(source, options)).rejects.toThrow('was not complete after 300000 ms');
    for (let second = 0; second < 300; second += 30) {
      source.write('x');
      await vi.advanceTimersByTimeAsync(30_000);
    }
    await reading;
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('stops when whoever counts the bytes has enough', async () => {
  const source = new PassThrough();
  const onBytes = (bytes: number) => {
    if (bytes > 2) throw new GatewayError('rate-limited', 'enough');
  };
  const reading = readBody(source, { ...options, onBytes });
  source.write('ab');
  source.write('abc');
  await expect(reading).rejects.toThrow('enough');
  expect(source.listenerCount('data')).toBe(0);
});
