// The account endpoints that native clients call with a key or a login: plain JSON, errors as {code, message}.
// Known from watching the official SDK and from public clients of the CLI's login; see docs/protocols/cursor-agent.md.
// Guessed: which fields of the two plan endpoints are read; what /auth/logout is given.
import { GatewayError, isJsonObject, type JsonObject, omitUndefined } from '../../core/index.ts';
import type { KeyStore } from '../../store/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import { bearerOf } from '../auth.ts';
import type { Exchange } from '../exchange.ts';
import { httpStatusOf } from '../http-error.ts';
import type { Route } from '../router.ts';
import { publicError } from '../turn-handler.ts';
import { createLoginRoutes, type LoginRoutesOptions } from './login-routes.ts';
import { PendingLogins } from './pending-logins.ts';

export interface KeyRoutesOptions extends LoginRoutesOptions {
  readonly keys: Pick<KeyStore, 'list'>;
  readonly nowMs: () => number;
}

const MAX_BODY_BYTES = 64 * 1024;

export function createKeyRoutes(options: KeyRoutesOptions): Route[] {
  const { authenticator } = options;
  const logins = new PendingLogins(options.nowMs);
  const authenticate = (exchange: Exchange) =>
    authenticator.authenticate(exchange.headers, exchange.remoteAddress);

  const openSession = async (exchange: Exchange, secret: string | undefined): Promise<JsonObject> => ({
    ...(await authenticator.sessions.open(secret, exchange.remoteAddress)),
  });

  async function readRefreshToken(exchange: Exchange): Promise<string | undefined> {
    const body = await readJsonBody(exchange);
    const token = body?.refresh_token ?? body?.refreshToken;
    return typeof token === 'string' ? token : bearerOf(exchange.headers);
  }

  async function describeCaller(exchange: Exchange): Promise<JsonObject> {
    const { keyId, keyName } = await authenticate(exchange);
    const record =
      keyId === undefined ? undefined : (await options.keys.list()).find(({ id }) => id === keyId);
    return omitUndefined({
      apiKeyName: keyName ?? 'local',
      createdAt: new Date(record?.createdAtMs ?? 0).toISOString(),
      userId: keyId,
    });
  }

  const routes: readonly JsonEndpoint[] = [
    {
      method: 'POST',
      path: '/auth/exchange_user_api_key',
      summary: 'Session tokens for a gateway key, or new ones for a refresh token',
      answer: (exchange) => openSession(exchange, bearerOf(exchange.headers)),
    },
    {
      method: 'POST',
      path: '/auth/refresh',
      summary: 'New session tokens for a refresh token',
      answer: async (exchange) => openSession(exchange, await readRefreshToken(exchange)),
    },
    {
      method: 'POST',
      path: '/oauth/token',
      summary: 'New session tokens for a refresh token, in the form of OAuth 2.0',
      async answer(exchange) {
        const tokens = await openSession(exchange, await readRefreshToken(exchange));
        // Both spellings: the standard's, and the one that the editor reads.
        return {
          ...tokens,
          access_token: tokens.accessToken ?? '',
          refresh_token: tokens.refreshToken ?? '',
          token_type: 'Bearer',
          expires_in: 24 * 60 * 60,
          shouldLogout: false,
        };
      },
    },
    {
      method: 'GET',
      path: '/auth/poll',
      summary: 'The tokens of a browser login, once somebody has agreed to it',
      async answer({ query }) {
        const { uuid } = { uuid: query.get('uuid') ?? '' };
        const tokens = logins.fetch(uuid, query.get('verifier') ?? '');
        if (!tokens) throw new GatewayError('not-found', 'Nobody has agreed to this login yet.');
        return { ...tokens, authId: `crosspoint|${uuid}` };
      },
    },
    {
      method: 'POST',
      path: '/auth/logout',
      summary: 'Ends the session of the token',
      answer: async ({ headers }) => ({ ended: await authenticator.sessions.end(bearerOf(headers)) }),
    },
    {
      method: 'GET',
      path: '/v1/me',
      summary: 'Whose key it is',
      answer: describeCaller,
    },
    ...['/auth/full_stripe_profile', '/auth/stripe_profile'].map(
      (path): JsonEndpoint => ({
        method: 'GET',
        path,
        summary: 'The plan: there is none to buy, and everything the operator offers may be used',
        async answer(exchange) {
          await authenticate(exchange);
          return { membershipType: 'enterprise', subscriptionStatus: 'active', lastPaymentFailed: false };
        },
      }),
    ),
  ];

  return [...routes.map((route) => jsonRoute(route, options)), ...createLoginRoutes(options, logins)];
}

interface JsonEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  answer(exchange: Exchange): Promise<JsonObject>;
}

function jsonRoute(endpoint: JsonEndpoint, options: KeyRoutesOptions): Route {
  const { method, path, summary } = endpoint;
  return {
    method,
    path,
    doc: { summary, tag: 'native clients', auth: 'key', response: { type: 'object' } },
    async handle(exchange) {
      try {
        exchange.sendJson(200, await endpoint.answer(exchange), { 'cache-control': 'no-store' });
      } catch (thrown) {
        const error = publicError(thrown, options);
        const code = error.code.replaceAll('-', '_');
        exchange.sendJson(httpStatusOf(error.code), { code, message: error.message });
      }
    },
  };
}

/** JSON or, as OAuth has it, a form. */
async function readJsonBody(exchange: Exchange): Promise<JsonObject | undefined> {
  const bytes = await exchange.readBody(MAX_BODY_BYTES);
  if (bytes.length === 0) return undefined;
  if (/^application\/x-www-form-urlencoded\b/i.test(exchange.headers['content-type'] ?? '')) {
    return Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8')));
  }
  const body = parseJsonBody(bytes);
  return isJsonObject(body) ? body : undefined;
}
