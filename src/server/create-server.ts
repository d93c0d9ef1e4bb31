// HTTP/1.1 and HTTP/2 on one server. Cleartext is told apart by its first bytes; with TLS the handshake decides (ALPN).
// In cleartext the http1 server owns the port, because Node starts its header time-outs on that server's `listening`.
import http from 'node:http';
import http2 from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import { GatewayError } from '../core/index.ts';
import { answerBadRequest } from './answer-bad-request.ts';
import type { Connections } from './connections.ts';
import type { AnyRequest } from './exchange.ts';
import { sniffProtocol } from './sniff-protocol.ts';
import type { AnyResponse } from './stream-writer.ts';

export interface ListenTimeouts {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** For a whole HTTP/1.1 request. Bodies are bounded in size, so five minutes fit the slowest honest line. */
  readonly requestMs: number;
  /** An idle connection is kept longer than the usual 60 s of proxies and client pools, so that they close first. */
  readonly keepAliveMs: number;
  /** A socket that says nothing at all, or not enough to know its protocol. */
  readonly silentMs: number;
}

export interface ServerOptions {
  readonly timeouts: ListenTimeouts;
  readonly connections: Connections;
  readonly onRequest: (request: AnyRequest, response: AnyResponse) => void;
}

export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Large enough for long tokens and tracing headers behind corporate proxies, which fill Node's 16 KB. */
const MAX_HEADER_BYTES = 32 * 1024;

const HTTP2_SETTINGS: http2.Settings = {
  maxConcurrentStreams: 256,
  maxHeaderListSize: MAX_HEADER_BYTES,
  initialWindowSize: 1024 * 1024, // with Node's 64 KB a large upload would wait for us at every step
};

export function createCleartextServer(options: ServerOptions): NetServer {
  const { timeouts, connections } = options;
  const http1 = http.createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: checkingInterval(timeouts),
  });
  const second = http2.createServer({ settings: HTTP2_SETTINGS });
  setHttp1Timeouts(http1, timeouts);
  attach(http1, options);
  attach(second, options);
  const [toHttp1] = http1.listeners('connection');
  http1.removeAllListeners('connection').on('connection', (socket: Socket) => {
    socket.setNoDelay(true);
    connections.add(socket);
    sniffProtocol(socket, {
      timeoutMs: timeouts.silentMs,
      onHttp1: () => toHttp1?.call(http1, socket),
      onHttp2: () => {
        // Made for HTTP/1.1, the socket would stay half open after a client that just went away.
        socket.allowHalfOpen = false;
        second.emit('connection', socket);
      },
    });
  });
  return http1;
}

export function createTlsServer(tls: TlsOptions, options: ServerOptions): NetServer {
  const { timeouts, connections } = options;
  let server: http2.Http2SecureServer;
  try {
    server = http2.createSecureServer({
      ...tls,
      allowHTTP1: true,
      settings: HTTP2_SETTINGS,
      handshakeTimeout: timeouts.silentMs,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GatewayError(
      'invalid-request',
      `server.tls is not a usable certificate and key (${reason}). Give two PEM files that belong together.`,
      { cause: error },
    );
  }
  setHttp1Timeouts(server, timeouts);
  server.prependListener('secureConnection', (socket) => {
    socket.setNoDelay(true);
    connections.add(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('unknownProtocol', (socket) => socket.destroy());
  attach(server, options);
  return server;
}

/** Node takes these as options in one class and as properties in the other; properties work in both. */
function setHttp1Timeouts(server: NetServer, timeouts: ListenTimeouts): void {
  Object.assign(server, {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: checkingInterval(timeouts),
  });
}

/** Node looks for late clients only this often; its own 30 s would stretch a short limit. */
function checkingInterval(timeouts: ListenTimeouts): number {
  return Math.min(5_000, Math.ceil(timeouts.headersMs / 2));
}

function attach(server: NetServer, { timeouts, connections, onRequest }: ServerOptions): void {
  server.on('request', onRequest);
  // Not answered here: the exchange says "continue" when it wants the body, so that a refusal comes before the upload.
  server.on('checkContinue', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    answerBadRequest(socket, error.code, connections.isBusy(socket));
  });
  server.on('sessionError', () => {}); // the session closes itself, and the exchanges on it hear of that
  server.on('session', (session: http2.ServerHttp2Session) => {
    const { socket } = session;
    connections.addSession(session);
    session.on('error', () => {}); // as above
    // An idle session has no other limit; one with open streams may be silent for as long as a model thinks.
    session.on('timeout', () => {
      if (session.destroyed) return;
      if (connections.isBusy(socket)) session.setTimeout(timeouts.keepAliveMs);
      else session.close();
    });
    session.setTimeout(timeouts.keepAliveMs);
  });
}
