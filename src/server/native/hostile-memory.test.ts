// Small requests that want to become large, slow or endless ones.
import { once } from 'node:events';
import http from 'node:http';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { ManualTimers } from '../../dialects/cursor-agent/fixtures/manual-timers.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import { append, openHttp2, post } from './fixtures/connect-client.ts';
import { IS_CONNECTED, NAME_AGENT, RUN, startNativeServer } from './fixtures/native-server.ts';

const MEGABYTE = 1024 * 1024;
const APPEND = '/aiserver.v1.BidiService/BidiAppend';
const UNKNOWN = '/agent.v1.AgentService/NobodyKnows';

const bombSize = 8 * MEGABYTE - 16;
/** Brotli writes eight megabytes of nothing in a few dozen bytes. */
const bomb = brotliCompressSync(Buffer.alloc(bombSize), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
});
const bombs = Buffer.concat(Array.from({ length: 300 }, () => encodeEnvelope(bomb, 1)));
const limits = { maxMessageBytes: 8 * MEGABYTE };

/** An unknown field of two bytes, again and again. */
const fields = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x78, 0x01]));

/** By how much the process was larger at its largest than ever before. */
async function grownMegabytes(act: () => Promise<unknown>): Promise<number> {
  const before = process.resourceUsage().maxRSS;
  await act();
  return (process.resourceUsage().maxRSS - before) / 1024;
}

describe('bombs', () => {
  it('in a stream are opened one at a time, when the front wants the next one', async () => {
    const sizes: number[] = [];
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { url, unexpected } = await startNativeServer({
      limits,
      open: async ({ incoming }) => {
        for await (const message of incoming) {
          sizes.push(message.length);
          await held;
          if (sizes.length === 3) break;
        }
      },
    });
    const stream = await openHttp2(url, RUN, { 'connect-content-encoding': 'br' });
    const grown = await grownMegabytes(async () => {
      stream.write(bombs);
      await vi.waitFor(() => expect(sizes).toHaveLength(1));
      await post(url, IS_CONNECTED, '');
    });
    expect(grown).toBeLessThan(300);
    goOn();
    expect((await stream.next())?.isEnd).toBe(true);
    expect(sizes).toEqual([bombSize, bombSize, bombSize]);
    expect(unexpected).toEqual([]);
  });

  it.each([NAME_AGENT, APPEND, UNKNOWN, IS_CONNECTED])(
    'in frames of the call %s stay closed',
    async (path) => {
      const { url, unexpected } = await startNativeServer({ limits });
      const headers = { 'content-type': 'application/connect+proto', 'connect-content-encoding': 'br' };
      const grown = await grownMegabytes(async () => {
        expect((await post(url, path, bombs, headers)).status).toBe(200);
      });
      expect(grown).toBeLessThan(300);
      expect(unexpected).toEqual([]);
    },
  );

  it.each(['gzip', 'br', 'deflate'])('that are only noise end the stream in words (%s)', async (codec) => {
    const { url } = await startNativeServer({ limits });
    const stream = await openHttp2(url, RUN, { 'connect-content-encoding': codec });
    stream.write(encodeEnvelope(Buffer.from('no such thing'), 1));
    const end = await stream.next();
    expect(Buffer.from(end?.payload ?? []).toString()).toContain('cannot be inflated');
  });
});

describe('without a key', () => {
  it('a probe has room for a probe only', async () => {
    const { url } = await startNativeServer({ auth: 'keys' });
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
    const large = await post(url, IS_CONNECTED, fields(64 * 1024));
    expect(JSON.parse(large.body.toString())).toMatchObject({ code: 'resource_exhausted' });
    const packed = brotliCompressSync(fields(64 * 1024));
    const inflated = await post(url, IS_CONNECTED, packed, { 'content-encoding': 'br' });
    expect(JSON.parse(inflated.body.toString())).toMatchObject({ code: 'resource_exhausted' });
  });

  it.each([NAME_AGENT, APPEND, UNKNOWN, '/stub/echo'])('%s reads no body before it refuses', async (path) => {
    const { url } = await startNativeServer({ auth: 'keys' });
    const request = http.request(url + path, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': '100000' },
    });
    request.on('error', () => {});
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]; // what the event carries
    expect(response.statusCode).toBe(401);
    request.destroy();
  });
});

describe('a message of very many fields', () => {
  it('is refused before it is decoded', async () => {
    const { url } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, fields(300_000));
    expect(JSON.parse(reply.body.toString())).toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('more than 200000 fields'),
    });
  });

  it('counts as drift a few times, not once a field', async () => {
    const { url, drift } = await startNativeServer();
    const many = Buffer.concat(
      Array.from({ length: 1_000 }, (_, index) =>
        Buffer.from([0x80 | ((index % 16) << 3), 0x10 + (index >> 4), 1]),
      ),
    );
    expect((await post(url, NAME_AGENT, many)).status).toBe(200);
    expect((await post(url, NAME_AGENT, fields(50_000))).status).toBe(200);
    expect(drift.length).toBeGreaterThan(1);
    expect(drift.length).toBeLessThanOrEqual(21);
  });
});

