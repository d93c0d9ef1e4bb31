// Errors of the Responses dialect: OpenAI's envelope before a stream, and a shorter form inside one.
// Codex reads context_length_exceeded, insufficient_quota and rate_limit_exceeded out of `response.failed`.
import type { ErrorCode, GatewayError, JsonValue } from '../../core/index.ts';
import { decodeErrorObject } from '../openai-errors.ts';

export { decodeErrorResponse, encodeError } from '../openai-errors.ts';

/** The codes inside `response.failed` are a closed list; what is not here is a `server_error` there. */
const STREAM_CODES: Partial<Readonly<Record<ErrorCode, string>>> = {
  'invalid-request': 'invalid_prompt',
  'content-filtered': 'invalid_prompt',
  'rate-limited': 'rate_limit_exceeded',
  'quota-exceeded': 'insufficient_quota',
  'context-overflow': 'context_length_exceeded',
};

/** The `error` of a failed response object. */
export function encodeStreamError(error: GatewayError): { code: string; message: string } {
  return { code: STREAM_CODES[error.code] ?? 'server_error', message: error.message };
}

/** The error inside a stream: of `response.failed`, of an `error` event, or a bare envelope. */
export function decodeStreamError(value: JsonValue | undefined): GatewayError {
  return decodeErrorObject(value ?? null);
}
