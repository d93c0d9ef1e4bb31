import type { z } from 'zod';
import { GatewayError, type JsonObject } from '../core/index.ts';
import type { Exchange } from './exchange.ts';
import { type SendError, sendPlainError, toPublicError } from './http-error.ts';

export type RouteParams = Readonly<Record<string, string>>;

/** What the OpenAPI document says about a route; schemas are zod or plain JSON Schema. */
export interface RouteDoc {
  readonly summary: string;
  readonly tag: string;
  readonly auth: 'none' | 'key' | 'admin';
  readonly query?: z.ZodObject;
  readonly request?: z.ZodType | JsonObject;
  readonly response?: z.ZodType | JsonObject;
  readonly status?: number;
  readonly contentType?: string;
}

export interface Route {
  readonly method: string;
  /** `/exact`, `/with/:param` (decoded) or `/prefix/*` (the rest as it came, under `*`); the most exact match wins. */
  readonly path: string;
  handle(exchange: Exchange, params: RouteParams): Promise<void> | void;
  readonly doc?: RouteDoc;
}

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** Chooses the error's form, usually by path: a client wants errors in its own dialect. */
  readonly sendError?: SendError;
  /** Called for OPTIONS; true means that it has answered. */
  readonly onOptions?: (exchange: Exchange) => boolean;
  /** Hears of errors nobody foresaw. */
  readonly onUnexpected?: (thrown: unknown, exchange: Exchange) => void;
}

export type Router = (exchange: Exchange) => Promise<void>;

interface Compiled {
  readonly segments: readonly string[];
  readonly isPrefix: boolean;
  readonly byMethod: Map<string, Route>;
}

export function createRouter(options: RouterOptions): Router {
  const { sendError = sendPlainError } = options;
  const { exact, patterns } = compile(options.routes);

  return async (exchange) => {
    try {
      if (exchange.method === 'OPTIONS' && options.onOptions?.(exchange) === true) return;
      const match = find(exchange.path, exact, patterns);
      if (!match) {
        const message = `There is nothing at ${exchange.method} ${shorten(exchange.path)}; see /openapi.json.`;
        sendError(exchange, new GatewayError('not-found', message));
        return;
      }
      const { byMethod, params } = match;
      const route =
        byMethod.get(exchange.method) ?? (exchange.method === 'HEAD' ? byMethod.get('GET') : undefined);
      if (route) {
        await route.handle(exchange, params);
        return;
      }
      const allow = allowedMethods(byMethod);
      if (exchange.method === 'OPTIONS') {
        exchange.sendBytes(204, '', { allow });
        return;
      }
      const message = `${exchange.method} is not possible at ${shorten(exchange.path)}; use ${allow}.`;
      sendError(exchange, new GatewayError('invalid-request', message), { status: 405, headers: { allow } });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) options.onUnexpected?.(thrown, exchange);
      sendError(exchange, toPublicError(thrown));
    }
  };
}

function compile(routes: readonly Route[]) {
  const exact = new Map<string, Map<string, Route>>();
  const byPattern = new Map<string, Compiled>();
  for (const route of routes) {
    const isPattern = route.path.includes('/:') || route.path.endsWith('/*');
    let byMethod = isPattern ? byPattern.get(route.path)?.byMethod : exact.get(route.path);
    if (!byMethod) {
      byMethod = new Map();
      if (isPattern) byPattern.set(route.path, compilePattern(route.path, byMethod));
      else exact.set(route.path, byMethod);
    }
    if (byMethod.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}.`);
    byMethod.set(route.method, route);
  }
  // Parameters before prefixes, longer before shorter: then the first match is the most exact one.
  const patterns = [...byPattern.values()].sort(
    (a, b) => Number(a.isPrefix) - Number(b.isPrefix) || b.segments.length - a.segments.length,
  );
  return { exact, patterns };
}

function compilePattern(path: string, byMethod: Map<string, Route>): Compiled {
  const isPrefix = path.endsWith('/*');
  const segments = (isPrefix ? path.slice(0, -2) : path).split('/');
  return { segments, isPrefix, byMethod };
}

function find(path: string, exact: Map<string, Map<string, Route>>, patterns: readonly Compiled[]) {
  const byMethod = exact.get(path);
  if (byMethod) return { byMethod, params: {} };
  const parts = path.split('/');
  for (const pattern of patterns) {
    const params = matchPattern(pattern, parts);
    if (params) return { byMethod: pattern.byMethod, params };
  }
  return undefined;
}

function matchPattern(pattern: Compiled, parts: readonly string[]): RouteParams | undefined {
  const { segments, isPrefix } = pattern;
  if (isPrefix ? parts.length <= segments.length : parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if (segment.startsWith(':')) {
      const value = decodeSegment(part);
      if (value === undefined || value === '') return undefined;
      params[segment.slice(1)] = value;
    } else if (segment !== part) {
      return undefined;
    }
  }
  if (isPrefix) params['*'] = parts.slice(segments.length).join('/');
  return params;
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function allowedMethods(byMethod: ReadonlyMap<string, Route>): string {
  const methods = [...byMethod.keys()];
  if (byMethod.has('GET') && !byMethod.has('HEAD')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

function shorten(path: string): string {
  return path.length > 100 ? `${path.slice(0, 100)}…` : path;
}
