// A socket to an upstream's host: TCP, TLS, and the tunnel of an HTTP proxy (CONNECT, RFC 9110 section 9.3.6).
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { GatewayError } from '../core/index.ts';

export interface SocketOptions {
  readonly url: URL;
  readonly proxy?: string | undefined;
  /** Protocols offered in the TLS handshake, the preferred one first. */
  readonly alpnProtocols: readonly string[];
  /** How messages name the upstream. */
  readonly upstream: string;
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized'> | undefined;
  /** Aborted when the connection takes too long; its reason is what is thrown. */
  readonly signal: AbortSignal;
}

const MAX_PROXY_HEAD_BYTES = 16 * 1024;

export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { url, proxy, signal } = options;
  signal.throwIfAborted();
  let socket: Socket | undefined;
  const onAbort = () => socket?.destroy();
  signal.addEventListener('abort', onAbort);
  try {
    if (proxy === undefined) {
      socket = openTcp(url);
      await isReady(socket, 'connect');
    } else {
      socket = await openTunnel(options, new URL(proxy), (opened) => {
        socket = opened;
      });
    }
    if (url.protocol === 'https:') {
      const secure = openTls(socket, url, options);
      socket = secure;
      await isReady(secure, 'secureConnect');
    }
    signal.throwIfAborted();
    return socket;
  } catch (thrown) {
    socket?.destroy();
    signal.throwIfAborted();
    throw toSocketError(thrown, options.upstream);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function openTcp(url: URL): Socket {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  // A URL writes an IPv6 address in brackets, a socket takes it bare.
  return connectTcp({ host: url.hostname.replace(/^\[|\]$/g, ''), port, noDelay: true });
}

function openTls(socket: Socket, url: URL, { alpnProtocols, tls }: SocketOptions): TLSSocket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return connectTls({
    ...tls,
    socket,
    host,
    ALPNProtocols: [...alpnProtocols],
    ...(isIP(host) ? {} : { servername: host }),
  });
}

async function openTunnel(
  options: SocketOptions,
  proxy: URL,
  onOpened: (socket: Socket) => void,
): Promise<Socket> {
  const where = `The proxy ${proxy.host}`;
  let socket: Socket = openTcp(proxy);
  onOpened(socket);
  try {
    await isReady(socket, 'connect');
    if (proxy.protocol === 'https:') {
      socket = openTls(socket, proxy, { ...options, alpnProtocols: ['http/1.1'] });
      onOpened(socket);
      await isReady(socket, 'secureConnect');
    }
    const { url } = options;
    const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization(proxy)}\r\n`);
    const status = await readProxyStatus(socket);
    if (status >= 200 && status < 300) return socket;
    throw new GatewayError('upstream-unavailable', `${where} ${explainRefusal(status, target)}`, {
      retryable: status >= 500,
      detail: { upstreamStatus: status },
    });
  } catch (thrown) {
    if (options.signal.aborted) throw thrown;
    throw toSocketError(thrown, where);
  }
}

function authorization(proxy: URL): string {
  if (proxy.username === '' && proxy.password === '') return '';
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;
}

function explainRefusal(status: number, target: string): string {
  if (status === 407) {
    return 'asks for a user and password (407): write them into the proxy setting, http://user:password@host:port.';
  }
  return `refused a tunnel to ${target} (${status}): ask who runs it to allow this host.`;
}

/** Reads exactly the head of the answer; what follows belongs to the tunnel and is put back. */
async function readProxyStatus(socket: Socket): Promise<number> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      await isReady(socket, 'readable');
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1 && head.length < MAX_PROXY_HEAD_BYTES) continue;
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1')) ?? [];
    if (end === -1 || status === undefined) {
      throw new GatewayError('upstream-malformed', 'The proxy did not answer CONNECT with HTTP: is it one?');
    }
    const rest = head.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    return Number(status);
  }
}

/** Resolves on the event; rejects when the socket fails or ends before. */
function isReady(socket: Socket, event: 'connect' | 'secureConnect' | 'readable'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      socket.off(event, onEvent).off('error', settle).off('close', onClose);
      if (error === undefined) return resolve();
      socket.on('error', () => {}); // it is being thrown already
      reject(error);
    };
    const onEvent = () => (socket.readableEnded ? onClose() : settle());
    const onClose = () => settle(Object.assign(new Error('The socket was closed.'), { code: 'ECONNRESET' }));
    socket.on(event, onEvent).on('error', settle).on('close', onClose);
  });
}

/** Faults that the next try meets again: retrying them only delays the message. */
const LASTING_FAULTS = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|ENOTFOUND$)/;

export function toSocketError(thrown: unknown, upstream: string): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  const fault = typeof code === 'string' ? code : 'no code';
  return new GatewayError('upstream-unavailable', `${upstream} ${explainFault(fault)} (${fault}).`, {
    cause: thrown,
    retryable: !LASTING_FAULTS.test(fault),
  });
}

function explainFault(fault: string): string {
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)/.test(fault)) {
    return 'has a TLS certificate that this machine does not trust: set NODE_EXTRA_CA_CERTS if it is your own';
  }
  switch (fault) {
    case 'ECONNREFUSED':
      return 'refused the connection: is it running, and is its address right?';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a host name that does not resolve: check its address';
    case 'ETIMEDOUT':
      return 'did not accept the connection in time';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'cut the connection';
    default:
      return 'could not be reached';
  }
}
