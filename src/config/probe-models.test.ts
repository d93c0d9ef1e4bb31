import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { probeModels } from './probe-models.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo; // a TCP server that listens has one
  return `http://127.0.0.1:${port}/v1`;
}

describe('the probe', () => {
  it('reads the models of an OpenAI-compatible server', async () => {
    const url = await serve((request, response) => {
      response.end(JSON.stringify({ data: [{ id: request.url }, { id: 'b' }, {}] }));
    });
    expect(await probeModels(url, 5_000)).toEqual(['/v1/models', 'b']);
  });

  it.each([
    ['a web page', 200, '<html></html>'],
    ['other JSON', 200, '{"ok":true}'],
    ['an error', 500, '{"data":[]}'],
  ])('takes %s for somebody else', async (_, status, body) => {
    const url = await serve((_request, response) => response.writeHead(status).end(body));
    expect(await probeModels(url, 5_000)).toBeUndefined();
  });

  it('follows no redirect', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    );
    expect(await probeModels(url, 5_000)).toBeUndefined();
  });

  it('gives up on a server that says nothing', async () => {
    const url = await serve(() => {});
    expect(await probeModels(url, 50)).toBeUndefined();
  });
});
