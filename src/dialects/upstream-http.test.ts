import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { UpstreamOptions } from './dialect.ts';
import { type HttpAnswer, UpstreamHttp } from './upstream-http.ts';

const open: { server?: Server; http?: UpstreamHttp } = {};

const OPTIONS: UpstreamOptions = {
  name: 'test',
  headers: {},
  timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
  capabilities: [],
  newId: (prefix) => prefix,
};

async function connect(
  listener: RequestListener,
  options: Partial<UpstreamOptions> = {},
): Promise<UpstreamHttp> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  open.server = server;
  open.http = new UpstreamHttp({ ...OPTIONS, baseUrl: `http://127.0.0.1:${port}/v1/`, ...options });
  return open.http;
}

afterEach(async () => {
  await open.http?.close();
  open.server?.closeAllConnections();
  await new Promise((resolve) => open.server?.close(resolve));
});

const never = new AbortController().signal;
const post = (http: UpstreamHttp, signal = never) => http.post('/chat', '{}', { signal });
const drain = async (answer: HttpAnswer) => {
  for await (const _ of answer.body);
};

describe('HTTP to an upstream', () => {
  it('joins the path to the base URL and sends key and headers', async () => {
    const http = await connect(
      (request, response) => response.end(JSON.stringify({ url: request.url, headers: request.headers })),
      { apiKey: 'k1', headers: { 'X-Team': 't' } },
    );
    const seen = JSON.parse(await (await post(http)).readText(10_000));
    expect(seen.url).toBe('/v1/chat');
    expect(seen.headers).toMatchObject({
      authorization: 'Bearer k1',
      'x-team': 't',
      'user-agent': 'crosspoint',
    });
  });

  it('joins the query of the base URL and that of the path', async () => {
    const http = await connect((request, response) => response.end(JSON.stringify(request.url)));
    const address = open.server?.address() as AddressInfo; // a TCP server always has one
    const withQuery = { ...OPTIONS, baseUrl: `http://127.0.0.1:${address.port}/v1?api-version=7` };
    const azure = new UpstreamHttp(withQuery);
    expect(await azure.getJson('/models?after_id=a%26b', never)).toBe(
      '/v1/models?api-version=7&after_id=a%26b',
    );
    await azure.close();
    expect(await http.getJson('/models', never)).toBe('/v1/models');
  });

  it('reports a refused connection with the remedy', async () => {
    const http = await connect(() => {});
    await new Promise((resolve) => open.server?.close(resolve));
    await expect(post(http)).rejects.toMatchObject({
      code: 'upstream-unavailable',
      retryable: true,
      message: expect.stringMatching(
        /^Upstream test \(127\.0\.0\.1:\d+\) refused the connection: is it running/,
      ),
    });
  });

  it('reports an answer that is cut off', async () => {
    const http = await connect((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(drain(await post(http))).rejects.toMatchObject({ code: 'upstream-unavailable' });
  });

  it('gives up when no first byte comes', async () => {
    const timeouts = { connectMs: 5_000, firstByteMs: 40, idleMs: 5_000 };
    const http = await connect(() => {}, { timeouts });
    await expect(post(http)).rejects.toMatchObject({
      code: 'deadline-exceeded',
      message: /no first byte within 40 ms/,
    });
  });

  it('counts headers without a body as silence', async () => {
    const timeouts = { connectMs: 5_000, firstByteMs: 40, idleMs: 5_000 };
    const http = await connect((_request, response) => response.writeHead(200).flushHeaders(), { timeouts });
    await expect(drain(await post(http))).rejects.toMatchObject({ message: /no first byte within 40 ms/ });
  });

  it('gives up when the stream stalls, but not when the reader is the slow one', async () => {
    const timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 60 };
    const http = await connect((_request, response) => response.write('one'), { timeouts });
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of (await post(http)).body) {
        read.push(Buffer.from(chunk).toString());
        await new Promise((resolve) => setTimeout(resolve, 150)); // longer than idleMs: must not count
        read.push('still there');
      }
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'deadline-exceeded',
      message: /no data within 60 ms/,
    });
    expect(read).toEqual(['one', 'still there']);
  });

  it('tells the upstream at once when the client leaves', async () => {
    let gone: (value: unknown) => void = () => {};
    const upstreamSawIt = new Promise((resolve) => {
      gone = resolve;
    });
    const http = await connect((_request, response) => {
      response.on('close', gone);
      response.write('one');
    });
    const client = new AbortController();
    const answer = await post(http, client.signal);
    const reading = drain(answer);
    client.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    await upstreamSawIt;
  });

  it('closes the request when the reader leaves the loop', async () => {
    let gone: (value: unknown) => void = () => {};
    const upstreamSawIt = new Promise((resolve) => {
      gone = resolve;
    });
    const http = await connect((_request, response) => {
      response.on('close', gone);
      response.write('one');
    });
    for await (const _ of (await post(http)).body) break;
    await upstreamSawIt;
  });

  it('understands an answer that was compressed all the same', async () => {
    const http = await connect((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'));
    });
    expect(await (await post(http)).readText(100)).toBe('hello');
  });

  it('refuses to collect more than the bound', async () => {
    const http = await connect((_request, response) => response.end('x'.repeat(200)));
    await expect((await post(http)).readText(100)).rejects.toMatchObject({ code: 'upstream-malformed' });
  });

  it('says what was wrong with a model list', async () => {
    const http = await connect((request, response) => {
      if (request.url === '/v1/models') response.end('<html>');
      else response.writeHead(404).end();
    });
    await expect(http.getJson('/models', never)).rejects.toMatchObject({ code: 'upstream-malformed' });
    await expect(http.getJson('/else', never)).rejects.toMatchObject({
      code: 'upstream-rejected',
      message: /404 to GET \/v1\/else/,
    });
  });

  it.each(['ftp://x', 'nonsense'])('refuses the base URL %s', async (baseUrl) => {
    await expect(connect(() => {}, { baseUrl })).rejects.toThrow(/baseUrl must be an http or https URL/);
    delete open.http; // nothing was opened
  });
});
