// Connections that misbehave below the level of calls: what Node refuses, what it lets through, and that we outlive both.
import { once } from 'node:events';
import http2 from 'node:http2';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callHttp1, connectRaw } from '../fixtures/clients.ts';
import { openHttp2, post } from './fixtures/connect-client.ts';
import { IS_CONNECTED, NAME_AGENT, RUN, startNativeServer } from './fixtures/native-server.ts';

const head = (...lines: string[]) =>
  [`POST ${NAME_AGENT} HTTP/1.1`, 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n');
const SMUGGLED = `POST ${NAME_AGENT} HTTP/1.1\r\nHost: evil\r\nContent-Length: 0\r\n\r\n`;

describe('a request with two readings', () => {
  it.each([
    ['a length and chunks', `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${SMUGGLED}`],
    ['two lengths', head('Content-Length: 0', `Content-Length: ${SMUGGLED.length}`) + SMUGGLED],
    ['chunks that are not last', head('Transfer-Encoding: chunked, identity') + SMUGGLED],
    ['an encoding nobody has', head('Transfer-Encoding: xchunked') + SMUGGLED],
    ['a length below 0', head('Content-Length: -1')],
    ['a chunk of no size', `${head('Transfer-Encoding: chunked')}ffffffffffffffffff\r\n`],
    ['a header without a name', head(': 1')],
    ['a folded header', head('X-A: 1', ' Transfer-Encoding: chunked')],
  ])('is refused and its connection closed: %s', async (_what, bytes) => {
    const { port, url, unexpected } = await startNativeServer();
    const client = await connectRaw(port);
    client.socket.write(bytes);
    const answer = await client.closed();
    // Cut without an answer where the head was already with its handler.
    expect(answer === '' || answer.startsWith('HTTP/1.1 400 ')).toBe(true);
    expect(answer.split('HTTP/1.1 ').length).toBeLessThanOrEqual(2);
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
    expect(unexpected).toEqual([]);
  });

  it('is not half read: a body shorter than its length is no message', async () => {
    const { port, url, unexpected } = await startNativeServer();
    const client = await connectRaw(port);
    client.socket.write(head('Content-Type: application/proto', 'Content-Length: 10'));
    client.socket.end(Buffer.from([0x0a, 0x01, 0x61]));
    expect(await client.closed()).not.toContain(' 200 ');
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
    expect(unexpected).toEqual([]);
  });
});

describe('a flood over HTTP/2', () => {
  it('of streams that are reset at once leaves nothing behind', async () => {
    let open = 0;
    let opened = 0;
    const { url, unexpected } = await startNativeServer({
      onStreamOpen: () => {
        open += 1;
        opened += 1;
      },
      onStreamClose: () => {
        open -= 1;
      },
    });
    const session = http2.connect(url);
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    await once(session, 'connect');
    for (let round = 0; round < 2_000 && !session.destroyed && !session.closed; round++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': RUN,
        'content-type': 'application/connect+proto',
      });
      stream.on('error', () => {});
      stream.close(http2.constants.NGHTTP2_CANCEL);
      if (round % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    session.destroy();
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
    await expect.poll(() => open).toBe(0);
    expect(opened).toBeLessThanOrEqual(2_000);
    const good = await openHttp2(url, RUN);
    good.end();
    expect((await good.next())?.isEnd).toBe(true);
    expect(unexpected).toEqual([]);
  });

  it('of more streams than a connection may have is refused stream by stream', async () => {
    const { url } = await startNativeServer();
    const session = http2.connect(url);
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    const [settings] = (await once(session, 'remoteSettings')) as [http2.Settings]; // what the event carries
    expect(settings.maxConcurrentStreams).toBe(256);
    expect(settings.maxHeaderListSize).toBeLessThanOrEqual(64 * 1024);
  });

  it('of pings is answered or cut, and others do not notice', async () => {
    const { url } = await startNativeServer();
    const session = http2.connect(url, { maxOutstandingPings: 5_000 });
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    await once(session, 'connect');
    for (let count = 0; count < 2_000; count++) session.ping(() => {});
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
  });
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe.skipIf(outside === undefined)('without keys, from an address that is not loopback', () => {
  it.each(['/auth/exchange_user_api_key', '/auth/refresh', '/oauth/token', NAME_AGENT, '/stub/echo'])(
    '%s is closed',
    async (path) => {
      const { port } = await startNativeServer({ listen: { host: '0.0.0.0' } });
      const reply = await callHttp1(`http://${outside}:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '127.0.0.1' },
        body: '{}',
      });
      expect(reply.status).toBe(401);
      expect(reply.body).not.toContain('eyJ');
    },
  );

  it('a stream ends with a refusal, and the login page gives no session', async () => {
    const { port } = await startNativeServer({ listen: { host: '0.0.0.0' } });
    const url = `http://${outside}:${port}`;
    const end = await (await openHttp2(url, RUN)).next();
    expect(JSON.parse(Buffer.from(end?.payload ?? []).toString())).toMatchObject({
      error: { code: 'unauthenticated' },
    });
    const login = { uuid: 'a-login-of-mine', challenge: 'A'.repeat(43) };
    const page = await callHttp1(`${url}/loginDeepControl?${new URLSearchParams(login)}`);
    const seal = /name="seal" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const done = await callHttp1(`${url}/loginDeepControl`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...login, seal }).toString(),
    });
    expect(done.status).toBe(401);
  });
});