describe('calls that ask a model', () => {
  it('count under the limits of their key', async () => {
    const { url, store } = await startNativeServer({ auth: 'keys' });
    const { secret } = await store.keys.create({ name: 'one', requestsPerMinute: 1 });
    const call = () =>
      post(url, NAME_AGENT, '{"userMessage":"x"}', {
        'content-type': 'application/json',
        authorization: `Bearer ${secret}`,
      });
    expect((await call()).status).toBe(200);
    const second = await call();
    expect(second.status).toBe(429);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('many bodies at once', () => {
  it('are bounded for each owner, and what is given up makes room again', async () => {
    const bounds = { maxBodyBytes: 100_000, maxBodyBytesOfOwner: 50_000 };
    const { url, store } = await startNativeServer({ auth: 'keys', limits: bounds });
    const keyOf = async (name: string) => ({
      authorization: `Bearer ${(await store.keys.create({ name })).secret}`,
    });
    const [greedy, modest] = [await keyOf('greedy'), await keyOf('modest')];
    const slow = http.request(url + NAME_AGENT, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/proto', 'content-length': '40000', ...greedy },
    });
    slow.on('error', () => {});
    slow.write(Buffer.alloc(39_000));
    const large = Buffer.concat([Buffer.from([0x7a, 0xa0, 0x9c, 0x01]), Buffer.alloc(20_000)]);
    const send = async (headers: Record<string, string>) =>
      (await post(url, NAME_AGENT, large, headers)).status;
    await vi.waitFor(async () => expect(await send(greedy)).toBe(429));
    expect(await send(modest)).toBe(200);
    slow.destroy();
    await vi.waitFor(async () => expect(await send(greedy)).toBe(200));
  });
});

describe('appends of one key', () => {
  it('do not keep another key out', async () => {
    const { url, store } = await startNativeServer({ auth: 'keys', limits: { maxHeldStreams: 20 } });
    const headersOf = async (name: string) => ({
      authorization: `Bearer ${(await store.keys.create({ name })).secret}`,
    });
    const [greedy, modest] = [await headersOf('greedy'), await headersOf('modest')];
    const message = Buffer.from([0x0a, 0x00]);
    const answers: number[] = [];
    for (let id = 0; id < 30; id++) answers.push((await append(url, `g${id}`, 0, message, greedy)).status);
    expect(answers.filter((status) => status === 429)).toHaveLength(10);
    expect((await append(url, 'm', 0, message, modest)).status).toBe(200);
  });

  it('may have any number a client can write, and hold nothing up', async () => {
    const { url, unexpected } = await startNativeServer();
    const message = Buffer.from([0x12, 0x00]);
    for (const number of [Number.MAX_SAFE_INTEGER, 2 ** 31, 1]) {
      expect((await append(url, 'huge', number, message)).status).toBe(200);
    }
    const beyond = JSON.stringify({
      requestId: { requestId: 'x' },
      appendSeqno: '9223372036854775807',
      data: '1200',
    });
    expect((await post(url, APPEND, beyond, { 'content-type': 'application/json' })).status).toBe(400);
    expect(unexpected).toEqual([]);
  });
});

describe('a stream that is opened and not used', () => {
  it.each([
    ['says nothing', []],
    ['begins a message and leaves it', [Buffer.from([0, 0, 0, 1, 0, 1, 2])]],
  ])('is ended when its client %s', async (_what, said) => {
    const timers = new ManualTimers();
    const { url } = await startNativeServer({ timers });
    const stream = await openHttp2(url, RUN);
    for (const bytes of said) stream.write(bytes);
    await vi.waitFor(() => expect(timers.waiting).toBeGreaterThan(0));
    await post(url, IS_CONNECTED, '');
    await timers.advance(5 * 60_000);
    const end = await stream.next();
    expect(end?.isEnd).toBe(true);
    expect(JSON.parse(Buffer.from(end?.payload ?? []).toString())).toMatchObject({
      error: { code: 'deadline_exceeded' },
    });
  });

  it('may be silent once it has said something', async () => {
    const timers = new ManualTimers();
    const { url } = await startNativeServer({ timers });
    const stream = await openHttp2(url, RUN);
    stream.write(encodeEnvelope(Buffer.from('one')));
    expect(Buffer.from((await stream.next())?.payload ?? []).toString()).toBe('one');
    await timers.advance(60 * 60_000);
    stream.write(encodeEnvelope(Buffer.from('two')));
    expect(Buffer.from((await stream.next())?.payload ?? []).toString()).toBe('two');
  });
});
