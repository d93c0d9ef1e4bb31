import { GatewayError } from '../../core/index.ts';

const MAX_CHARACTERS = 300;

/** Cursor shows the whole body of an error in one line to the user. */
export function shortenError(error: GatewayError): GatewayError {
  if (error.message.length <= MAX_CHARACTERS) return error;
  const { code, retryable, retryAfterMs, detail } = error;
  const message = `${error.message.slice(0, MAX_CHARACTERS - 1).trimEnd()}…`;
  return new GatewayError(code, message, {
    retryable,
    retryAfterMs,
    cause: error,
    ...(detail ? { detail } : undefined),
  });
}
