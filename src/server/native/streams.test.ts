import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/index.ts';
import { ManualTimers } from '../../dialects/cursor-agent/fixtures/manual-timers.ts';
import { AgentService } from '../../gen/agent/v1/agent_service_pb.ts';
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  AgentServerMessageSchema,
} from '../../gen/agent/v1/run_pb.ts';
import { COMPRESSED, END_STREAM, encodeEnvelope } from '../../wire/connect-envelope.ts';
import { deferred } from '../fixtures/serve.ts';
import { type OpenFrames, openHttp1, openHttp2 } from './fixtures/connect-client.ts';
import { type OpenStream, RUN, startNativeServer } from './fixtures/native-server.ts';

const bytes = (value: string) => Buffer.from(value);
const text = (payload: Uint8Array | undefined) => Buffer.from(payload ?? []).toString();
const nextText = async (stream: OpenFrames) => text((await stream.next())?.payload);

function makeCertificate(): { readonly cert: Buffer; readonly key: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
  execFileSync('openssl', [...command.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  rmSync(folder, { recursive: true });
  return pair;
}

/** The JSON of the end frame, which must be the next one and the last. */
async function endOf(stream: OpenFrames): Promise<unknown> {
  const frame = await stream.next();
  expect(frame?.isEnd).toBe(true);
  expect(await stream.next()).toBeUndefined();
  return JSON.parse(text(frame?.payload));
}

describe.each([
  ['HTTP/1.1', openHttp1],
  ['cleartext HTTP/2', openHttp2],
] as const)('a stream both ways over %s', (_name, open) => {
  it('carries messages both ways and ends with a good end frame', async () => {
    const { url } = await startNativeServer();
    const stream = await open(url, RUN);
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('application/connect+proto');
    for (const word of ['one', 'two']) {
      stream.write(encodeEnvelope(bytes(word)));
      expect(await nextText(stream)).toBe(word);
    }
    stream.end();
    expect(await endOf(stream)).toEqual({});
  });

  it('shows its head before the client has said anything', async () => {
    const { url } = await startNativeServer({ open: () => new Promise(() => {}) });
    expect((await open(url, RUN)).status).toBe(200);
  });

  it('reads gzip frames and frames in any pieces', async () => {
    const { url } = await startNativeServer();
    const stream = await open(url, RUN, { 'connect-content-encoding': 'gzip' });
    const wire = Buffer.concat([
      encodeEnvelope(gzipSync('packed'), COMPRESSED),
      encodeEnvelope(new Uint8Array()),
      encodeEnvelope(bytes('plain')),
    ]);
    for (const byte of wire) stream.write(Buffer.from([byte]));
    expect(await nextText(stream)).toBe('packed');
    expect(await nextText(stream)).toBe('');
    expect(await nextText(stream)).toBe('plain');
  });

  it('goes on when the client has closed its half, and takes an end frame for that', async () => {
    for (const farewell of [undefined, encodeEnvelope(bytes('{}'), END_STREAM)]) {
      const { url } = await startNativeServer({
        open: async ({ incoming, send, signal }) => {
          for await (const message of incoming) await send(message);
          await send(bytes(signal.aborted ? 'aborted' : 'still here'));
        },
      });
      const stream = await open(url, RUN);
      stream.write(encodeEnvelope(bytes('hello')));
      if (farewell) stream.write(farewell);
      else stream.end();
      expect(await nextText(stream)).toBe('hello');
      expect(await nextText(stream)).toBe('still here');
      expect(await endOf(stream)).toEqual({});
    }
  });

  it('ends with status 200 and an error frame when the front fails', async () => {
    const { url } = await startNativeServer({
      open: async ({ send }) => {
        await send(bytes('some'));
        throw new GatewayError('rate-limited', 'slow down');
      },
    });
    const stream = await open(url, RUN);
    expect(await nextText(stream)).toBe('some');
    expect(await endOf(stream)).toEqual({
      error: {
        code: 'resource_exhausted',
        message: 'slow down',
        details: [{ type: 'aiserver.v1.ErrorDetails', value: 'CAE' }],
      },
    });
  });

  it('tells nothing of a bug in the front', async () => {
    const { url, unexpected } = await startNativeServer({
      open: async () => {
        throw new TypeError('inner secret');
      },
    });
    const end = await endOf(await open(url, RUN));
    expect(end).toMatchObject({ error: { code: 'internal' } });
    expect(JSON.stringify(end)).not.toContain('inner secret');
    expect(unexpected).toHaveLength(1);
  });

  it.each([
    ['a length past the bound', Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]), 'announces 2147483647 bytes'],
    ['a gzip bomb', encodeEnvelope(gzipSync(Buffer.alloc(1_000_000)), COMPRESSED), 'cannot be inflated'],
    ['broken gzip', encodeEnvelope(bytes('nothing packed'), COMPRESSED), 'cannot be inflated'],
    ['text instead of frames', bytes('GET / HTTP/1.1 and so on'), 'announces'],
  ])('answers %s with invalid_argument', async (_what, wire, words) => {
    const { url } = await startNativeServer({ limits: { maxMessageBytes: 100_000 } });
    const stream = await open(url, RUN);
    stream.write(encodeEnvelope(bytes('good')));
    stream.write(wire);
    expect(await nextText(stream)).toBe('good');
    expect(await endOf(stream)).toMatchObject({
      error: { code: 'invalid_argument', message: expect.stringContaining(words) },
    });
  });

  it('says so when the request ends within a frame', async () => {
    const { url } = await startNativeServer();
    const stream = await open(url, RUN);
    stream.write(encodeEnvelope(bytes('whole')).subarray(0, 7));
    stream.end();
    expect(await endOf(stream)).toMatchObject({
      error: { code: 'invalid_argument', message: expect.stringContaining('within a frame') },
    });
  });

  it('tells the front at once when the client is gone', async () => {
    const gone = deferred<{ sent: boolean; reading: string }>();
    const { url, unexpected } = await startNativeServer({
      open: async ({ incoming, send, signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        let reading = 'ended';
        for await (const _ of incoming) reading = 'a message';
        gone.resolve({ sent: await send(bytes('late')), reading });
        throw new GatewayError('cancelled', 'gone');
      },
    });
    const stream = await open(url, RUN);
    stream.cut();
    expect(await gone.promise).toEqual({ sent: false, reading: 'ended' });
    expect(unexpected).toEqual([]);
  });

  it('makes a fast client wait for a slow front', async () => {
    const mayRead = deferred<void>();
    let read = 0;
    const { url } = await startNativeServer({
      open: async ({ incoming }) => {
        await mayRead.promise;
        for await (const message of incoming) read += message.length;
      },
    });
    const stream = await open(url, RUN);
    const frame = encodeEnvelope(Buffer.alloc(256 * 1024));
    for (let count = 0; count < 64; count++) stream.write(frame);
    stream.end();
    await new Promise<void>((resolve) => setImmediate(resolve));
    mayRead.resolve();
    expect(await endOf(stream)).toEqual({});
    expect(read).toBe(64 * 256 * 1024);
  });

  it('makes a fast front wait for a slow client', async () => {
    let accepted = 0;
    const { url } = await startNativeServer({
      open: async ({ send }) => {
        const message = Buffer.alloc(1024 * 1024);
        for (; accepted < 200; accepted++) await send(message);
      },
    });
    const stream = await open(url, RUN);
    stream.pause();
    for (let seen = -1, still = 0; still < 100; ) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      still = seen === accepted ? still + 1 : 0;
      seen = accepted;
    }
    expect(accepted).toBeLessThan(200);
    stream.resume();
    for (let count = 0; count < 200; count++) expect((await stream.next())?.payload.length).toBe(1024 * 1024);
    expect(await endOf(stream)).toEqual({});
  });

  it('is refused inside the stream, with status 200, without a key', async () => {
    let wasOpened = false;
    const { url } = await startNativeServer({
      auth: 'keys',
      open: async () => {
        wasOpened = true;
      },
    });
    const stream = await open(url, RUN, { authorization: 'Bearer xp_wrong' });
    expect(stream.status).toBe(200);
    expect(await endOf(stream)).toMatchObject({
      error: { code: 'unauthenticated', message: expect.stringContaining('not one of this gateway') },
    });
    expect(wasOpened).toBe(false);
  });

  it('closes the half that a client leaves open after the end', async () => {
    const timers = new ManualTimers();
    const { url } = await startNativeServer({ timers, open: async () => {} });
    const stream = await open(url, RUN);
    expect(await endOf(stream)).toEqual({});
    while (timers.waiting === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    await timers.advance(5_000);
    await stream.closed;
  });

  it('ends with trailers for a client that speaks gRPC-Web', async () => {
    const { url } = await startNativeServer({
      open: async ({ incoming, send }) => {
        for await (const message of incoming) await send(message);
        throw new GatewayError('not-found', 'no “such” thing: 100%');
      },
    });
    const stream = await open(url, RUN, { 'content-type': 'application/grpc-web+proto' });
    stream.write(encodeEnvelope(bytes('hello')));
    stream.end();
    expect(await nextText(stream)).toBe('hello');
    const trailer = await stream.next();
    expect(trailer?.flags).toBe(0x80);
    const lines = text(trailer?.payload).split('\r\n');
    expect(lines.slice(0, 2)).toEqual([
      'grpc-status: 5',
      'grpc-message: no %E2%80%9Csuch%E2%80%9D thing: 100%25',
    ]);
    expect(lines[2]).toMatch(/^grpc-status-details-bin: [\w+/]+=*$/);
  });

  it('refuses a content type that has no frames', async () => {
    const { url } = await startNativeServer();
    expect((await open(url, RUN, { 'content-type': 'application/proto' })).status).toBe(415);
  });
});

describe('a stream both ways over TLS', () => {
  it('is HTTP/2 by handshake', async () => {
    const { url } = await startNativeServer({
      listen: { tls: makeCertificate() },
      open: async ({ send }, { origin }) => {
        await send(bytes(origin));
      },
    });
    expect(url).toMatch(/^https:/);
    const stream = await openHttp2(url, RUN);
    expect(await nextText(stream)).toBe(url);
    expect(await endOf(stream)).toEqual({});
  });
});

describe('places under a key’s limits', () => {
  it('are taken by streams until they end, and refused inside the stream', async () => {
    const { url, store } = await startNativeServer({ auth: 'keys' });
    const { secret } = await store.keys.create({ name: 'one', maxConcurrent: 1 });
    const headers = { authorization: `Bearer ${secret}` };
    const first = await openHttp2(url, RUN, headers);
    first.write(encodeEnvelope(bytes('hello')));
    expect(await nextText(first)).toBe('hello');
    const second = await openHttp2(url, RUN, headers);
    expect(await endOf(second)).toMatchObject({ error: { code: 'resource_exhausted' } });
    first.end();
    expect(await endOf(first)).toEqual({});
    const third = await openHttp2(url, RUN, headers);
    third.end();
    expect(await endOf(third)).toEqual({});
  });
});

describe('the referee client', () => {
  const answer: OpenStream = async ({ incoming, send }) => {
    for await (const _ of incoming) {
      const message = create(AgentServerMessageSchema, {
        message: {
          case: 'interactionUpdate',
          value: { message: { case: 'textDelta', value: { text: 'hello' } } },
        },
      });
      await send(toBinary(AgentServerMessageSchema, message));
    }
  };
  async function* messages(): AsyncIterable<AgentClientMessage> {
    yield create(AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } });
    yield create(AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } });
  }

  it('runs both ways over cleartext HTTP/2, with gzip too', async () => {
    const { url } = await startNativeServer({ open: answer });
    const transport = createConnectTransport({ baseUrl: url, httpVersion: '2', compressMinBytes: 0 });
    const seen: (string | undefined)[] = [];
    for await (const { message } of createClient(AgentService, transport).run(messages())) {
      seen.push(message.case);
    }
    expect(seen).toEqual(['interactionUpdate', 'interactionUpdate']);
  });
});
