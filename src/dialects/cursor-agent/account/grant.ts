import { type ErrorCode, GatewayError, isJsonObject, omitUndefined } from '../../../core/index.ts';
import type { AccountAnswer } from './account-call.ts';

/** What the account endpoints hand out. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly authId?: string;
}

/** Anything else cannot stand in a header, and the refusal of an HTTP library would quote it. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

export function isHeaderSafe(secret: string): boolean {
  return HEADER_SAFE.test(secret);
}

/** Reads a 2xx answer. Cursor's own endpoints use camel case, `/oauth/token` the names of RFC 6749. */
export function decodeGrant(answer: AccountAnswer, host: string): Grant {
  const body = parseJson(answer.body);
  const text = (...names: string[]) => {
    const value = isJsonObject(body) ? names.map((name) => body[name]).find(Boolean) : undefined;
    return typeof value === 'string' && isHeaderSafe(value) ? value : undefined;
  };
  const accessToken = text('accessToken', 'access_token');
  if (accessToken === undefined) {
    throw new GatewayError(
      'upstream-malformed',
      `${host} answered ${answer.status} without an access token. Check that the base URL is an agent backend.`,
    );
  }
  const refreshToken = text('refreshToken', 'refresh_token');
  return omitUndefined({ accessToken, refreshToken, authId: text('authId') });
}

export function isSuccess({ status }: AccountAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The backend's own words about a refusal, short, on one line and without the secret that was sent. */
export function refusalWords(answer: AccountAnswer, secret: string): string {
  const body = parseJson(answer.body);
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
  const found = isJsonObject(error)
    ? [error.message, error.error_description, error.error, error.detail].find(
        (value) => typeof value === 'string',
      )
    : undefined;
  if (typeof found !== 'string') return `status ${answer.status}`;
  const words = found
    .replaceAll(secret, '[redacted]')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return words === '' ? `status ${answer.status}` : `status ${answer.status}: ${words}`;
}

/** What a status other than 2xx means where the credential itself is not at fault. */
export function codeOfStatus(status: number): ErrorCode {
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'upstream-unavailable' : 'upstream-rejected';
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
