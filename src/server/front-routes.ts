import type { GatewayError } from '../core/index.ts';
import type { Front } from '../dialects/dialect.ts';
import type { Exchange } from './exchange.ts';
import { createFrontServices } from './front-services.ts';
import { type SendError, sendPlainError } from './http-error.ts';
import type { Route } from './router.ts';
import { createTurnHandler, publicError, sendError, type TurnHandlerOptions } from './turn-handler.ts';

export type FrontRoutesOptions = Omit<TurnHandlerOptions, 'front'>;

/** The routes of every front: a turn for each of its paths, and what the dialect has beside turns. */
export function createFrontRoutes(fronts: readonly Front[], options: FrontRoutesOptions): Route[] {
  return fronts.flatMap((front) => {
    const handle = createTurnHandler({ ...options, front });
    const turns = front.turnPaths.map((path): Route => ({ method: 'POST', path, handle }));
    return [...turns, ...createSideRoutes(front, options)];
  });
}

function createSideRoutes(front: Front, options: FrontRoutesOptions): Route[] {
  return (front.routes ?? []).map((route) => ({
    method: route.method,
    path: route.path,
    doc: { summary: route.summary, tag: front.dialect, auth: 'key' },
    async handle(exchange, params) {
      let release = () => {};
      try {
        const admission = await options.admit(exchange);
        release = () => admission.release();
        const { identity } = admission;
        const body = await exchange.readBody(options.maxRequestBytes);
        const services = createFrontServices(options, {
          front: front.dialect,
          identity,
          signal: exchange.signal,
        });
        const { method, path, query, headers } = exchange;
        const reply = await route.handle({ method, path, query, headers, body }, params, services);
        exchange.sendJson(reply.status, reply.body, reply.headers);
      } catch (thrown) {
        sendError(front, exchange, undefined, publicError(thrown, options));
      } finally {
        release();
      }
    },
  }));
}

/** Errors outside of a turn: in the dialect whose path it is, else in the gateway's own form. */
export function createDialectErrors(fronts: readonly Front[], fallback: Front): SendError {
  return (exchange: Exchange, error: GatewayError, overrides) => {
    const owner = fronts.find(({ turnPaths, routes = [] }) =>
      [...turnPaths, ...routes.map(({ path }) => path)].some((path) => exchange.path.startsWith(path)),
    );
    const speaker = owner ?? (exchange.path.startsWith('/v1/') ? fallback : undefined);
    if (speaker) sendError(speaker, exchange, undefined, error, overrides);
    else sendPlainError(exchange, error, overrides);
  };
}
