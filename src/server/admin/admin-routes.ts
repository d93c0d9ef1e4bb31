import { z } from 'zod';
import { GatewayError, invalidRequest, type JsonValue } from '../../core/index.ts';
import type { KeyStore } from '../../store/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { Authenticator } from '../auth.ts';
import { sendPlainError, toPublicError } from '../http-error.ts';
import type { Route, RouteDoc } from '../router.ts';
import type { AdminSource } from './admin-source.ts';
import {
  createdKeySchema,
  keySchema,
  modelSchema,
  newKeySchema,
  statusSchema,
  turnsQuerySchema,
  turnsSchema,
} from './schema.ts';

export interface AdminOptions {
  readonly source: AdminSource;
  readonly keys: KeyStore;
  readonly authenticator: Pick<Authenticator, 'requireAdmin'>;
  /** Hears of errors nobody foresaw. */
  readonly onUnexpected?: (thrown: unknown) => void;
}

const MAX_BODY_BYTES = 64 * 1024;

/** Everything under /api. Each route needs the admin token, whoever asks. */
export function createAdminRoutes(options: AdminOptions): readonly Route[] {
  const { source, keys } = options;
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: '/api/status',
      doc: doc('The gateway and its upstreams', { response: statusSchema }),
      handle: async (exchange) => exchange.sendJson(200, toJson(await source.status())),
    },
    {
      method: 'GET',
      path: '/api/models',
      doc: doc('The models a client can ask for', { response: z.object({ models: z.array(modelSchema) }) }),
      handle: async (exchange) => exchange.sendJson(200, { models: toJson(await source.models()) }),
    },
    {
      method: 'GET',
      path: '/api/keys',
      doc: doc('All gateway keys, revoked ones included', {
        response: z.object({ keys: z.array(keySchema) }),
      }),
      handle: async (exchange) => exchange.sendJson(200, { keys: toJson(await keys.list()) }),
    },
    {
      method: 'POST',
      path: '/api/keys',
      doc: doc('Create a key; its secret is shown once', {
        request: newKeySchema,
        response: createdKeySchema,
        status: 201,
      }),
      async handle(exchange) {
        const body = check(newKeySchema, parseJsonBody(await exchange.readBody(MAX_BODY_BYTES)));
        const { record, secret } = await keys.create(body);
        exchange.sendJson(201, { key: toJson(record), secret }, { 'cache-control': 'no-store' });
      },
    },
    {
      method: 'DELETE',
      path: '/api/keys/:id',
      doc: doc('Revoke a key', { status: 204 }),
      async handle(exchange, { id = '' }) {
        if (!(await keys.revoke(id))) throw new GatewayError('not-found', `There is no active key "${id}".`);
        exchange.sendBytes(204, '');
      },
    },
    {
      method: 'GET',
      path: '/api/turns',
      doc: doc('Turns in progress and the latest finished ones', {
        query: turnsQuerySchema,
        response: turnsSchema,
      }),
      async handle(exchange) {
        const { limit } = check(turnsQuerySchema, Object.fromEntries(exchange.query));
        const recent = await source.recentTurns(limit);
        exchange.sendJson(200, { live: toJson(source.liveTurns()), recent: toJson(recent) });
      },
    },
    {
      method: 'DELETE',
      path: '/api/turns/:id',
      doc: doc('Cancel a turn in progress', { status: 204 }),
      handle(exchange, { id = '' }) {
        if (!source.cancelTurn(id)) throw new GatewayError('not-found', `There is no live turn "${id}".`);
        exchange.sendBytes(204, '');
      },
    },
  ];
  return routes.map((route) => guardAdmin(route, options));
}

/** The token first, before anything of the request is looked at. */
export function guardAdmin(
  route: Route,
  { authenticator, onUnexpected }: Pick<AdminOptions, 'authenticator' | 'onUnexpected'>,
): Route {
  return {
    ...route,
    async handle(exchange, params) {
      try {
        authenticator.requireAdmin(exchange.headers);
        await route.handle(exchange, params);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) onUnexpected?.(thrown);
        sendPlainError(exchange, toPublicError(thrown));
      }
    },
  };
}

function doc(summary: string, more: Partial<RouteDoc>): RouteDoc {
  return { summary, tag: 'admin', auth: 'admin', ...more };
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join('.') || (issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined);
  throw invalidRequest(`${param ?? 'The request'}: ${issue?.message ?? 'not valid'}.`, param);
}

/** Plain data without functions or cycles, as the types of the source say; undefined fields are left out. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
