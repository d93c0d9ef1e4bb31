import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import type { Exchange } from './exchange.ts';
import { callHttp1, callHttp2, connectRaw } from './fixtures/clients.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';
import type { StreamWriter } from './stream-writer.ts';

const listeners: Listener[] = [];

async function start(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const handler = (exchange: Exchange) =>
    exchange.sendJson(200, { version: exchange.request.httpVersion, path: exchange.path });
  const listener = await listen({ host: '127.0.0.1', port: 0, handler, ...options });
  listeners.push(listener);
  return listener;
}

/** A handler that leaves its stream open and hands it to the test. */
function streaming() {
  const writers: StreamWriter[] = [];
  return {
    writers,
    handler: (exchange: Exchange) => {
      const writer = exchange.openStream(200, { 'content-type': 'text/plain' });
      void writer.write('first\n');
      writers.push(writer);
    },
  };
}

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
});

describe('one port', () => {
  test('answers HTTP/1.1', async () => {
    const { url } = await start();
    expect(JSON.parse((await callHttp1(`${url}/a?b=1`)).body)).toEqual({ version: '1.1', path: '/a' });
  });

  test('answers HTTP/2 with prior knowledge', async () => {
    const { url } = await start();
    const reply = await callHttp2(`${url}/a?b=1`);
    expect(JSON.parse(reply.body)).toEqual({ version: '2.0', path: '/a' });
  });

  test('answers HTTP/1.1 whose bytes arrive one at a time', async () => {
    const { port } = await start();
    const client = await connectRaw(port);
    client.socket.setNoDelay(true);
    for (const byte of 'PUT /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n') {
      client.socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.closed()).toContain('"path":"/slow"');
  });

  test('answers HTTP/2 whose preface arrives one byte at a time', async () => {
    const { port } = await start();
    const client = await connectRaw(port);
    client.socket.setNoDelay(true);
    for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') {
      client.socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])); // an empty SETTINGS frame
    const frame = await client.waitFor(/[\s\S]{9}/);
    expect(frame.charCodeAt(3)).toBe(4); // the server's own SETTINGS
    client.socket.destroy();
  });

  test('keeps one HTTP/1.1 connection for several requests, pipelined ones too', async () => {
    const { port } = await start();
    const client = await connectRaw(port);
    client.socket.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n');
    const text = await client.waitFor(/"\/2"/);
    expect(text.indexOf('"/1"')).toBeLessThan(text.indexOf('"/2"'));
    client.socket.destroy();
  });

  test('says where it listens and that a taken port is taken, with the remedy', async () => {
    const { port, url } = await start();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const error = await start({ port }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringMatching(`${port}.*--port`) });
  });

  test('says that a foreign address cannot be listened on', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('192.0.2.1'),
    });
  });
});

