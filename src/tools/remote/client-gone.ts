import type { ErrorCode, GatewayError } from '../../core/index.ts';

/** Codes of a port whose client is no longer there; any other is the client's own answer: it threw. */
const GONE: ReadonlySet<ErrorCode> = new Set(['cancelled', 'upstream-unavailable']);

export function isClientGone(error: GatewayError): boolean {
  return GONE.has(error.code);
}
