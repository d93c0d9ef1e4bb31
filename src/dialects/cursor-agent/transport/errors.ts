// Errors of the agent backend as GatewayErrors: Connect codes (connectrpc.com/docs/protocol) and aiserver.v1.ErrorDetails.
// Code numbers and the split into login, rate and configuration errors are known from public clients; which of them
// mean "the plan is used up" is read from their names.
import { fromBinary } from '@bufbuild/protobuf';
import {
  type ErrorCode,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../../core/index.ts';
import { ErrorDetails_ErrorSchema, ErrorDetailsSchema } from '../../../gen/aiserver/v1/error_details_pb.ts';
import {
  type ConnectCode,
  type ConnectError,
  type ConnectErrorDetail,
  decodeError,
} from '../../../wire/connect-end-stream.ts';
import { readRetryAfter, tidyMessage } from '../../upstream-words.ts';

export const CONNECT_ERRORS: Readonly<Record<ConnectCode, ErrorCode>> = {
  canceled: 'cancelled',
  unknown: 'upstream-unavailable',
  invalid_argument: 'upstream-rejected',
  deadline_exceeded: 'deadline-exceeded',
  not_found: 'not-found',
  already_exists: 'conflict',
  permission_denied: 'permission-denied',
  resource_exhausted: 'rate-limited',
  failed_precondition: 'upstream-rejected',
  aborted: 'upstream-unavailable',
  out_of_range: 'upstream-rejected',
  unimplemented: 'unimplemented',
  internal: 'upstream-unavailable',
  unavailable: 'upstream-unavailable',
  data_loss: 'upstream-malformed',
  unauthenticated: 'unauthenticated',
};

/** ErrorDetails.Error by name, without its prefix. A name that is not here leaves the judgement to the Connect code. */
export const BACKEND_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ...rows(
    'unauthenticated',
    'BAD_API_KEY NOT_LOGGED_IN INVALID_AUTH_ID AUTH_TOKEN_NOT_FOUND AUTH_TOKEN_EXPIRED',
  ),
  ...rows('unauthenticated', 'AGENT_REQUIRES_LOGIN UNAUTHORIZED BAD_USER_API_KEY USER_NOT_FOUND'),
  ...rows(
    'permission-denied',
    'NOT_HIGH_ENOUGH_PERMISSIONS TASK_NO_PERMISSIONS API_KEY_NOT_SUPPORTED HOOKS_BLOCKED',
  ),
  ...rows('permission-denied', 'SUSPICIOUS_USAGE_BLOCKED MODEL_BLOCKED UNSUPPORTED_REGION ACCOUNT_CLOSED'),
  ...rows('permission-denied', 'GITHUB_NO_USER_CREDENTIALS GITHUB_USER_NO_ACCESS GITHUB_APP_NO_ACCESS'),
  ...rows(
    'not-found',
    'BAD_MODEL_NAME MODEL_NO_LONGER_SUPPORTED NOT_FOUND FILE_NOT_FOUND GITGRAPH_NOT_FOUND',
  ),
  ...rows('not-found', 'TASK_UUID_NOT_FOUND AGENT_ENGINE_NOT_FOUND'),
  ...rows(
    'rate-limited',
    'FREE_USER_RATE_LIMIT_EXCEEDED PRO_USER_RATE_LIMIT_EXCEEDED GENERIC_RATE_LIMIT_EXCEEDED',
  ),
  ...rows(
    'rate-limited',
    'OPENAI_RATE_LIMIT_EXCEEDED GPT_4_VISION_PREVIEW_RATE_LIMIT API_KEY_RATE_LIMIT DEBOUNCED',
  ),
  ...rows('rate-limited', 'RESOURCE_EXHAUSTED RATE_LIMITED RATE_LIMITED_CHANGEABLE SLOW_POOL'),
  ...rows(
    'quota-exceeded',
    'FREE_USER_USAGE_LIMIT PRO_USER_USAGE_LIMIT OPENAI_ACCOUNT_LIMIT_EXCEEDED PRO_USER_ONLY',
  ),
  ...rows('quota-exceeded', 'USAGE_PRICING_REQUIRED USAGE_PRICING_REQUIRED_CHANGEABLE PRICING_WARNING'),
  ...rows('context-overflow', 'MAX_TOKENS CONVERSATION_TOO_LONG'),
  ...rows('too-large', 'CLAUDE_IMAGE_TOO_LARGE SLASH_EDIT_FILE_TOO_LONG'),
  ...rows('upstream-rejected', 'OUTDATED_CLIENT DEPRECATED BAD_REQUEST FILE_UNSUPPORTED MAX_MODE_REQUIRED'),
  ...rows('upstream-rejected', 'REPOSITORY_SERVICE_REPOSITORY_IS_NOT_INITIALIZED GITHUB_MULTIPLE_OWNERS'),
  ...rows('upstream-unavailable', 'OPENAI NETWORK_ERROR PROVIDER_ERROR INTERNAL'),
  ...rows('deadline-exceeded', 'TIMEOUT EXTENSION_HOST_TIMEOUT'),
  ...rows('cancelled', 'USER_ABORTED_REQUEST'),
};

/** Those that speak of nothing in particular. */
export const UNTOLD_ERRORS: ReadonlySet<string> = new Set(['UNSPECIFIED', 'CUSTOM', 'CUSTOM_MESSAGE']);

function rows(code: ErrorCode, names: string): Record<string, ErrorCode> {
  return Object.fromEntries(names.split(' ').map((name) => [name, code]));
}

