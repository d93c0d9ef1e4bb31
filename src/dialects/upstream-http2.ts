// HTTP/2 to an upstream (RFC 9113): over TLS by ALPN, in cleartext with prior knowledge. Streams share sessions, each
// session carries a bounded number of them, is kept awake by PING, and is replaced when the server says GOAWAY.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { GatewayError } from '../core/index.ts';
import { openSocket, type SocketOptions, toSocketError } from './upstream-socket.ts';
import { REAL_TIMERS, type Timers } from './upstream-timers.ts';

export interface Http2Options {
  readonly name: string;
  /** `https://` is negotiated by ALPN, `http://` is HTTP/2 from the first byte. A path is put before every path. */
  readonly baseUrl: string;
  readonly connectMs: number;
  readonly proxy?: string | undefined;
  readonly maxStreamsPerSession?: number;
  readonly tls?: SocketOptions['tls'];
  readonly timers?: Timers;
}

export interface Http2Head {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One request whose body may go on while its answer comes. */
export interface Http2Stream {
  /** Rejects with a GatewayError when the stream ends before it is answered. */
  readonly head: Promise<Http2Head>;
  /** To be read once; throws a GatewayError when the stream is cut. */
  readonly body: AsyncIterable<Uint8Array>;
  /** In order. Resolves when there is room for more, rejects with a GatewayError when the stream is gone. */
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing more will be written. */
  end(): void;
  /** Ends both directions at once; safe to call twice. */
  reset(): void;
}

/** The `detail.reason` of errors that say: the host is there, but not with HTTP/2. */
export const NO_HTTP2 = 'http2_unavailable';

const PING_EVERY_MS = 20_000;
const PING_TIMEOUT_MS = 15_000;
const IDLE_SESSION_MS = 60_000;
const GOODBYE_MS = 1_000;
/** Few enough that all of them may stand still at once without filling the window of the session. */
const MAX_STREAMS = 100;
const STREAM_WINDOW = 256 * 1024;
const SESSION_WINDOW = 32 * 1024 * 1024;

interface OpenSession {
  readonly client: ClientHttp2Session;
  /** The bare socket: the one the session shows may not be ended. */
  readonly socket: Socket;
}

interface SharedSession {
  readonly ready: Promise<OpenSession>;
  opened?: OpenSession;
  /** Open streams, and those that wait for the session to open. */
  used: number;
  limit: number;
  isUsable: boolean;
  cancelTimer?: () => void;
}

export class UpstreamHttp2 {
  readonly #options: Http2Options;
  readonly #url: URL;
  readonly #timers: Timers;
  readonly #upstream: string;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  #sessions: SharedSession[] = [];

  constructor(options: Http2Options) {
    this.#options = options;
    this.#url = new URL(options.baseUrl);
    this.#timers = options.timers ?? REAL_TIMERS;
    this.#upstream = `Upstream ${options.name} (${this.#url.host})`;
  }

