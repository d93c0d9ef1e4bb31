// The loopback redirect of OAuth for native programs (RFC 8252, section 7.3): a port of this machine, any free one, that
// listens only while a sign-in is under way and takes one answer.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignInPort } from '../../mcp/index.ts';

const PATH = '/callback';
const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Crosspoint</title><p>Done. You can close this page.</p>';

export interface SignInGuide {
  /** Leads the user to the address, and may bring the answer another way: a person who copies it from a browser elsewhere. */
  show(
    server: string,
    url: URL,
    signal: AbortSignal,
    answered: (answer: URLSearchParams) => void,
    failed: (error: Error) => void,
  ): void | Promise<void>;
}

export function createLoopbackSignIn(guide: SignInGuide): SignInPort {
  return {
    async begin(server) {
      const listener = createServer();
      const end = new AbortController();
      let answered: (answer: URLSearchParams) => void = () => {};
      let failed: (error: Error) => void = () => {};
      const answer = new Promise<URLSearchParams>((resolve, reject) => {
        answered = resolve;
        failed = reject;
      });
      const port = await listen(listener, (parameters) => answered(parameters));
      return {
        redirectUrl: `http://127.0.0.1:${port}${PATH}`,
        show: (url) => guide.show(server, url, end.signal, answered, failed),
        answer,
        close() {
          end.abort();
          listener.close();
          listener.closeAllConnections();
        },
      };
    },
  };
}

async function listen(listener: Server, onAnswer: (parameters: URLSearchParams) => void): Promise<number> {
  listener.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    // Other pages of the same browser can reach this port too; without a state it cannot be the answer.
    if (request.method !== 'GET' || url.pathname !== PATH || !url.searchParams.has('state')) {
      response.writeHead(404, { connection: 'close' }).end();
      return;
    }
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
      .end(PAGE, () => onAnswer(url.searchParams));
  });
  listener.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port; // a TCP listener has one
}
