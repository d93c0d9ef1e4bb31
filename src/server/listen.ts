import type { AddressInfo, Server as NetServer } from 'node:net';
import { GatewayError } from '../core/index.ts';
import { Connections } from './connections.ts';
import {
  createCleartextServer,
  createTlsServer,
  type ListenTimeouts,
  type TlsOptions,
} from './create-server.ts';
import { type AnyRequest, Exchange } from './exchange.ts';
import { sendPlainError, toPublicError } from './http-error.ts';
import type { AnyResponse } from './stream-writer.ts';

const DEFAULT_TIMEOUTS: ListenTimeouts = {
  headersMs: 20_000,
  requestMs: 300_000,
  keepAliveMs: 75_000,
  silentMs: 20_000,
};

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls?: TlsOptions | undefined;
  readonly handler: (exchange: Exchange) => Promise<void> | void;
  readonly timeouts?: Partial<ListenTimeouts>;
  /** Hears of errors a handler let through; the client gets a plain 500. */
  readonly onUnexpected?: (thrown: unknown) => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Where a client on this machine reaches it. */
  readonly url: string;
  /** Stops accepting, ends idle connections now, busy ones with their answers, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listener> {
  const connections = new Connections();
  const serverOptions = {
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    connections,
    onRequest: createRequestListener(options, connections),
  };
  const server = options.tls
    ? createTlsServer(options.tls, serverOptions)
    : createCleartextServer(serverOptions);
  const port = await bind(server, options);
  let closing: Promise<void> | undefined;
  return {
    host: options.host,
    port,
    url: `${options.tls ? 'https' : 'http'}://${reachableHost(options.host)}:${port}`,
    close(graceMs) {
      closing ??= closeServer(server, connections, graceMs);
      return closing;
    },
  };
}

function createRequestListener(options: ListenOptions, connections: Connections) {
  return (request: AnyRequest, response: AnyResponse): void => {
    connections.beginResponse(request.socket, response);
    const exchange = new Exchange(request, response);
    void (async () => {
      try {
        await options.handler(exchange);
        if (!exchange.hasAnswered && !exchange.signal.aborted) {
          throw new Error(`No answer was sent to ${exchange.method} ${exchange.path}.`);
        }
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) options.onUnexpected?.(thrown);
        // A stream already begun cannot be saved: cutting it tells the client that it is not whole.
        if (!exchange.hasAnswered) sendPlainError(exchange, toPublicError(thrown));
        else if (!response.writableEnded) response.destroy();
      }
    })();
  };
}

/** Hundreds of clients may start at once; the system cuts it to what it allows. */
const BACKLOG = 4096;

async function bind(server: NetServer, { host, port }: ListenOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port));
    server.once('error', onError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', onError);
      resolve();
    });
  });
  // Running out of file descriptors, for one, is reported here; the server goes on with the next connection.
  server.on('error', () => {});
  return (server.address() as AddressInfo).port; // a server bound to a host and port has no other kind of address
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): GatewayError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new GatewayError(
        'conflict',
        `Port ${port} on ${host} is in use. Perhaps a gateway runs already ("crosspoint status" tells); stop it, or ` +
          'choose another port with --port.',
        { cause: error },
      );
    case 'EACCES':
      return new GatewayError(
        'permission-denied',
        `Port ${port} on ${host} may not be opened by this user; choose one above 1023 with --port.`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new GatewayError(
        'invalid-request',
        `The host ${host} is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all networks, with --host.`,
        { cause: error },
      );
    default:
      return new GatewayError('internal', `Cannot listen on ${host} port ${port}: ${error.message}.`, {
        cause: error,
      });
  }
}

async function closeServer(server: NetServer, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeGracefully();
  const timer = setTimeout(() => connections.destroyAll(), graceMs);
  await closed;
  await connections.allClosed();
  clearTimeout(timer);
}

/** A wildcard is an address to listen on, not one to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