  async openStream(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Http2Stream> {
    for (;;) {
      if (signal.aborted) throw cancelled(signal);
      if (this.#closing.signal.aborted) throw new GatewayError('cancelled', `${this.#upstream} was closed.`);
      const shared = this.#sessions.find((one) => isFree(one)) ?? this.#connect();
      shared.used++;
      try {
        const { client } = await unlessAborted(shared.ready, signal);
        // While this waited the session may have gone, or turned out to be smaller than thought.
        if (isAlive(shared) && shared.used <= shared.limit) {
          const request = client.request({
            ...headers,
            [constants.HTTP2_HEADER_METHOD]: 'POST',
            [constants.HTTP2_HEADER_PATH]: this.#url.pathname.replace(/\/+$/, '') + path,
          });
          request.once('close', () => this.#release(shared));
          return wrapStream(request, this.#upstream);
        }
      } catch (thrown) {
        this.#release(shared);
        throw toSocketError(thrown, this.#upstream);
      }
      this.#release(shared);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new GatewayError('cancelled', `${this.#upstream} was closed.`));
    for (const shared of this.#sessions) this.#retire(shared);
    await Promise.all(
      [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())),
    );
  }

  #connect(): SharedSession {
    const opening = new AbortController();
    const cancelTimer = this.#timers.after(this.#options.connectMs, () => {
      const message = `${this.#upstream} opened no HTTP/2 session within ${this.#options.connectMs} ms.`;
      // The address may be right and HTTP/2 swallowed on the way, so the caller may try HTTP/1.1.
      opening.abort(new GatewayError('deadline-exceeded', message, { detail: { reason: NO_HTTP2 } }));
    });
    const onClosing = () => opening.abort(this.#closing.signal.reason);
    this.#closing.signal.addEventListener('abort', onClosing);
    const ready = this.#open(opening.signal).finally(() => {
      cancelTimer();
      this.#closing.signal.removeEventListener('abort', onClosing);
    });
    const limit = this.#options.maxStreamsPerSession ?? MAX_STREAMS;
    const shared: SharedSession = { ready, used: 0, limit, isUsable: true };
    this.#sessions.push(shared);
    ready.then(
      (opened) => this.#keep(shared, opened),
      () => this.#retire(shared),
    );
    return shared;
  }

  async #open(signal: AbortSignal): Promise<OpenSession> {
    const upstream = this.#upstream;
    const { proxy, tls } = this.#options;
    const alpnProtocols = ['h2', 'http/1.1'];
    const socket = await openSocket({ url: this.#url, proxy, tls, upstream, alpnProtocols, signal });
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A TLS socket says what was agreed on; only asked for https.
    if (this.#url.protocol === 'https:' && (socket as TLSSocket).alpnProtocol !== 'h2') {
      socket.destroy();
      throw this.#noHttp2('its TLS handshake did not agree on it');
    }
    const client = connect(this.#url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    try {
      await new Promise<void>((resolve, reject) => {
        client.once('remoteSettings', () => resolve());
        client.once('error', reject).once('close', () => reject(new Error('The session was closed.')));
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } catch (thrown) {
      client.on('error', () => {}); // thrown below
      client.destroy();
      signal.throwIfAborted();
      throw this.#noHttp2('it did not answer in HTTP/2', thrown);
    }
    client.on('error', () => {}); // every stream of the session hears of it too
    client.setLocalWindowSize(SESSION_WINDOW);
    return { client, socket };
  }

  #keep(shared: SharedSession, opened: OpenSession): void {
    const { client } = opened;
    shared.opened = opened;
    const offered = client.remoteSettings.maxConcurrentStreams ?? shared.limit;
    shared.limit = Math.max(1, Math.min(shared.limit, offered));
    client.once('goaway', () => this.#retire(shared)); // open streams may finish
    client.once('close', () => this.#retire(shared));
    if (client.closed || client.destroyed) this.#retire(shared);
    else this.#schedulePing(shared, client);
  }

  #schedulePing(shared: SharedSession, client: ClientHttp2Session, idleMs = 0): void {
    shared.cancelTimer = this.#timers.after(PING_EVERY_MS, () => {
      if (client.destroyed) return;
      const nextIdleMs = shared.used === 0 ? idleMs + PING_EVERY_MS : 0;
      if (nextIdleMs >= IDLE_SESSION_MS) {
        this.#retire(shared);
        return;
      }
      const cancelDeadline = this.#timers.after(PING_TIMEOUT_MS, () => {
        const message = `${this.#upstream} did not answer a ping within ${PING_TIMEOUT_MS} ms.`;
        client.destroy(new GatewayError('upstream-unavailable', message));
      });
      shared.cancelTimer = cancelDeadline;
      const isSent = client.ping((error) => {
        cancelDeadline();
        if (error === null && !client.destroyed) this.#schedulePing(shared, client, nextIdleMs);
      });
      if (!isSent) cancelDeadline(); // the session is closing
    });
  }

  /** No new streams; ends when the last open one does. Pings go on until then. */
  #retire(shared: SharedSession): void {
    shared.isUsable = false;
    this.#sessions = this.#sessions.filter((one) => one !== shared);
    if (shared.opened?.client.destroyed || shared.used === 0) this.#dismiss(shared);
  }

