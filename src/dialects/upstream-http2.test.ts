import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import http2, { type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import https from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualTimers } from '../../test/support/agent-backend/index.ts';
import { type Http2Options, type Http2Stream, NO_HTTP2, UpstreamHttp2 } from './upstream-http2.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen<T extends Server>(server: T): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // a TCP server always has one
}

type OnStream = (stream: ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void;

const echo: OnStream = (stream, headers) => {
  stream.on('error', () => {});
  stream.respond({ ':status': 200, 'x-path': headers[':path'] });
  stream.pipe(stream);
};

async function startServer(onStream: OnStream = echo, settings: http2.Settings = {}) {
  const sessions: ServerHttp2Session[] = [];
  const server = http2.createServer({ settings });
  server.on('session', (session) => sessions.push(session.on('error', () => {})));
  server.on('stream', onStream);
  return { url: `http://127.0.0.1:${await listen(server)}`, sessions };
}

function open(baseUrl: string, options: Partial<Http2Options> = {}): UpstreamHttp2 {
  const client = new UpstreamHttp2({ name: 'test', baseUrl, connectMs: 5_000, ...options });
  closers.push(() => client.close());
  return client;
}

const NEVER = new AbortController().signal;
const start = (client: UpstreamHttp2, signal = NEVER) => client.openStream('/call', { 'x-a': 'b' }, signal);

async function readText(stream: Http2Stream): Promise<string> {
  let text = '';
  for await (const chunk of stream.body) text += Buffer.from(chunk).toString();
  return text;
}

async function roundTrip(client: UpstreamHttp2): Promise<string> {
  const stream = await start(client);
  await stream.write(Buffer.from('ping'));
  stream.end();
  return readText(stream);
}

describe('HTTP/2 to an upstream', () => {
  it('writes and reads at once, under the path of the base URL', async () => {
    const { url } = await startServer();
    const stream = await start(open(`${url}/base/`));
    await stream.write(Buffer.from('one'));
    const body = stream.body[Symbol.asyncIterator]();
    expect(await stream.head).toMatchObject({ status: 200, headers: { 'x-path': '/base/call' } });
    expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('one');
    await stream.write(Buffer.from('two'));
    expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('two');
    stream.end();
    expect(await body.next()).toMatchObject({ done: true });
  });

  it('shares one session, and opens another when it is full', async () => {
    const { url, sessions } = await startServer(echo, { maxConcurrentStreams: 2 });
    const client = open(url);
    await Promise.all(Array.from({ length: 5 }, () => start(client)));
    expect(sessions).toHaveLength(3);
    const limited = await startServer();
    const small = open(limited.url, { maxStreamsPerSession: 4 });
    await Promise.all(Array.from({ length: 4 }, () => start(small)));
    expect(limited.sessions).toHaveLength(1);
  });

  it('uses a free place of a session again', async () => {
    const { url, sessions } = await startServer();
    const client = open(url, { maxStreamsPerSession: 1 });
    for (let call = 0; call < 5; call++) expect(await roundTrip(client)).toBe('ping');
    expect(sessions.length).toBeLessThan(5);
  });

  it('lets open streams finish after GOAWAY and opens new ones elsewhere', async () => {
    const { url, sessions } = await startServer();
    const client = open(url);
    const old = await start(client);
    await old.head;
    sessions[0]?.goaway(http2.constants.NGHTTP2_NO_ERROR);
    // The answer to a ping comes after the GOAWAY that was sent before it.
    await new Promise((resolve) => sessions[0]?.ping(resolve));
    expect(await roundTrip(client)).toBe('ping');
    expect(sessions).toHaveLength(2);
    await old.write(Buffer.from('still here'));
    old.end();
    expect(await readText(old)).toBe('still here');
  });

  it('connects again after the session is lost', async () => {
    const { url, sessions } = await startServer();
    const client = open(url);
    const lost = await start(client);
    await lost.head;
    sessions[0]?.destroy();
    await expect(readText(lost)).rejects.toMatchObject({ code: 'upstream-unavailable', retryable: true });
    await expect(lost.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'upstream-unavailable' });
    expect(await roundTrip(client)).toBe('ping');
  });

  it('does not take a stream reset by the server for a whole one', async () => {
    const codes = [http2.constants.NGHTTP2_CANCEL, http2.constants.NGHTTP2_INTERNAL_ERROR];
    for (const code of codes) {
      const { url } = await startServer((stream) => {
        stream.on('error', () => {});
        stream.respond({ ':status': 200 });
        stream.write('half', () => stream.close(code));
      });
      await expect(readText(await start(open(url)))).rejects.toMatchObject({ code: 'upstream-unavailable' });
    }
  });

  it('rejects the head of a stream that is refused', async () => {
    const { url } = await startServer((stream) => {
      stream.on('error', () => {}).close(http2.constants.NGHTTP2_REFUSED_STREAM);
    });
    await expect((await start(open(url))).head).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: /refused the stream for now/,
    });
  });

  it('reads only as fast as its reader, without holding up others', async () => {
    let isWritten = false;
    const { url } = await startServer((stream, headers) => {
      if (headers['x-a'] !== 'large') return echo(stream, headers);
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(8 * 1024 * 1024), () => {
        isWritten = true;
      });
    });
    const client = open(url);
    const slow = await client.openStream('/call', { 'x-a': 'large' }, NEVER);
    await slow.head;
    for (let call = 0; call < 5; call++) await roundTrip(client);
    expect(isWritten).toBe(false);
    expect((await readText(slow)).length).toBe(8 * 1024 * 1024);
    expect(isWritten).toBe(true);
  });

  it('slows a writer whom the server does not read, and frees it when the stream ends', async () => {
    const { url } = await startServer((stream) => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200 });
    });
    const stream = await start(open(url));
    const writing = stream.write(Buffer.alloc(8 * 1024 * 1024));
    const outcome = expect(writing).rejects.toMatchObject({ code: 'upstream-unavailable' });
    await stream.head;
    stream.reset();
    await outcome;
  });

  it('tells the server of a reset', async () => {
    let aborted = () => {};
    const heard = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const { url } = await startServer((stream) => {
      stream.on('aborted', aborted).on('error', () => {});
      stream.respond({ ':status': 200 });
    });
    const stream = await start(open(url));
    await stream.head;
    stream.reset();
    stream.reset();
    await heard;
  });

  it('pings every 20 s and gives a session up that does not answer', async () => {
    const timers = new ManualTimers();
    const { url, sessions } = await startServer();
    const client = open(url, { timers });
    const stream = await start(client);
    await stream.head;
    const pinged = new Promise((resolve) => sessions[0]?.once('ping', resolve));
    timers.advance(20_000);
    await pinged;
    // The pong is on its way; without letting it arrive, its time runs out.
    const reading = readText(stream);
    timers.advance(15_000);
    await expect(reading).rejects.toMatchObject({ message: /did not answer a ping within 15000 ms/ });
    expect(await roundTrip(client)).toBe('ping');
  });

  it('closes a session that nobody has used for a minute', async () => {
    const timers = new ManualTimers();
    const { url, sessions } = await startServer();
    const client = open(url, { timers });
    await roundTrip(client);
    const [session] = sessions;
    const closed = new Promise((resolve) => session?.once('close', resolve));
    for (let minute = 0; minute < 3; minute++) {
      const pinged = new Promise((resolve) => session?.once('ping', resolve).once('close', resolve));
      timers.advance(20_000);
      await pinged;
      await new Promise((resolve) => (session?.destroyed ? resolve(0) : session?.ping(resolve)));
    }
    timers.advance(20_000);
    await closed;
  });

  it('stops waiting when the turn is cancelled while it connects', async () => {
    const port = await listen(createServer(() => {})); // accepts, and says nothing
    const controller = new AbortController();
    const opening = start(open(`http://127.0.0.1:${port}`), controller.signal);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('gives up on a session that does not open in time', async () => {
    const timers = new ManualTimers();
    let accepted = () => {};
    const connected = new Promise<void>((resolve) => {
      accepted = resolve;
    });
    const port = await listen(createServer(() => accepted()));
    const opening = start(open(`http://127.0.0.1:${port}`, { timers, connectMs: 700 }));
    const outcome = expect(opening).rejects.toMatchObject({
      code: 'deadline-exceeded',
      message: /opened no HTTP\/2 session within 700 ms/,
      detail: { reason: NO_HTTP2 },
    });
    await connected;
    timers.advance(700);
    await outcome;
  });

  it('knows a server that speaks HTTP/1.1 only', async () => {
    const port = await listen(http.createServer());
    await expect(start(open(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: 'upstream-unavailable',
      retryable: false,
      detail: { reason: NO_HTTP2 },
    });
  });

  it('reports a refused connection and a name that does not resolve, with the remedy', async () => {
    await expect(start(open('http://127.0.0.1:1'))).rejects.toMatchObject({
      code: 'upstream-unavailable',
      retryable: true,
      message:
        'Upstream test (127.0.0.1:1) refused the connection: is it running, and is its address right? (ECONNREFUSED).',
    });
  });
});

describe('HTTP/2 over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-http2-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', [...command.split(' '), '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  rmSync(folder, { recursive: true });

  it('is negotiated in the handshake', async () => {
    const server = http2.createSecureServer({ cert, key });
    server.on('stream', echo);
    const client = open(`https://127.0.0.1:${await listen(server)}`, { tls: { ca: cert } });
    expect(await roundTrip(client)).toBe('ping');
  });

  it('knows a server that offers HTTP/1.1 only', async () => {
    const port = await listen(https.createServer({ cert, key }));
    await expect(start(open(`https://127.0.0.1:${port}`, { tls: { ca: cert } }))).rejects.toMatchObject({
      message: /does not speak HTTP\/2: its TLS handshake did not agree on it/,
      detail: { reason: NO_HTTP2 },
    });
  });

  it('does not trust a certificate that nobody vouches for', async () => {
    const port = await listen(http2.createSecureServer({ cert, key }));
    const failure = await start(open(`https://127.0.0.1:${port}`)).catch((error) => error);
    expect(failure).toMatchObject({ code: 'upstream-unavailable', retryable: false });
    expect(failure.message).toMatch(/does not trust.*NODE_EXTRA_CA_CERTS/);
    expect(failure.detail?.reason).not.toBe(NO_HTTP2);
  });

  it('goes through the tunnel of a proxy, with its user and password', async () => {
    const server = http2.createSecureServer({ cert, key });
    server.on('stream', echo);
    const target = `127.0.0.1:${await listen(server)}`;
    const seen: http.IncomingMessage[] = [];
    const proxy = http.createServer();
    proxy.on('connect', (request: http.IncomingMessage, socket: Socket) => {
      seen.push(request);
      const [host, port] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const proxyUrl = `http://us%20er:pa%3Ass@127.0.0.1:${await listen(proxy)}`;
    expect(await roundTrip(open(`https://${target}`, { tls: { ca: cert }, proxy: proxyUrl }))).toBe('ping');
    expect(seen[0]?.url).toBe(target);
    expect(seen[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from('us er:pa:ss').toString('base64')}`,
    );
  });
});

describe('a proxy that does not let us through', () => {
  const answering = async (head: string) => {
    const port = await listen(createServer((socket) => socket.once('data', () => socket.end(head))));
    return start(open('https://api.example', { proxy: `http://user:hidden@127.0.0.1:${port}` }));
  };

  it('asks for credentials', async () => {
    const failure = await answering('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n').catch(
      (error) => error,
    );
    expect(failure).toMatchObject({
      code: 'upstream-unavailable',
      retryable: false,
      message: /asks for a user/,
    });
    expect(failure.message).not.toContain('hidden');
  });

  it('refuses the host', async () => {
    await expect(answering('HTTP/1.1 403 Forbidden\r\n\r\n')).rejects.toMatchObject({
      message: /refused a tunnel to api\.example:443 \(403\)/,
    });
  });

  it('is none', async () => {
    await expect(answering('220 mail.example ESMTP\r\n\r\n')).rejects.toMatchObject({
      code: 'upstream-malformed',
      message: /is it one\?/,
    });
  });

  it('says nothing and hangs up', async () => {
    await expect(answering('')).rejects.toMatchObject({
      message: /The proxy 127\.0\.0\.1:\d+ cut the connection/,
    });
  });

  it('is not running', async () => {
    await expect(start(open('https://api.example', { proxy: 'http://127.0.0.1:1' }))).rejects.toMatchObject({
      message: /^The proxy 127\.0\.0\.1:1 refused the connection/,
    });
  });
});
