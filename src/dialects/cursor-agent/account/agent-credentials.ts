// The one account of an upstream, as the official clients use theirs: a token that was given, an API key that is
// exchanged, or the stored login that is refreshed. The first that is there is used; there is no pool and no falling back.
import { type CredentialVault, credentialName, type StoredCredential } from '../../../config/credentials.ts';
import { GatewayError, omitUndefined } from '../../../core/index.ts';
import type { AgentCredentials } from '../agent-connection.ts';
import { type AccountCall, createFetchCall } from './account-call.ts';
import { type Backend, exchangeApiKey, refreshLogin } from './auth-endpoints.ts';
import { isHeaderSafe } from './grant.ts';
import { CURSOR_BASE_URL, loginAdvice } from './login-advice.ts';
import { readTokenClaims } from './token-claims.ts';
import { TokenKeeper, type TokenSource } from './token-keeper.ts';

export interface AgentCredentialsOptions {
  readonly baseUrl?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Where `crosspoint login` keeps what it got. */
  readonly vault?: CredentialVault | undefined;
  readonly call?: AccountCall | undefined;
  readonly oauthClientId?: string | undefined;
  readonly nowMs: () => number;
  /** Told every key and token that is read or fetched, so that it can be kept out of logs. */
  readonly onSecret?: ((secret: string) => void) | undefined;
}

export function createAgentCredentials(options: AgentCredentialsOptions): AgentCredentials {
  const { accessToken, apiKey, vault, oauthClientId, nowMs, onSecret } = options;
  const baseUrl = options.baseUrl ?? CURSOR_BASE_URL;
  if (accessToken !== undefined) return givenToken(accessToken, baseUrl, nowMs);
  const call = options.call ?? createFetchCall({ baseUrl, fetch });
  const backend: Backend = omitUndefined({ baseUrl, call, oauthClientId });
  const findSource =
    apiKey !== undefined ? async () => keySource(backend, apiKey) : () => storedSource(backend, vault, nowMs);
  return new TokenKeeper(omitUndefined({ host: new URL(baseUrl).host, findSource, nowMs, onSecret }));
}

/** Nothing can be fetched in place of a token that somebody else hands out. */
function givenToken(token: string, baseUrl: string, nowMs: () => number): AgentCredentials {
  const { host } = new URL(baseUrl);
  const { expiresAtMs = Number.POSITIVE_INFINITY } = readTokenClaims(token);
  let isRefused = false;
  const failure = (what: string) =>
    new GatewayError(
      'unauthenticated',
      `The accessToken for ${host} ${what}. Put in a new one, or leave it out and run \`${loginAdvice(baseUrl)}\` or ` +
        'set CURSOR_API_KEY.',
    );
  return {
    async accessToken(signal) {
      if (signal.aborted) throw new GatewayError('cancelled', 'The request was cancelled.');
      if (!isHeaderSafe(token)) throw failure('holds characters that no token has');
      if (isRefused) throw failure('was refused');
      if (nowMs() >= expiresAtMs) throw failure(`expired on ${new Date(expiresAtMs).toISOString()}`);
      return token;
    },
    refuse(refused) {
      if (refused === token) isRefused = true;
    },
  };
}

function keySource(backend: Backend, apiKey: string): TokenSource {
  return {
    secret: apiKey,
    async renew(signal) {
      const { accessToken } = await exchangeApiKey(backend, apiKey, signal);
      return { token: accessToken, secret: apiKey };
    },
  };
}

/** Read anew each time: a login while the gateway runs is noticed, and so is what another process refreshed. */
async function storedSource(
  backend: Backend,
  vault: CredentialVault | undefined,
  nowMs: () => number,
): Promise<TokenSource> {
  const name = credentialName(backend.baseUrl);
  const stored = await vault?.read(name);
  if (!vault || !stored) throw notLoggedIn(backend.baseUrl);
  if (stored.kind === 'api-key') return keySource(backend, stored.apiKey);
  const { accessToken, refreshToken, refreshVia } = stored;
  if (!isHeaderSafe(accessToken)) throw notLoggedIn(backend.baseUrl);
  return {
    secret: refreshToken ?? accessToken,
    token: accessToken,
    async renew(signal) {
      if (refreshToken === undefined || !isHeaderSafe(refreshToken)) throw loginEnded(backend.baseUrl);
      const { grant, way } = await refreshLogin(backend, refreshToken, refreshVia, signal);
      const next = { accessToken: grant.accessToken, refreshToken: grant.refreshToken ?? refreshToken };
      await keep(vault, name, stored, { ...stored, ...next, refreshVia: way, savedAtMs: nowMs() });
      return { token: next.accessToken, secret: next.refreshToken };
    },
  };
}

type StoredLogin = Extract<StoredCredential, { kind: 'login' }>;

/** Never over a login or logout that happened meanwhile. A full disk must not fail the turn: the token works anyway. */
async function keep(
  vault: CredentialVault,
  name: string,
  before: StoredLogin,
  after: StoredLogin,
): Promise<void> {
  try {
    const now = await vault.read(name);
    const isSame = now?.kind === 'login' && now.refreshToken === before.refreshToken;
    if (isSame) await vault.write(name, after);
  } catch {
    // The stored refresh token may be spent now; the next start then asks for a login, in plain words.
  }
}

function notLoggedIn(baseUrl: string): GatewayError {
  const { host } = new URL(baseUrl);
  return new GatewayError(
    'unauthenticated',
    `There is no account for ${host}. Run \`${loginAdvice(baseUrl)}\`, or set CURSOR_API_KEY (apiKey of the upstream).`,
  );
}

function loginEnded(baseUrl: string): GatewayError {
  const { host } = new URL(baseUrl);
  return new GatewayError(
    'unauthenticated',
    `The login at ${host} has ended. Run \`${loginAdvice(baseUrl)}\` again, or set CURSOR_API_KEY.`,
  );
}