/** What to do, by the name of the backend's error or by our code. */
const REMEDIES: Readonly<Record<string, string>> = {
  OUTDATED_CLIENT: 'The backend takes the client version for too old: set a newer one for this upstream.',
  MAX_MODE_REQUIRED: 'Choose the max variant of this model.',
  unauthenticated: 'Run "crosspoint login", or check the API key of this upstream.',
};

const QUOTA_WORDS =
  /usage limit|spend(?:ing)? limit|hard limit|quota|out of (?:credits|requests)|upgrade (?:to|your)/i;
/** The backend lost what the checkpoint points to: a fresh conversation and a rebuilt history cure it. */
const LOST_WORDS = /blob not found|image not found|conversation data missing/i;
/** The `detail.reason` of such an error. */
export const CONVERSATION_LOST = 'conversation_lost';

const CONNECT_CODE_BY_STATUS: Readonly<Record<number, ConnectCode>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  408: 'deadline_exceeded',
  409: 'aborted',
  // A load balancer on the way does not carry streams in both directions; another transport may pass.
  421: 'unavailable',
  426: 'unavailable',
  464: 'unavailable',
  429: 'resource_exhausted',
  499: 'canceled',
  501: 'unimplemented',
  504: 'deadline_exceeded',
};

export interface ErrorContext {
  /** How the message names the backend. */
  readonly upstream: string;
  readonly upstreamStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

export function decodeConnectError(error: ConnectError, context: ErrorContext): GatewayError {
  const facts = readDetails(error.details);
  const words = tidy([facts.title, facts.text].filter(Boolean).join(' ') || error.message);
  const code = chooseCode(error.code, facts.name, words);
  const remedy = REMEDIES[facts.name ?? ''] ?? REMEDIES[code];
  const isLost = error.code === 'internal' && LOST_WORDS.test(words);
  const options = omitUndefined({
    retryable: facts.isRetryable,
    retryAfterMs: context.retryAfterMs,
    detail: omitUndefined({
      reason: isLost ? CONVERSATION_LOST : (facts.name?.toLowerCase() ?? error.code),
      upstreamStatus: context.upstreamStatus ?? (code === 'upstream-rejected' ? 400 : undefined),
    }),
  });
  const said = words === '' ? `ended the call with "${error.code}".` : `says: ${sentence(words)}`;
  return new GatewayError(code, [`${context.upstream} ${said}`, remedy].filter(Boolean).join(' '), options);
}

/** An answer with a status other than 200: Connect's JSON, or whatever stood in the way. */
export function decodeHttpError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  upstream: string,
): GatewayError {
  const retryAfterMs = readRetryAfter(headers, Date.now());
  const context: ErrorContext = { upstream, upstreamStatus: status, retryAfterMs };
  const json = parseObject(body);
  const inner = isJsonObject(json?.error) ? json.error : json;
  const byStatus = CONNECT_CODE_BY_STATUS[status] ?? (status < 500 ? 'failed_precondition' : 'unavailable');
  const error = decodeError({ code: byStatus, ...inner });
  const message = error.message || `HTTP ${status}`;
  // A code that is none of Connect's tells less than the status does.
  const code = error.code === 'unknown' ? byStatus : error.code;
  return decodeConnectError({ ...error, code, message }, context);
}

function chooseCode(connectCode: ConnectCode, name: string | undefined, words: string): ErrorCode {
  const named = name === undefined ? undefined : BACKEND_ERRORS[name];
  if (named !== undefined && named !== 'rate-limited') return named;
  const code = named ?? CONNECT_ERRORS[connectCode];
  // Rate and plan share one code; only the words tell them apart.
  return code === 'rate-limited' && QUOTA_WORDS.test(words) ? 'quota-exceeded' : code;
}

interface DetailFacts {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  readonly isRetryable?: boolean | undefined;
}

function readDetails(details: readonly ConnectErrorDetail[]): DetailFacts {
  const detail = details.find(({ type }) => type.endsWith('aiserver.v1.ErrorDetails'));
  if (detail === undefined) return {};
  try {
    if (detail.value.length === 0) return readDebug(detail.debug);
    const { error, details: custom } = fromBinary(ErrorDetailsSchema, detail.value);
    const name = ErrorDetails_ErrorSchema.values.find(({ number }) => number === error)?.name;
    return {
      name: told(name),
      title: custom?.title,
      text: custom?.detail,
      isRetryable: custom?.isRetryable,
    };
  } catch {
    return readDebug(detail.debug); // the readable form beside it may still be whole
  }
}

function readDebug(debug: JsonValue | undefined): DetailFacts {
  if (!isJsonObject(debug)) return {};
  const custom: JsonObject = isJsonObject(debug.details) ? debug.details : {};
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined);
  return {
    name: told(text(debug.error)),
    title: text(custom.title),
    text: text(custom.detail),
    isRetryable: typeof custom.isRetryable === 'boolean' ? custom.isRetryable : undefined,
  };
}

function told(name: string | undefined): string | undefined {
  const short = name?.replace(/^ERROR_/, '');
  return short === undefined || UNTOLD_ERRORS.has(short) ? undefined : short;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined; // a proxy's page
  }
}

/** Tokens and keys of this backend, beside those that all upstreams use. */
const SECRETS = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:key|crsr)_\w{8,}/g;

function tidy(text: string): string {
  return tidyMessage(text.replace(SECRETS, '[redacted]'));
}

function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