describe('bad clients', () => {
  test('a silent socket is closed', async () => {
    const { port } = await start({ timeouts: { silentMs: 30 } });
    expect(await (await connectRaw(port)).closed()).toBe('');
  });

  test('a socket that stops in the middle of the preface is closed', async () => {
    const { port } = await start({ timeouts: { silentMs: 30 } });
    const client = await connectRaw(port);
    client.socket.write('PR');
    expect(await client.closed()).toBe('');
  });

  test('a client that does not finish its headers gets 408', async () => {
    const { port } = await start({ timeouts: { headersMs: 60 } });
    const client = await connectRaw(port);
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test.each([
    ['garbage', '\u0001\u0002\u0003 nonsense\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['huge headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ])('%s gets an answer and the server lives on', async (_name, bytes, status) => {
    const { port, url } = await start();
    const client = await connectRaw(port);
    client.socket.write(bytes);
    expect(await client.closed()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await callHttp1(url)).status).toBe(200);
  });

  test('a reset in the middle of anything does not disturb the server', async () => {
    const { port, url } = await start(streaming());
    for (const bytes of [
      '',
      'P',
      'GET / HT',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      const client = await connectRaw(port);
      client.socket.write(bytes);
      client.socket.resetAndDestroy();
      await client.closed();
    }
    const session = http2.connect(url);
    const stream = session.request({ ':path': '/' });
    await once(stream, 'response');
    session.destroy();
    const probe = await connectRaw(port);
    probe.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await probe.waitFor(/200 OK/);
    probe.socket.destroy();
  });

  test('a handler that throws gives 500 without its message, and one that is silent too', async () => {
    const seen: unknown[] = [];
    const { url } = await start({
      handler: (exchange) => {
        if (exchange.path === '/throw') throw new Error('inner detail');
      },
      onUnexpected: (thrown) => seen.push(thrown),
    });
    const reply = await callHttp1(`${url}/throw`);
    expect(reply.status).toBe(500);
    expect(reply.body).not.toContain('inner detail');
    expect((await callHttp2(`${url}/silent`)).status).toBe(500);
    expect(seen).toHaveLength(2);
  });
});

describe('idle HTTP/2 sessions', () => {
  test('are closed after a while, but not while a stream is silent', async () => {
    const { writers, handler } = streaming();
    const { url } = await start({ handler, timeouts: { keepAliveMs: 200 } });
    const busy = http2.connect(url);
    const stream = busy.request({ ':path': '/' });
    await once(stream, 'response');
    // Opened later with the same limit: when this one is closed, the busy one would have been too.
    await once(http2.connect(url), 'close');
    expect(busy.closed).toBe(false);
    writers[0]?.end();
    stream.resume();
    await once(busy, 'close');
  });
});

describe('closing', () => {
  test('ends idle keep-alive connections and HTTP/2 sessions at once', async () => {
    const listener = await start();
    const idle = await connectRaw(listener.port);
    idle.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.waitFor(/"path"/);
    const silent = await connectRaw(listener.port);
    const session = http2.connect(listener.url);
    await once(session, 'connect');
    const sessionClosed = once(session, 'close');
    await listener.close(60_000);
    await Promise.all([idle.closed(), silent.closed(), sessionClosed]);
    await expect(callHttp1(listener.url)).rejects.toThrow(/ECONNREFUSED/);
  });

  test.each(['http1', 'http2'] as const)('lets a running stream finish (%s)', async (protocol) => {
    const { writers, handler } = streaming();
    const listener = await start({ handler });
    const received = protocol === 'http1' ? readHttp1(listener.url) : readHttp2(listener.url);
    await received.first;
    const closed = listener.close(60_000);
    await writers[0]?.write('second\n');
    writers[0]?.end();
    expect(await received.all).toBe('first\nsecond\n');
    await closed;
  });

  test.each(['http1', 'http2'] as const)('cuts a stream that outlives the grace (%s)', async (protocol) => {
    const { writers, handler } = streaming();
    const listener = await start({ handler });
    const received = protocol === 'http1' ? readHttp1(listener.url) : readHttp2(listener.url);
    const ending = received.all.then(
      () => 'whole',
      () => 'cut',
    );
    await received.first;
    await listener.close(20);
    expect(await ending).toBe('cut');
    expect(writers[0]?.isClosed).toBe(true);
  });

  test('a keep-alive connection whose answer ends while closing is closed with it', async () => {
    const { writers, handler } = streaming();
    const listener = await start({ handler });
    const client = await connectRaw(listener.port);
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.waitFor(/first/);
    const closed = listener.close(60_000);
    writers[0]?.end();
    await Promise.all([closed, client.closed()]);
  });
});

function readHttp1(url: string) {
  const request = http.get(url, { agent: new http.Agent({ keepAlive: true }) });
  const response = once(request, 'response').then(([incoming]) => incoming as http.IncomingMessage);
  return collect(response);
}

function readHttp2(url: string) {
  const session = http2.connect(url);
  session.on('error', () => {});
  const stream = session.request({ ':path': '/' });
  const all = collect(Promise.resolve(stream));
  // Node ends a readable quietly when its session is destroyed; the missing end of stream shows in the code.
  const whole = all.all.then(async (text) => {
    if (!stream.closed) await once(stream, 'close');
    session.close();
    if (stream.rstCode !== 0) throw new Error(`reset with ${stream.rstCode}`);
    return text;
  });
  return { first: all.first, all: whole };
}

function collect(source: Promise<NodeJS.ReadableStream>) {
  let notify: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const all = source.then(async (stream) => {
    let text = '';
    for await (const chunk of stream) {
      text += String(chunk);
      notify();
    }
    return text;
  });
  return { first, all };
}

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
  execFileSync('openssl', [...command.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  rmSync(folder, { recursive: true });

  test('serves HTTP/1.1 and HTTP/2 by handshake', async () => {
    const { url } = await start({ tls });
    expect(url).toMatch(/^https:/);
    expect(JSON.parse((await callHttp1(`${url}/x`)).body)).toMatchObject({ version: '1.1' });
    expect(JSON.parse((await callHttp2(`${url}/x`)).body)).toMatchObject({ version: '2.0' });
  });

  test('survives clients that speak no TLS or say nothing', async () => {
    const { port, url } = await start({ tls, timeouts: { silentMs: 50 } });
    const plain = await connectRaw(port);
    plain.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([plain.closed(), connectRaw(port).then((silent) => silent.closed())]);
    expect((await callHttp1(url)).status).toBe(200);
  });

  test('a client that does not finish its headers gets 408', async () => {
    const { port } = await start({ tls, timeouts: { headersMs: 60 } });
    const socket = connectTls({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('closes idle connections at once', async () => {
    const listener = await start({ tls });
    const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
    const request = https.get(listener.url, { agent });
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    const session = http2.connect(listener.url, { rejectUnauthorized: false });
    await once(session, 'connect');
    await listener.close(60_000);
    agent.destroy();
  });

  test('refuses a certificate that is none, and shows no key', async () => {
    const error = await start({ tls: { cert: 'not a certificate', key: 'my-private-key' } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'invalid-request', message: expect.stringContaining('server.tls') });
    expect(String(error)).not.toContain('my-private-key');
  });
});
