import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import type { Exchange } from './exchange.ts';
import { type Call, callHttp1, callHttp2, connectRaw } from './fixtures/clients.ts';
import { deferred, serve } from './fixtures/serve.ts';
import { sendPlainError } from './http-error.ts';

const PROTOCOLS = [
  ['HTTP/1.1', callHttp1],
  ['HTTP/2', callHttp2],
] as const;

async function echo(exchange: Exchange): Promise<void> {
  try {
    const body = await exchange.readBody(1_000);
    exchange.sendJson(200, { length: body.length, text: Buffer.from(body).toString('utf8', 0, 20) });
  } catch (thrown) {
    sendPlainError(exchange, GatewayError.from(thrown));
  }
}

describe.each(PROTOCOLS)('an exchange over %s', (_name, call) => {
  const post = (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    call(url, { method: 'POST', body, headers });

  test('shows path, query, headers and the remote address', async () => {
    const { url, port } = await serve((exchange) =>
      exchange.sendJson(200, {
        method: exchange.method,
        path: exchange.path,
        q: exchange.query.getAll('q'),
        host: exchange.headers.host ?? null,
        custom: exchange.headers['x-custom'] ?? null,
        pseudo: Object.keys(exchange.headers).filter((name) => name.startsWith(':')),
        remote: exchange.remoteAddress,
      }),
    );
    const reply = await call(`${url}/a%20b/c?q=1&q=2`, {
      headers: { 'X-Custom': 'v' } satisfies Call['headers'],
    });
    expect(JSON.parse(reply.body)).toEqual({
      method: 'GET',
      path: '/a%20b/c',
      q: ['1', '2'],
      host: `127.0.0.1:${port}`,
      custom: 'v',
      pseudo: [],
      remote: '127.0.0.1',
    });
  });

  test('reads a body, and one of exactly the bound', async () => {
    const { url } = await serve(echo);
    expect(JSON.parse((await post(url, 'hello')).body)).toEqual({ length: 5, text: 'hello' });
    expect(JSON.parse((await post(url, 'x'.repeat(1_000))).body)).toMatchObject({ length: 1_000 });
    expect(JSON.parse((await post(url, '')).body)).toMatchObject({ length: 0 });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('decodes %s, and refuses one that swells past the bound', async (encoding, compress) => {
    const { url } = await serve(echo);
    const headers = { 'content-encoding': encoding };
    expect(JSON.parse((await post(url, compress('hello'), headers)).body)).toMatchObject({ text: 'hello' });
    const bomb = compress(Buffer.alloc(700_000));
    expect(bomb.length).toBeLessThan(1_000);
    expect((await post(url, bomb, headers)).status).toBe(413);
  });

  test('refuses a broken encoding, a cut one and an unknown one with 400', async () => {
    const { url } = await serve(echo);
    const gzip = { 'content-encoding': 'gzip' };
    expect((await post(url, 'not gzip at all', gzip)).status).toBe(400);
    expect((await post(url, gzipSync('hello').subarray(0, 12), gzip)).status).toBe(400);
    const unknown = await post(url, 'x', { 'content-encoding': 'snappy' });
    expect(unknown.status).toBe(400);
    expect(unknown.body).toContain('snappy');
  });

  test('refuses a body that is too large by its header before reading it', async () => {
    const { url } = await serve(echo);
    const reply = await post(url, 'x'.repeat(1_001), { 'content-length': '1001' });
    expect(reply.status).toBe(413);
    expect(reply.body).toContain('1001 bytes');
  });

  test('a HEAD answer has its length and no body, a 204 neither', async () => {
    const { url } = await serve((exchange) =>
      exchange.path === '/none' ? exchange.sendBytes(204, '') : exchange.sendJson(200, { a: 1 }),
    );
    const head = await call(url, { method: 'HEAD' });
    expect([head.body, head.headers['content-length']]).toEqual(['', '7']);
    expect((await call(`${url}/none`)).headers['content-length']).toBeUndefined();
  });

  test('only the first answer counts', async () => {
    const { url } = await serve((exchange) => {
      exchange.addHeaders({ 'x-early': 'yes' });
      exchange.sendJson(200, 'first');
      exchange.sendJson(500, 'second');
      void exchange.openStream(200).write('third');
    });
    const reply = await call(url);
    expect([reply.status, reply.body, reply.headers['x-early']]).toEqual([200, '"first"', 'yes']);
  });
});

describe('a large upload that is refused', () => {
  test('by stream: the answer reaches an HTTP/1.1 client that is still sending, then the connection ends', async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    client.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    client.socket.write(`7d0\r\n${'x'.repeat(2_000)}\r\n`);
    await client.waitFor(/too-large/);
    expect(client.text()).toMatch(/^HTTP\/1\.1 413[\s\S]*connection: close/i);
    client.socket.write('0\r\n\r\n');
    await client.closed();
  });

  test('by header: a client that asks with Expect gets 413 and no 100', async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n');
    expect(await client.waitFor(/too-large/)).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
  });

  test('one that is welcome gets its 100 first', async () => {
    const { port } = await serve(echo);
    const client = await connectRaw(port);
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    await client.waitFor(/^HTTP\/1\.1 100 Continue/);
    client.socket.write('hi');
    await client.waitFor(/"text":"hi"/);
    client.socket.destroy();
  });

  test('by stream over HTTP/2: the answer arrives and the session lives on', async () => {
    const { url } = await serve(echo);
    const session = http2.connect(url);
    const big = session.request({ ':method': 'POST', ':path': '/' });
    big.on('error', () => {});
    big.write(Buffer.alloc(300_000));
    const [headers] = await once(big, 'response');
    expect(headers[':status']).toBe(413);
    const next = session.request({ ':method': 'POST', ':path': '/' });
    next.end('ok');
    expect((await once(next, 'response'))[0][':status']).toBe(200);
    session.destroy();
  });
});

describe('the client goes away', () => {
  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'during its upload: the body is cancelled (%s)',
    async (protocol) => {
      const outcome = deferred<unknown>();
      const reading = deferred<void>();
      const { url } = await serve(async (exchange) => {
        reading.resolve();
        outcome.resolve(await exchange.readBody(1_000).catch((thrown: unknown) => thrown));
      });
      if (protocol === 'HTTP/1.1') {
        const request = http.request(url, { method: 'POST' });
        request.on('error', () => {});
        request.write('part');
        await reading.promise;
        request.destroy();
      } else {
        const session = http2.connect(url);
        const stream = session.request({ ':method': 'POST', ':path': '/' });
        stream.on('error', () => {});
        stream.write('part');
        await reading.promise;
        stream.destroy(new Error('gone')); // close() would end the body properly first
        await outcome.promise;
        session.close();
      }
      expect(await outcome.promise).toMatchObject({ code: 'cancelled' });
    },
  );

  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'before anybody reads its upload: the part that came is not taken for the whole (%s)',
    async (protocol) => {
      const outcome = deferred<unknown>();
      const arrived = deferred<void>();
      const { url } = await serve(async (exchange) => {
        const gone = once(exchange.signal, 'abort');
        arrived.resolve();
        await gone;
        outcome.resolve(await exchange.readBody(1_000).catch((thrown: unknown) => thrown));
      });
      if (protocol === 'HTTP/1.1') {
        const request = http.request(url, { method: 'POST' });
        request.on('error', () => {});
        request.write('part');
        await arrived.promise;
        request.destroy();
      } else {
        const session = http2.connect(url);
        const stream = session.request({ ':method': 'POST', ':path': '/' });
        stream.on('error', () => {});
        stream.write('part');
        await arrived.promise;
        stream.destroy(new Error('gone'));
        await outcome.promise;
        session.close();
      }
      expect(await outcome.promise).toMatchObject({ code: 'cancelled' });
    },
  );

  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'during its answer: the signal aborts (%s)',
    async (protocol) => {
      const aborted = deferred<void>();
      const { url, port } = await serve((exchange) => {
        exchange.signal.addEventListener('abort', () => aborted.resolve());
        void exchange.openStream(200).write('begin');
      });
      if (protocol === 'HTTP/1.1') {
        const client = await connectRaw(port);
        client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await client.waitFor(/begin/);
        client.socket.end(); // a plain close, as a program that ends does it
      } else {
        const session = http2.connect(url);
        const stream = session.request({ ':path': '/' });
        await once(stream, 'response');
        stream.close(http2.constants.NGHTTP2_CANCEL);
        await aborted.promise;
        session.close();
      }
      await aborted.promise;
    },
  );

  test.each(PROTOCOLS)('after its answer: nothing is aborted (%s)', async (_name, call) => {
    const closed = deferred<boolean>();
    const { url } = await serve((exchange) => {
      exchange.response.on('close', () => closed.resolve(exchange.signal.aborted));
      exchange.sendJson(200, 'done');
    });
    await call(url);
    expect(await closed.promise).toBe(false);
  });
});
