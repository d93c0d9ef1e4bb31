// Errors of OpenAI's dialects, both ways. Envelope and codes from its reference, the statuses from what its client
// library raises for them; other servers' bodies (FastAPI, vLLM, OpenRouter, Google) from their answers.
import {
  type ErrorCode,
  type ErrorDetail,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../core/index.ts';
import type { ErrorReply } from './dialect.ts';
import { readRetryAfter, tidyMessage } from './upstream-words.ts';

/** OpenAI's error envelope. */
export interface OpenAiErrorBody extends JsonObject {
  readonly error: { message: string; type: string; param: string | null; code: string | null };
}

interface ErrorRow {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', code: null },
  unauthenticated: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  'permission-denied': { status: 403, type: 'invalid_request_error', code: 'permission_denied' },
  'not-found': { status: 404, type: 'invalid_request_error', code: 'not_found' },
  conflict: { status: 409, type: 'invalid_request_error', code: 'conflict' },
  'too-large': { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  'rate-limited': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  'context-overflow': { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  'content-filtered': { status: 400, type: 'invalid_request_error', code: 'content_filter' },
  'upstream-rejected': { status: 502, type: 'upstream_error', code: 'upstream_rejected' },
  'upstream-unavailable': { status: 503, type: 'upstream_error', code: 'upstream_unavailable' },
  'upstream-malformed': { status: 502, type: 'upstream_error', code: 'upstream_malformed' },
  'deadline-exceeded': { status: 504, type: 'timeout_error', code: 'deadline_exceeded' },
  cancelled: { status: 499, type: 'cancelled_error', code: 'cancelled' },
  unimplemented: { status: 501, type: 'unimplemented_error', code: 'unimplemented' },
  internal: { status: 500, type: 'server_error', code: 'internal_error' },
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
  // OpenAI's client libraries retry these statuses by themselves unless told otherwise.
  const wouldBeRetried = status === 408 || status === 409 || status === 429 || status >= 500;
  if (wouldBeRetried && !error.retryable) headers['x-should-retry'] = 'false';
  return { status, headers, body: encodeErrorBody(error) };
}

/** The envelope, as a reply's body or as a frame in mid-stream. */
export function encodeErrorBody(error: GatewayError): OpenAiErrorBody {
  const { type, code } = rowOf(error);
  const { param = null, reason } = error.detail ?? {};
  return { error: { message: error.message, type, param, code: reason ?? code } };
}

function rowOf(error: GatewayError): ErrorRow {
  const row = ERROR_TABLE[error.code];
  const upstreamStatus = error.detail?.upstreamStatus;
  if (error.code !== 'upstream-rejected' || upstreamStatus === undefined) return row;
  if (!CLIENT_FAULTS.has(upstreamStatus)) return row;
  return { ...row, status: upstreamStatus, type: 'invalid_request_error' };
}

/** A non-2xx answer of an upstream. */
export function decodeErrorResponse(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bodyText: string,
  nowMs = Date.now(),
): GatewayError {
  const fields = readErrorBody(bodyText);
  return classify({ ...fields, status, retryAfterMs: readRetryAfter(headers, nowMs) });
}

/** The `error` of a frame in mid-stream, or of a body that came with status 200. */
export function decodeErrorObject(value: JsonValue): GatewayError {
  const fields = readErrorFields(value);
  // OpenRouter puts the HTTP status into `code`.
  const status = Number(fields.code);
  return classify({
    ...fields,
    status: Number.isInteger(status) && status >= 400 ? status : statusOf(fields),
    retryAfterMs: readWaitWords(fields.message),
  });
}

/** Inside a stream there is no header; OpenAI says in words how long to wait. */
function readWaitWords(message = ''): number | undefined {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(message) ?? [];
  return amount === undefined ? undefined : Math.ceil(Number(amount) * (unit === 'ms' ? 1 : 1000));
}

interface ErrorFields {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

interface ErrorFacts extends ErrorFields {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

const OVERFLOW_WORDS =
  /context[ _](?:length|window|size)|maximum context|too many tokens|prompt is too long|input is too long|exceeds? the (?:model'?s? )?(?:maximum|available) (?:context|input|number of tokens)|reduce the length of/i;

function classify(facts: ErrorFacts): GatewayError {
  const { status, code, type, message, retryAfterMs } = facts;
  const upstreamSays = message ?? `HTTP ${status}`;
  const detail: ErrorDetail = omitUndefined({
    param: facts.param,
    reason: nameOf(code),
    upstreamStatus: status,
  });
  const make = (errorCode: ErrorCode, text: string) =>
    new GatewayError(errorCode, text, { detail, retryAfterMs });
  if (status === 401 || status === 403) {
    // Not the client's fault and not its business: the message could quote the key.
    const text = `The upstream refused the gateway's credentials (HTTP ${status}). Check the apiKey of this upstream.`;
    return new GatewayError('upstream-rejected', text, { detail: { upstreamStatus: status } });
  }
  if (code === 'insufficient_quota' || type === 'insufficient_quota' || status === 402) {
    return make('quota-exceeded', `The upstream's quota is used up: ${upstreamSays}`);
  }
  if (status === 429) return make('rate-limited', `The upstream limits the rate: ${upstreamSays}`);
  const isRefusal = status === 400 || status === 413 || status === 422;
  if (isRefusal && (code === 'context_length_exceeded' || OVERFLOW_WORDS.test(message ?? ''))) {
    return make('context-overflow', upstreamSays);
  }
  if (isRefusal && (code === 'content_filter' || code === 'content_policy_violation')) {
    return make('content-filtered', upstreamSays);
  }
  if (status === 408) return make('deadline-exceeded', `The upstream gave up waiting: ${upstreamSays}`);
  if (status >= 400 && status < 500)
    return make('upstream-rejected', `The upstream refused the request: ${upstreamSays}`);
  return make('upstream-unavailable', `The upstream failed: ${upstreamSays}`);
}

/** A status for an error that came without one, by the words OpenAI and its imitators use. */
function statusOf(fields: ErrorFields): number {
  const words = `${fields.code ?? ''} ${fields.type ?? ''}`;
  if (/rate_limit|too_many_requests|insufficient_quota/.test(words)) return 429;
  if (/authentication|invalid_api_key/.test(words)) return 401;
  if (/permission/.test(words)) return 403;
  if (/not_found/.test(words)) return 404;
  if (/context_length|content_filter|_policy|invalid_|unsupported|image_|BadRequest/.test(words)) return 400;
  return OVERFLOW_WORDS.test(fields.message ?? '') ? 400 : 500;
}

function readErrorBody(bodyText: string): ErrorFields {
  const text = bodyText.trim();
  try {
    const body = JSON.parse(text) as JsonValue;
    const first = Array.isArray(body) ? body[0] : body; // Google wraps its errors in an array
    if (isJsonObject(first)) return readErrorFields(first.error ?? first);
  } catch {
    // Not JSON: a proxy's page or a plain sentence.
  }
  return text === '' || text.startsWith('<') ? {} : { message: tidyMessage(text, 200) };
}

function readErrorFields(value: JsonValue): ErrorFields {
  if (typeof value === 'string') return { message: tidyMessage(value) };
  if (!isJsonObject(value)) return {};
  return omitUndefined({
    message: readMessage(value),
    type: typeof value.type === 'string' ? value.type : undefined,
    code: typeof value.code === 'string' || typeof value.code === 'number' ? String(value.code) : undefined,
    param: typeof value.param === 'string' ? value.param : undefined,
  });
}

function readMessage(value: JsonObject): string | undefined {
  const { message, detail } = value;
  if (typeof message === 'string' && message !== '') return tidyMessage(message);
  if (typeof detail === 'string' && detail !== '') return tidyMessage(detail);
  // FastAPI's validation errors.
  const first = Array.isArray(detail) ? detail[0] : undefined;
  if (isJsonObject(first) && typeof first.msg === 'string') {
    return tidyMessage(Array.isArray(first.loc) ? `${first.loc.join('.')}: ${first.msg}` : first.msg);
  }
  return undefined;
}

/** A code that is a number only repeats the status. */
function nameOf(code: string | undefined): string | undefined {
  return code === undefined || code === '' || /^\d+$/.test(code) ? undefined : code;
}
