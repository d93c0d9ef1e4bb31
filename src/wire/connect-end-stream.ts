// The last frame of a Connect stream: JSON that says how the stream ended.
// Known from the Connect protocol specification (connectrpc.com/docs/protocol), section on streaming responses.
import type { ErrorCode, JsonValue } from '../core/index.ts';
import { GatewayError, isJsonObject, omitUndefined } from '../core/index.ts';
import { END_STREAM, encodeEnvelope } from './connect-envelope.ts';

export const CONNECT_CODES = [
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;

export type ConnectCode = (typeof CONNECT_CODES)[number];

export interface ConnectErrorDetail {
  /** The full name of the message in `value`, such as `aiserver.v1.ErrorDetails`. */
  readonly type: string;
  readonly value: Uint8Array;
  /** The same in readable form, where the sender offers it. */
  readonly debug?: JsonValue;
}

export interface ConnectError {
  readonly code: ConnectCode;
  readonly message: string;
  readonly details: readonly ConnectErrorDetail[];
}

export interface EndStream {
  readonly error?: ConnectError;
  readonly metadata: Readonly<Record<string, readonly string[]>>;
}

/** The whole frame; without an error it says that all went well. */
export function encodeEndStream(
  error?: ConnectError,
  metadata?: Readonly<Record<string, readonly string[]>>,
): Uint8Array {
  const json = omitUndefined({ error: error && encodeError(error), metadata });
  return encodeEnvelope(new TextEncoder().encode(JSON.stringify(json)), END_STREAM);
}

/** The error as unary calls answer it too, with an HTTP status beside it. */
export function encodeError(error: ConnectError): {
  code: string;
  message?: string;
  details?: { type: string; value: string; debug?: JsonValue }[];
} {
  const details = error.details.map((detail) =>
    omitUndefined({ type: detail.type, value: unpaddedBase64(detail.value), debug: detail.debug }),
  );
  return omitUndefined({
    code: error.code,
    message: error.message === '' ? undefined : error.message,
    details: details.length === 0 ? undefined : details,
  });
}

/** `payload` is the inflated payload of the end frame. What cannot be read is an error, never a good ending. */
export function decodeEndStream(payload: Uint8Array, faultCode: ErrorCode = 'upstream-malformed'): EndStream {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch (cause) {
    throw endFault(faultCode, `its ${payload.length} bytes are not JSON`, cause);
  }
  if (!isJsonObject(json)) throw endFault(faultCode, 'it is not a JSON object');
  const { error, metadata } = json;
  if (error !== undefined && error !== null && !isJsonObject(error)) {
    throw endFault(faultCode, '`error` is not an object');
  }
  return omitUndefined({
    error: isJsonObject(error) ? decodeError(error) : undefined,
    metadata: isJsonObject(metadata) ? decodeMetadata(metadata) : {},
  });
}

/** Reads the error object of an end frame or of a failed unary call; an unknown code counts as `unknown`. */
export function decodeError(json: Readonly<Record<string, JsonValue>>): ConnectError {
  const details = Array.isArray(json.details) ? json.details : [];
  return {
    code: CONNECT_CODES.find((code) => code === json.code) ?? 'unknown',
    message: typeof json.message === 'string' ? json.message : '',
    details: details.flatMap(decodeDetail),
  };
}

function decodeDetail(json: JsonValue): ConnectErrorDetail[] {
  if (!isJsonObject(json) || typeof json.type !== 'string' || typeof json.value !== 'string') return [];
  // Base64 of any spelling: padded or not, standard or URL-safe.
  const value = new Uint8Array(Buffer.from(json.value, 'base64'));
  return [omitUndefined({ type: json.type, value, debug: json.debug })];
}

function decodeMetadata(json: Readonly<Record<string, JsonValue>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(json).map(([name, values]) => [
      name,
      (Array.isArray(values) ? values : [values]).filter((value) => typeof value === 'string'),
    ]),
  );
}

function unpaddedBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64').replace(/=+$/, '');
}

function endFault(code: ErrorCode, what: string, cause?: unknown): GatewayError {
  return new GatewayError(code, `The end-of-stream frame is malformed: ${what}.`, { cause });
}
