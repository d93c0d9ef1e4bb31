// Failures as Cursor's clients read them: a Connect error with `aiserver.v1.ErrorDetails` inside, for both native fronts.
// Known from public clients and from what the official SDK does with each: it shows title and detail, sorts errors by
// their number and repeats a run only when `is_retryable` is not false. Which number fits is our choice.
import { create, toBinary, toJson } from '@bufbuild/protobuf';
import type { ErrorCode, GatewayError } from '../core/index.ts';
import { ErrorDetailsSchema, ErrorDetails_Error as Fault } from '../gen/aiserver/v1/error_details_pb.ts';
import type { ConnectCode, ConnectError } from '../wire/connect-end-stream.ts';

interface Row {
  readonly code: ConnectCode;
  readonly fault: Fault;
  /** A heading; clients put the message behind it. */
  readonly title: string;
}

export const CONNECT_ROWS: Readonly<Record<ErrorCode, Row>> = {
  'invalid-request': row('invalid_argument', Fault.BAD_REQUEST, 'Invalid request.'),
  unauthenticated: row('unauthenticated', Fault.UNAUTHORIZED, 'Not signed in.'),
  'permission-denied': row('permission_denied', Fault.NOT_HIGH_ENOUGH_PERMISSIONS, 'Not allowed.'),
  'not-found': row('not_found', Fault.NOT_FOUND, 'Not found.'),
  conflict: row('failed_precondition', Fault.CUSTOM_MESSAGE, 'Conflict.'),
  'too-large': row('invalid_argument', Fault.BAD_REQUEST, 'Too large.'),
  'rate-limited': row('resource_exhausted', Fault.RATE_LIMITED, 'Too many requests.'),
  'quota-exceeded': row('resource_exhausted', Fault.RESOURCE_EXHAUSTED, 'Quota used up.'),
  'context-overflow': row('invalid_argument', Fault.CONVERSATION_TOO_LONG, 'The conversation is too long.'),
  'content-filtered': row('failed_precondition', Fault.CUSTOM_MESSAGE, 'Filtered by the provider.'),
  'upstream-rejected': row('failed_precondition', Fault.CUSTOM_MESSAGE, 'The model server refused.'),
  'upstream-unavailable': row('unavailable', Fault.PROVIDER_ERROR, 'The model server is unavailable.'),
  'upstream-malformed': row('unavailable', Fault.PROVIDER_ERROR, 'The model server’s answer is broken.'),
  'deadline-exceeded': row('deadline_exceeded', Fault.TIMEOUT, 'Timed out.'),
  cancelled: row('canceled', Fault.USER_ABORTED_REQUEST, 'Cancelled.'),
  unimplemented: row('unimplemented', Fault.CUSTOM_MESSAGE, 'Not supported.'),
  internal: row('internal', Fault.INTERNAL, 'Internal error.'),
};

/** The same for end frames and unary errors. */
export function encodeConnectError(error: GatewayError): ConnectError {
  const { code, fault, title } = CONNECT_ROWS[error.code];
  const details = create(ErrorDetailsSchema, {
    error: isAboutModel(error) ? Fault.BAD_MODEL_NAME : fault,
    details: { title, detail: error.message, isRetryable: error.retryable },
    isExpected: error.code !== 'internal',
  });
  return {
    code,
    message: error.message,
    details: [
      {
        type: ErrorDetailsSchema.typeName,
        value: toBinary(ErrorDetailsSchema, details),
        debug: toJson(ErrorDetailsSchema, details),
      },
    ],
  };
}

function isAboutModel({ code, detail }: GatewayError): boolean {
  return code === 'not-found' && (detail?.reason?.startsWith('model') === true || detail?.param === 'model');
}

function row(code: ConnectCode, fault: Fault, title: string): Row {
  return { code, fault, title };
}
