import { once } from 'node:events';
import http2 from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualTimers } from '../../dialects/cursor-agent/fixtures/manual-timers.ts';
import { BidiRequestIdSchema } from '../../gen/aiserver/v1/bidi_pb.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import { type OpenFrames, openAppended, openHttp2 } from './fixtures/connect-client.ts';
import { type OpenStream, RUN, RUN_SSE, startNativeServer } from './fixtures/native-server.ts';
import { NativeDrain } from './native-drain.ts';

const GRACE_MS = 10_000;

/** A run that waits for its client's tools until it is told to stop, and then takes itself for done. */
const waits: OpenStream = async ({ signal }) => {
  if (!signal.aborted) await once(signal, 'abort');
};

async function endOf(stream: OpenFrames): Promise<unknown> {
  for (;;) {
    const frame = await stream.next();
    if (!frame) return undefined;
    if (frame.isEnd) return JSON.parse(Buffer.from(frame.payload).toString());
  }
}

const unavailable = {
  error: { code: 'unavailable', message: expect.stringContaining('The gateway is shutting down') },
};

async function setUp(open: OpenStream = waits) {
  const timers = new ManualTimers();
  const drain = new NativeDrain(timers);
  const server = await startNativeServer({ open, drain });
  const stop = () => {
    drain.begin(GRACE_MS);
    return server.close(GRACE_MS);
  };
  return { ...server, timers, drain, stop };
}

describe('when the gateway stops', () => {
  it('fifty open streams hear why, each in an end frame, and nothing is left', async () => {
    const { url, timers, drain, stop } = await setUp();
    const appended = await Promise.all(
      Array.from({ length: 25 }, (_, index) => openAppended(url, `request-${index}`)),
    );
    const both = await Promise.all(Array.from({ length: 25 }, () => openHttp2(url, RUN)));
    await expect.poll(() => drain.size).toBe(50);
    const stopped = stop();
    // Their next append would find nobody who listens.
    for (const stream of appended) expect(await endOf(stream)).toMatchObject(unavailable);
    expect(drain.size).toBe(25);
    await timers.advance(GRACE_MS - 1_000);
    for (const stream of both) expect(await endOf(stream)).toMatchObject(unavailable);
    await stopped;
    expect(drain.size).toBe(0);
  });

  it('a stream both ways may finish first', async () => {
    const { url, stop } = await setUp(async ({ incoming, send }) => {
      for await (const message of incoming) await send(message);
    });
    const stream = await openHttp2(url, RUN);
    stream.write(encodeEnvelope(Buffer.from('one')));
    await stream.next();
    const stopped = stop();
    stream.write(encodeEnvelope(Buffer.from('two')));
    expect(Buffer.from((await stream.next())?.payload ?? []).toString()).toBe('two');
    stream.end();
    expect(await endOf(stream)).toEqual({});
    await stopped;
  });

  it('a stream that is opened meanwhile ends at once', async () => {
    const { url, drain } = await setUp();
    const session = http2.connect(url);
    onTestFinished(() => session.destroy());
    drain.begin(GRACE_MS);
    const stream = session.request({
      ':method': 'POST',
      ':path': RUN_SSE,
      'content-type': 'application/connect+proto',
    });
    stream.end(
      encodeEnvelope(toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId: 'late' }))),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toContain('The gateway is shutting down');
  });
});
