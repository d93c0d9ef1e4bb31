// The account endpoints of an agent backend: exchange of an API key, three ways to refresh a login, the end of a session.
// Known from public clients and from watching the official SDK exchange its key; nothing of it is published by Cursor.
// Guessed: that /auth/logout takes the access token as bearer, and what /oauth/token wants as client_id from us.
import { GatewayError } from '../../../core/index.ts';
import type { AccountAnswer, AccountCall } from './account-call.ts';
import { codeOfStatus, decodeGrant, type Grant, isHeaderSafe, isSuccess, refusalWords } from './grant.ts';
import { loginAdvice } from './login-advice.ts';

export interface Backend {
  readonly baseUrl: string;
  readonly call: AccountCall;
  /** The name under which `/oauth/token` is asked; ours unless configured. */
  readonly oauthClientId?: string;
}

export const REFRESH_WAYS = ['exchange', 'refresh', 'oauth'] as const;
export type RefreshWay = (typeof REFRESH_WAYS)[number];

export interface Refreshed {
  readonly grant: Grant;
  readonly way: RefreshWay;
}

const EXCHANGE_PATH = '/auth/exchange_user_api_key';
const DEFAULT_CLIENT_ID = 'crosspoint';

export async function exchangeApiKey(backend: Backend, apiKey: string, signal: AbortSignal): Promise<Grant> {
  const host = hostOf(backend);
  if (!isHeaderSafe(apiKey)) {
    throw new GatewayError(
      'unauthenticated',
      `The API key for ${host} holds spaces, line breaks or other characters that no key has. Copy it again.`,
    );
  }
  const answer = await post(backend, EXCHANGE_PATH, apiKey, {}, signal);
  if (isSuccess(answer)) return decodeGrant(answer, host);
  const words = refusalWords(answer, apiKey);
  if (answer.status === 401) {
    throw new GatewayError(
      'unauthenticated',
      `${host} does not accept the API key (${words}). Set CURSOR_API_KEY (or apiKey of the upstream) to a valid ` +
        `key, or run \`${loginAdvice(backend.baseUrl)}\`.`,
      { detail: { upstreamStatus: answer.status } },
    );
  }
  throw new GatewayError(codeOfStatus(answer.status), `${host} did not exchange the API key (${words}).`, {
    detail: { upstreamStatus: answer.status },
  });
}

/**
 * Trades a refresh token for new tokens. Which way works depends on who wrote the token, so that each is tried in turn,
 * the one that has worked before first. A backend in trouble is no reason to send anybody to log in again.
 */
export async function refreshLogin(
  backend: Backend,
  refreshToken: string,
  knownWay: string | undefined,
  signal: AbortSignal,
): Promise<Refreshed> {
  const host = hostOf(backend);
  const ways = [...REFRESH_WAYS].sort(
    (left, right) => Number(right === knownWay) - Number(left === knownWay),
  );
  let trouble: AccountAnswer | undefined;
  let refusal: AccountAnswer | undefined;
  for (const way of ways) {
    const answer = await sendRefresh(backend, way, refreshToken, signal);
    if (isSuccess(answer)) {
      const grant = tryDecode(answer, host);
      if (grant) return { grant, way };
    }
    if (answer.status === 429 || answer.status >= 500) trouble ??= answer;
    else refusal ??= answer;
  }
  if (trouble) {
    throw new GatewayError(
      codeOfStatus(trouble.status),
      `${host} did not refresh the login (${refusalWords(trouble, refreshToken)}). Try again later.`,
      { detail: { upstreamStatus: trouble.status } },
    );
  }
  const words = refusal ? ` (${refusalWords(refusal, refreshToken)})` : '';
  throw new GatewayError(
    'unauthenticated',
    `The login at ${host} has ended${words}. Run \`${loginAdvice(backend.baseUrl)}\` again, or set CURSOR_API_KEY.`,
  );
}

/** Tells the server that a session is over; false when it did not want to know. */
export async function endSession(
  backend: Backend,
  accessToken: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isHeaderSafe(accessToken)) return false;
  return isSuccess(await post(backend, '/auth/logout', accessToken, {}, signal));
}

function sendRefresh(
  backend: Backend,
  way: RefreshWay,
  refreshToken: string,
  signal: AbortSignal,
): Promise<AccountAnswer> {
  switch (way) {
    case 'exchange':
      return post(backend, EXCHANGE_PATH, refreshToken, {}, signal);
    case 'refresh':
      return post(backend, '/auth/refresh', refreshToken, {}, signal);
    case 'oauth':
      return post(
        backend,
        '/oauth/token',
        undefined,
        {
          grant_type: 'refresh_token',
          client_id: backend.oauthClientId ?? DEFAULT_CLIENT_ID,
          refresh_token: refreshToken,
        },
        signal,
      );
    default:
      return way satisfies never;
  }
}

function post(
  { call }: Backend,
  path: string,
  bearer: string | undefined,
  body: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<AccountAnswer> {
  const headers = {
    'content-type': 'application/json',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  };
  return call({ method: 'POST', path, headers, body: JSON.stringify(body), signal });
}

/** A page that answers 200 to everything has no token in it: then the next way has its turn. */
function tryDecode(answer: AccountAnswer, host: string): Grant | undefined {
  try {
    return decodeGrant(answer, host);
  } catch {
    return undefined;
  }
}

function hostOf({ baseUrl }: Backend): string {
  return new URL(baseUrl).host;
}
