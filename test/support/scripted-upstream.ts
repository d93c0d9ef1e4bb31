// A chat server on a real socket that does exactly what a test says, misbehaviour included.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedUpstream {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  /** Resolves when the connection of the n-th request (from 0) was closed by the gateway. */
  closed(index: number): Promise<void>;
  stop(): Promise<void>;
}

export type Answer = (response: ServerResponse, request: SeenRequest, index: number) => unknown;

export async function startScriptedUpstream(answer: Answer): Promise<ScriptedUpstream> {
  const requests: SeenRequest[] = [];
  const closed: PromiseWithResolvers<void>[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET' && request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', context_length: 4096 }] }),
      );
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    const index = requests.push(seen) - 1;
    const gone = resolvers();
    closed[index] = gone;
    response.on('close', () => gone.resolve());
    await answer(response, seen, index);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    closed: (index) => closed[index]?.promise ?? Promise.reject(new Error(`no request ${index}`)),
    stop: () => stopServer(server),
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function resolvers(): PromiseWithResolvers<void> {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** One chat chunk as a server-sent event. */
export function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

export function startSse(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return response;
}
