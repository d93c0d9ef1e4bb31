// Errors of the Messages dialect, both ways. Types and statuses from Anthropic's reference; the wordings that tell an
// overflow, an empty account or a filter apart from other 400s are observed. 409, 499, 501 and 502 have no type there.
import {
  type ErrorCode,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';
import type { ErrorReply } from '../dialect.ts';
import { readRetryAfter, tidyMessage } from '../upstream-words.ts';
import type { ErrorBody } from './schema.ts';

interface ErrorRow {
  readonly status: number;
  readonly type: string;
}

const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  'permission-denied': { status: 403, type: 'permission_error' },
  'not-found': { status: 404, type: 'not_found_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  'too-large': { status: 413, type: 'request_too_large' },
  'rate-limited': { status: 429, type: 'rate_limit_error' },
  'quota-exceeded': { status: 402, type: 'billing_error' },
  'context-overflow': { status: 400, type: 'invalid_request_error' },
  'content-filtered': { status: 400, type: 'invalid_request_error' },
  'upstream-rejected': { status: 502, type: 'api_error' },
  // Their word for "try again later"; Claude Code waits and then offers another model.
  'upstream-unavailable': { status: 529, type: 'overloaded_error' },
  'upstream-malformed': { status: 502, type: 'api_error' },
  'deadline-exceeded': { status: 504, type: 'timeout_error' },
  cancelled: { status: 499, type: 'api_error' },
  unimplemented: { status: 501, type: 'api_error' },
  internal: { status: 500, type: 'api_error' },
};

/** Refusals of an upstream that speak about the client's own request keep their status. */
const CLIENT_FAULTS: ReadonlySet<number> = new Set([400, 404, 422]);

export function encodeError(error: GatewayError): ErrorReply {
  const { status } = rowOf(error);
  const headers: Record<string, string> = {};
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000));
    headers['retry-after-ms'] = String(Math.ceil(error.retryAfterMs));
  }
  // Anthropic's client libraries retry these statuses by themselves unless told otherwise.
  const wouldBeRetried = status === 408 || status === 409 || status === 429 || status >= 500;
  if (wouldBeRetried && !error.retryable) headers['x-should-retry'] = 'false';
  return { status, headers, body: { ...encodeErrorEvent(error), request_id: null } satisfies ErrorBody };
}

/** The body of a reply, and (without the request id) the data of an `error` event. */
export function encodeErrorEvent(error: GatewayError): Pick<ErrorBody, 'type' | 'error'> {
  const { param, reason } = error.detail ?? {};
  const details: JsonObject | undefined =
    reason === 'thread_unsupported_request' && param !== undefined
      ? { error_code: reason, unsupported: [param] }
      : undefined;
  const { type } = rowOf(error);
  return { type: 'error', error: omitUndefined({ type, message: messageOf(error), details }) };
}

const OVERFLOW_PHRASE = 'prompt is too long';

/** Claude Code compacts its history when it reads this phrase, and only then. */
function messageOf(error: GatewayError): string {
  if (error.code !== 'context-overflow' || error.message.includes(OVERFLOW_PHRASE)) return error.message;
  return `${OVERFLOW_PHRASE}: ${error.message}`;
}

function rowOf(error: GatewayError): ErrorRow {
  const row = ERROR_TABLE[error.code];
  const upstreamStatus = error.detail?.upstreamStatus;
  if (error.code !== 'upstream-rejected' || upstreamStatus === undefined) return row;
  if (!CLIENT_FAULTS.has(upstreamStatus)) return row;
  return {
    status: upstreamStatus,
    type: upstreamStatus === 404 ? 'not_found_error' : 'invalid_request_error',
  };
}

/** A non-2xx answer of an upstream. */
export function decodeErrorResponse(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bodyText: string,
  nowMs = Date.now(),
): GatewayError {
  let body: JsonValue = bodyText;
  try {
    body = JSON.parse(bodyText) as JsonValue;
  } catch {
    // A proxy's page; its text is all there is.
  }
  return classify({ ...readFields(body), status, retryAfterMs: readRetryAfter(headers, nowMs) });
}

/** An `error` event in mid-stream, or an error body that came with status 200. */
export function decodeErrorEvent(event: JsonObject): GatewayError {
  const fields = readFields(event);
  return classify({ ...fields, status: statusOf(fields.type) });
}

interface ErrorFacts {
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  readonly retryAfterMs?: number | undefined;
}

const OVERFLOW_WORDS =
  /prompt is too long|exceeds? (?:the )?context|context (?:limit|window|length)|maximum context|too many (?:input )?tokens/i;
const BILLING_WORDS = /credit balance is too low/i;
const FILTER_WORDS = /content filtering policy|usage polic(?:y|ies)/i;

function classify(facts: ErrorFacts): GatewayError {
  const { status, type, retryAfterMs } = facts;
  const says = facts.message ?? `HTTP ${status}`;
  if (status === 401 || status === 403) {
    // Not the client's fault and not its business: the message could quote the key.
    const text = `The upstream refused the gateway's credentials (HTTP ${status}). Check the apiKey of this upstream.`;
    return new GatewayError('upstream-rejected', text, { detail: { upstreamStatus: status } });
  }
  const detail = omitUndefined({ reason: type, upstreamStatus: status });
  const make = (code: ErrorCode, text: string) => new GatewayError(code, text, { detail, retryAfterMs });
  if (status === 402 || (status === 400 && BILLING_WORDS.test(says))) {
    return make('quota-exceeded', `The upstream's account is used up: ${says}`);
  }
  if (status === 429) return make('rate-limited', `The upstream limits the rate: ${says}`);
  const isRefusal = status === 400 || status === 413 || status === 422;
  if (isRefusal && OVERFLOW_WORDS.test(says)) return make('context-overflow', says);
  if (isRefusal && FILTER_WORDS.test(says)) return make('content-filtered', says);
  if (status === 413) return make('too-large', `The upstream finds the request too large: ${says}`);
  if (status === 408 || status === 504)
    return make('deadline-exceeded', `The upstream gave up waiting: ${says}`);
  if (status >= 400 && status < 500)
    return make('upstream-rejected', `The upstream refused the request: ${says}`);
  return make('upstream-unavailable', `The upstream failed: ${says}`);
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

function statusOf(type: string | undefined): number {
  return (type === undefined ? undefined : STATUS_OF_TYPE[type]) ?? 500;
}

/** `{type, error: {type, message}}`; servers in between also send `{error: "text"}`, `{message}` and `{detail}`. */
function readFields(body: JsonValue): { type?: string; message?: string } {
  if (typeof body === 'string') return body.trim() === '' ? {} : { message: tidyMessage(body, 200) };
  if (!isJsonObject(body)) return {};
  const inner = body.error ?? body;
  if (typeof inner === 'string') return { message: tidyMessage(inner) };
  if (!isJsonObject(inner)) return {};
  const message = inner.message ?? inner.detail;
  return omitUndefined({
    type: typeof inner.type === 'string' ? inner.type : undefined,
    message: typeof message === 'string' && message !== '' ? tidyMessage(message) : undefined,
  });
}
