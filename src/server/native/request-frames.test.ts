import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { REAL_TIMERS } from '../../dialects/upstream-timers.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import type { Exchange } from '../exchange.ts';
import { framingOf } from './call-form.ts';
import { NATIVE_LIMITS } from './native-options.ts';
import { readRequestFrames } from './request-frames.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('frames of a request', () => {
  it('pause the socket while nobody reads them, and let it go on afterwards', async () => {
    const request = new PassThrough();
    const exchange = { request, headers: {} } as unknown as Exchange; // all that is looked at
    const frames = readRequestFrames(exchange, framingOf('connect'), {
      limits: { ...NATIVE_LIMITS, maxMessageBytes: 1024 * 1024 },
      timers: REAL_TIMERS,
    });
    const frame = encodeEnvelope(Buffer.alloc(600 * 1024));
    request.write(frame);
    await settle();
    expect(request.isPaused()).toBe(false);
    request.write(frame);
    await settle();
    expect(request.isPaused()).toBe(true);
    const reader = frames[Symbol.asyncIterator]();
    await reader.next();
    expect(request.isPaused()).toBe(false);
    request.end();
    await reader.next();
    expect((await reader.next()).done).toBe(true);
  });
});
