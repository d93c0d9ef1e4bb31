// Errors of the Responses dialect, both ways: the HTTP envelope, and the shorter form inside a stream. Envelope and
// codes from OpenAI's reference, the statuses from what its client library raises for them.
// Codex reads context_length_exceeded, insufficient_quota and rate_limit_exceeded out of `response.failed`.
import {
  type ErrorCode,
  type ErrorDetail,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';
import type { ErrorReply } from '../dialect.ts';
import type { ResponsesErrorBody } from './schema.ts';

interface ErrorRow {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  /** The code inside `response.failed`, whose list is closed; most failures are a `server_error` there. */
  readonly streamCode?: string;
}

const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', code: null, streamCode: 'invalid_prompt' },
  unauthenticated: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  'permission-denied': { status: 403, type: 'invalid_request_error', code: 'permission_denied' },
  'not-found': { status: 404, type: 'invalid_request_error', code: 'not_found' },
  conflict: { status: 409, type: 'invalid_request_error', code: 'conflict' },
  'too-large': { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  'rate-limited': {
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    streamCode: 'rate_limit_exceeded',
  },
  'quota-exceeded': {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    streamCode: 'insufficient_quota',
  },
  'context-overflow': {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    streamCode: 'context_length_exceeded',
  },
  'content-filtered': {
    status: 400,
    type: 'invalid_request_error',
    code: 'content_filter',
    streamCode: 'invalid_prompt',
  },
  'upstream-rejected': { status: 502, type: 'upstream_error', code: 'upstream_rejected' },
  'upstream-unavailable': { status: 503, type: 'upstream_error', code: 'upstream_unavailable' },
  'upstream-malformed': { status: 502, type: 'upstream_error', code: 'upstream_malformed' },
  'deadline-exceeded': { status: 504, type: 'timeout_error', code: 'deadline_exceeded' },
  cancelled: { status: 499, type: 'cancelled_error', code: 'cancelled' },
  unimplemented: { status: 501, type: 'unimplemented_error', code: 'unimplemented' },
  internal: { status: 500, type: 'server_error', code: 'internal_error' },
};

/** Refusals of an upstream that speak about the client's own request keep their status. */
const CLIENT_FAULTS: readonly unknown[] = [400, 404, 422];

export function encodeError(error: GatewayError): ErrorReply {
  const { status, type, code } = rowOf(error);
  const { param = null, reason } = error.detail ?? {};
  const headers: Record<string, string> = {};
  if (error.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000));
    headers['retry-after-ms'] = String(Math.ceil(error.retryAfterMs));
  }
  // OpenAI's client libraries retry these statuses by themselves unless told otherwise.
  const wouldBeRetried = status === 409 || status === 429 || status >= 500;
  if (wouldBeRetried && !error.retryable) headers['x-should-retry'] = 'false';
  const body: ResponsesErrorBody = {
    error: { message: error.message, type, param, code: reason ?? code },
  };
  return { status, headers, body };
}

/** The `error` of a failed response object. */
export function encodeStreamError(error: GatewayError): { code: string; message: string } {
  return { code: ERROR_TABLE[error.code].streamCode ?? 'server_error', message: error.message };
}

function rowOf(error: GatewayError): ErrorRow {
  const row = ERROR_TABLE[error.code];
  const upstreamStatus = error.detail?.upstreamStatus;
  if (error.code !== 'upstream-rejected' || !CLIENT_FAULTS.includes(upstreamStatus)) return row;
  return { ...row, status: upstreamStatus ?? row.status, type: 'invalid_request_error' };
}

/** A non-2xx answer of an upstream. */
export function decodeErrorResponse(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bodyText: string,
  nowMs = Date.now(),
): GatewayError {
  return classify({
    ...readErrorBody(bodyText),
    status,
    retryAfterMs: readRetryAfter(headers, nowMs),
  });
}

/** The error inside a stream: of `response.failed`, of an `error` event, or a bare envelope. */
export function decodeStreamError(value: JsonValue | undefined): GatewayError {
  const fields = readErrorFields(value ?? null);
  return classify({ ...fields, status: statusOf(fields), retryAfterMs: readWaitWords(fields.message) });
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
  /context[ _](?:length|window|size)|maximum context|too many tokens|(?:prompt|input) is too long|reduce the length/i;

function classify(facts: ErrorFacts): GatewayError {
  const { status, code, type, message, retryAfterMs } = facts;
  const upstreamSays = message ?? `HTTP ${status}`;
  const detail: ErrorDetail = omitUndefined({
    param: facts.param,
    reason: code,
    upstreamStatus: status,
  });
  const make = (errorCode: ErrorCode, text: string) =>
    new GatewayError(errorCode, text, { detail, retryAfterMs });
  if (status === 401 || status === 403) {
    // Not the client's fault and not its business: the upstream's message could quote the key.
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
  if (status < 500) return make('upstream-rejected', `The upstream refused the request: ${upstreamSays}`);
  return make('upstream-unavailable', `The upstream failed: ${upstreamSays}`);
}

/** A status for an error that came without one. Codes from OpenAI's list of response errors. */
function statusOf({ code, type, message }: ErrorFields): number {
  const words = `${code ?? ''} ${type ?? ''}`;
  if (/rate_limit|too_many_requests|insufficient_quota/.test(words)) return 429;
  if (/authentication|invalid_api_key/.test(words)) return 401;
  if (/not_found/.test(words)) return 404;
  if (/context_length|content_filter|content_policy|invalid_|_policy|unsupported|image_/.test(words))
    return 400;
  return OVERFLOW_WORDS.test(message ?? '') ? 400 : 500;
}

function readErrorBody(bodyText: string): ErrorFields {
  const text = bodyText.trim();
  try {
    const body = JSON.parse(text) as JsonValue;
    if (isJsonObject(body)) return readErrorFields(body.error ?? body);
  } catch {
    // Not JSON: a proxy's page or a plain sentence.
  }
  return text === '' || text.startsWith('<') ? {} : { message: tidy(text, 200) };
}

function readErrorFields(value: JsonValue): ErrorFields {
  if (typeof value === 'string') return { message: tidy(value) };
  if (!isJsonObject(value)) return {};
  const { type, code, param } = value;
  return omitUndefined({
    message: readMessage(value),
    type: typeof type === 'string' ? type : undefined,
    // A code that is a number only repeats the status.
    code: typeof code === 'string' && !/^\d*$/.test(code) ? code : undefined,
    param: typeof param === 'string' ? param : undefined,
  });
}

function readMessage({ message, detail }: JsonObject): string | undefined {
  const text = typeof message === 'string' && message !== '' ? message : detail;
  return typeof text === 'string' && text !== '' ? tidy(text) : undefined;
}

const SECRETS = /\b(?:sk|pk|rk|key)-[\w*-]{6,}|\bBearer\s+\S+/gi;

function tidy(message: string, limit = 2000): string {
  const clean = message.replace(SECRETS, '[redacted]').trim();
  return clean.length > limit ? `${clean.slice(0, limit)}…` : clean;
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` as seconds or as a date. */
function readRetryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const inMs = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
