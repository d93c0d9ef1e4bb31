import { type ErrorCode, GatewayError, type JsonValue, omitUndefined } from '../core/index.ts';
import type { Exchange, ResponseHeaders } from './exchange.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  'invalid-request': 400,
  unauthenticated: 401,
  'permission-denied': 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'rate-limited': 429,
  'quota-exceeded': 429,
  'context-overflow': 400,
  'content-filtered': 400,
  'upstream-rejected': 502,
  'upstream-unavailable': 502,
  'upstream-malformed': 502,
  'deadline-exceeded': 504,
  cancelled: 499, // nginx's number for a client that went away; nobody reads it
  unimplemented: 501,
  internal: 500,
};

export function httpStatusOf(code: ErrorCode): number {
  return STATUS[code];
}

/** How an error is written to the client; each dialect has its own, this is the gateway's. */
export type SendError = (
  exchange: Exchange,
  error: GatewayError,
  overrides?: { readonly status?: number; readonly headers?: ResponseHeaders },
) => void;

/** `{ error: { code, message, param? } }`, for routes that belong to no dialect. */
export const sendPlainError: SendError = (exchange, error, overrides = {}) => {
  const { status = httpStatusOf(error.code), headers = {} } = overrides;
  exchange.sendJson(status, errorBody(error), { ...retryHeader(error), ...headers });
};

export function errorBody(error: GatewayError): JsonValue {
  return { error: omitUndefined({ code: error.code, message: error.message, param: error.detail?.param }) };
}

function retryHeader(error: GatewayError): ResponseHeaders {
  if (error.retryAfterMs === undefined) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))) };
}

/** What a stranger may see of a failure nobody foresaw: that it happened, not what was inside. */
export function toPublicError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError('internal', 'The gateway met an unexpected error; its log has the details.', {
    cause: thrown,
  });
}
