import { omitUndefined } from './omit-undefined.ts';

/** The closed list of ways a turn can go wrong. Each dialect maps every code to its own status and body. */
export const ERROR_CODES = [
  'invalid-request',
  'unauthenticated',
  'permission-denied',
  'not-found',
  'conflict',
  'too-large',
  'rate-limited',
  'quota-exceeded',
  'context-overflow',
  'content-filtered',
  'upstream-rejected',
  'upstream-unavailable',
  'upstream-malformed',
  'deadline-exceeded',
  'cancelled',
  'unimplemented',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'rate-limited',
  'upstream-unavailable',
  'upstream-malformed',
  'deadline-exceeded',
]);

export interface ErrorDetail {
  /** The request field at fault, in the client's own spelling, e.g. `messages[2].content`. */
  readonly param?: string;
  /** A finer code for programs, e.g. `model_not_found`. */
  readonly reason?: string;
  /** The HTTP status an upstream answered with. */
  readonly upstreamStatus?: number;
  /** The upstream's own error body, already free of secrets. */
  readonly upstreamBody?: unknown;
}

export interface GatewayErrorOptions {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly detail?: ErrorDetail;
  readonly cause?: unknown;
}

/** The one error class. The message says what happened, with which value, and what to do. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.retryAfterMs = options.retryAfterMs;
    this.detail = options.detail;
  }

  /** Turns anything thrown into a GatewayError; used at each border. */
  static from(thrown: unknown, fallback: ErrorCode = 'internal'): GatewayError {
    if (thrown instanceof GatewayError) return thrown;
    if (thrown instanceof Error) {
      if (thrown.name === 'AbortError') {
        return new GatewayError('cancelled', 'The turn was cancelled.', { cause: thrown });
      }
      return new GatewayError(fallback, thrown.message || thrown.name, { cause: thrown });
    }
    return new GatewayError(fallback, String(thrown));
  }
}

/** Shorthand for the commonest refusal: a request that cannot be understood. */
export function invalidRequest(message: string, param?: string, reason?: string): GatewayError {
  return new GatewayError('invalid-request', message, { detail: omitUndefined({ param, reason }) });
}
