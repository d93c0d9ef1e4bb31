// Keeps web pages away from a gateway on this machine: DNS rebinding is met by the Host check, cross-site requests by
// Origin and Sec-Fetch-Site (Fetch standard, W3C Fetch Metadata). Programs send neither Origin nor Sec-Fetch-*.
import { isLoopbackHost } from '../config/loopback.ts';
import { GatewayError } from '../core/index.ts';
import type { Exchange, ResponseHeaders } from './exchange.ts';

export interface HostCheckOptions {
  /** The address the gateway listens on. */
  readonly boundHost: string;
  readonly authMode: 'none' | 'keys';
  /** Further Host names, without port, e.g. `gateway.example.org`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Whole origins, e.g. `https://app.example.org`, or `*` for all. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface HostCheck {
  /** Throws `permission-denied` for a foreign Host or Origin; else adds the CORS headers an allowed origin needs. */
  check(exchange: Exchange): void;
  /** Answers a CORS preflight; false when the request is none. Call it after `check`. */
  answerPreflight(exchange: Exchange): boolean;
}

type Headers = Exchange['headers'];

const EXPOSED = 'x-crosspoint-turn, x-crosspoint-upstream, x-request-id, retry-after';

export function createHostCheck(options: HostCheckOptions): HostCheck {
  const allowedHosts = new Set([options.boundHost, ...(options.allowedHosts ?? [])].map(normalizeHost));
  const allowedOrigins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  // Whoever opens the gateway to a network reaches it by many names; then the keys are the guard.
  const takesAnyHost = options.authMode === 'keys' && !isLoopbackHost(options.boundHost);

  function checkHost(headers: Headers): void {
    if (takesAnyHost) return;
    const host = parseHost(headers.host);
    if (host !== undefined && (isLoopbackHost(host) || allowedHosts.has(host))) return;
    throw new GatewayError(
      'permission-denied',
      `The host ${quote(headers.host)} is not one this gateway answers to. Call it by its address, or add the ` +
        'name to server.allowedHosts.',
    );
  }

  function isAllowedOrigin(origin: string, { headers, path }: Exchange): boolean {
    // Cursor's own window verifies a BYOK address; no web page can bear this origin.
    if (path.startsWith('/cursor/') && /^vscode-file:\/\//i.test(origin)) return true;
    if (allowedOrigins.has('*') || allowedOrigins.has(origin.toLowerCase())) return true;
    const parsed = /^https?:\/\/([^/?#]+)$/i.exec(origin)?.[1];
    if (parsed === undefined) return false;
    const host = parseHost(parsed);
    if (host !== undefined && isLoopbackHost(host)) return true;
    return parsed.toLowerCase() === headers.host?.toLowerCase();
  }

  function checkOrigin(exchange: Exchange): ResponseHeaders {
    const { headers, method } = exchange;
    const origin = headers.origin;
    if (origin !== undefined) {
      if (isAllowedOrigin(origin, exchange)) {
        return {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': EXPOSED,
          vary: 'origin',
        };
      }
      throw new GatewayError(
        'permission-denied',
        `The origin ${quote(origin)} may not call this gateway. Add it to server.allowedOrigins to let its pages in.`,
      );
    }
    // A link that a person follows carries no origin; its page cannot read the answer, and no GET changes anything.
    const isNavigation =
      method === 'GET' &&
      headers['sec-fetch-mode'] === 'navigate' &&
      headers['sec-fetch-dest'] === 'document';
    if (headers['sec-fetch-site'] === 'cross-site' && !isNavigation && !allowedOrigins.has('*')) {
      throw new GatewayError(
        'permission-denied',
        'A web page of another site may not call this gateway. Add its origin to server.allowedOrigins to let it in.',
      );
    }
    return {};
  }

  return {
    check(exchange) {
      checkHost(exchange.headers);
      exchange.addHeaders(checkOrigin(exchange));
    },
    answerPreflight(exchange) {
      const { headers, method } = exchange;
      const wanted = headers['access-control-request-method'];
      if (method !== 'OPTIONS' || headers.origin === undefined || wanted === undefined) return false;
      const names = headers['access-control-request-headers'];
      const isPrivateNetwork = headers['access-control-request-private-network'] === 'true';
      exchange.sendBytes(204, '', {
        'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
        'access-control-max-age': '600',
        ...(names !== undefined && /^[\w\-, ]+$/.test(names)
          ? { 'access-control-allow-headers': names }
          : {}),
        ...(isPrivateNetwork ? { 'access-control-allow-private-network': 'true' } : {}),
      });
      return true;
    },
  };
}

/** The name or address without port, lower-case; undefined when it is neither. */
function parseHost(host: string | undefined): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match?.[1] && normalizeHost(match[1]);
}

function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function quote(text: string | undefined): string {
  return text === undefined ? '(none)' : JSON.stringify(text.slice(0, 100));
}