  #release(shared: SharedSession): void {
    shared.used--;
    if (!shared.isUsable && shared.used === 0) this.#dismiss(shared);
  }

  #dismiss(shared: SharedSession): void {
    shared.cancelTimer?.();
    if (shared.opened === undefined) return;
    const { client, socket } = shared.opened;
    if (!client.destroyed) client.close();
    // Node then waits for the other side to close, however long that takes.
    if (!socket.destroyed) this.#timers.after(GOODBYE_MS, () => socket.destroy());
  }

  #noHttp2(why: string, cause?: unknown): GatewayError {
    return new GatewayError('upstream-unavailable', `${this.#upstream} does not speak HTTP/2: ${why}.`, {
      cause,
      retryable: false,
      detail: { reason: NO_HTTP2 },
    });
  }
}

/** A session knows of its end a moment before it tells. */
function isAlive({ isUsable, opened }: SharedSession): boolean {
  return isUsable && !opened?.client.closed && !opened?.client.destroyed;
}

function isFree(shared: SharedSession): boolean {
  return isAlive(shared) && shared.used < shared.limit;
}

function wrapStream(request: ClientHttp2Stream, upstream: string): Http2Stream {
  const waiting = new Set<(error: GatewayError) => void>();
  let fault: GatewayError | undefined;
  const gone = (thrown?: unknown) => fault ?? toStreamError(thrown, request, upstream);
  request.on('error', (error) => {
    fault ??= toStreamError(error, request, upstream);
  });
  const head = new Promise<Http2Head>((resolve, reject) => {
    request.once('response', (headers) => {
      resolve({ status: Number(headers[':status']), headers: flatten(headers) });
    });
    request.once('close', () => reject(gone()));
  });
  head.catch(() => {}); // whoever awaits it sees it
  request.once('close', () => {
    for (const reject of waiting) reject(gone());
    waiting.clear();
  });
  return {
    head,
    body: { [Symbol.asyncIterator]: () => readBody(request, gone) },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (request.closed || request.destroyed || request.writableEnded) return reject(gone());
        waiting.add(reject);
        request.write(bytes, (error) => {
          waiting.delete(reject);
          // What was still pending when the stream was reset is reported as written.
          if (error || request.rstCode) reject(gone(error));
          else resolve();
        });
      }),
    end: () => {
      if (!request.closed && !request.writableEnded) request.end();
    },
    reset: () => {
      if (!request.closed) request.close(constants.NGHTTP2_CANCEL);
    },
  };
}

async function* readBody(
  request: ClientHttp2Stream,
  gone: (thrown?: unknown) => GatewayError,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request) yield chunk;
  } catch (thrown) {
    throw gone(thrown);
  }
  // Node ends the body of a stream that was reset with CANCEL as if it were whole, and tells a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  if (request.rstCode) throw gone();
}

function toStreamError(error: unknown, request: ClientHttp2Stream, upstream: string): GatewayError {
  if (error instanceof GatewayError) return error;
  const { rstCode } = request;
  const reason = rstCode ? `HTTP/2 code ${rstCode}` : 'closed';
  const how =
    rstCode === constants.NGHTTP2_REFUSED_STREAM || rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM
      ? 'refused the stream for now'
      : 'cut the stream';
  return new GatewayError('upstream-unavailable', `${upstream} ${how} (${reason}).`, { cause: error });
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function cancelled(signal: AbortSignal): GatewayError {
  return new GatewayError('cancelled', 'The turn was cancelled.', { cause: signal.reason });
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
