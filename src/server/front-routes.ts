import type { GatewayError } from '../core/index.ts';
import type { Front } from '../dialects/dialect.ts';
import type { Exchange } from './exchange.ts';
import { type SendError, sendPlainError } from './http-error.ts';
import type { Route } from './router.ts';
import { createTurnHandler, sendError, type TurnHandlerOptions } from './turn-handler.ts';

/** The routes of every front: a turn for each of its paths. */
export function createFrontRoutes(
  fronts: readonly Front[],
  options: Omit<TurnHandlerOptions, 'front'>,
): Route[] {
  return fronts.flatMap((front) => {
    const handle = createTurnHandler({ ...options, front });
    return front.turnPaths.map((path): Route => ({ method: 'POST', path, handle }));
  });
}

/** Errors outside of a turn: in the dialect whose path it is, else in the gateway's own form. */
export function createDialectErrors(fronts: readonly Front[], fallback: Front): SendError {
  return (exchange: Exchange, error: GatewayError, overrides) => {
    const owner = fronts.find(({ turnPaths }) => turnPaths.includes(exchange.path));
    const speaker = owner ?? (exchange.path.startsWith('/v1/') ? fallback : undefined);
    if (speaker) sendError(speaker, exchange, undefined, error, overrides);
    else sendPlainError(exchange, error, overrides);
  };
}
