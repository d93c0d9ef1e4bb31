import { describe, expect, test } from 'vitest';
import { ERROR_CODES, GatewayError, isJsonObject, type JsonObject } from '../core/index.ts';
import { createMetrics } from '../observe/index.ts';
import { openStore } from '../store/index.ts';
import { createAdminRoutes } from './admin/admin-routes.ts';
import type { AdminSource } from './admin/admin-source.ts';
import { callHttp1 } from './fixtures/clients.ts';
import { serve } from './fixtures/serve.ts';
import { createHealthRoutes } from './health.ts';
import { createHomeRoute } from './home-page.ts';
import { httpStatusOf } from './http-error.ts';
import { createOpenApi, createOpenApiRoute } from './openapi.ts';
import { createRouter, type Route } from './router.ts';

const state = { isDraining: false, isBroken: false };
const metrics = createMetrics({ version: '1.0.0' });
const health = createHealthRoutes({
  isDraining: () => state.isDraining,
  async checkStore() {
    if (state.isBroken) throw new Error('/home/me/secret.db is gone');
  },
  metrics,
});

async function allRoutes(): Promise<Route[]> {
  const { keys } = await openStore({ kind: 'memory' });
  const authenticator = { requireAdmin: () => {} };
  const source = {} as AdminSource; // never asked here
  const turnRoutes = ['/v1/chat/completions', '/v1/models', '/unknown/front/*'].map((path) => ({
    method: path.endsWith('models') ? 'GET' : 'POST',
    path,
    handle: () => {},
  }));
  const admin = createAdminRoutes({ source, keys, authenticator });
  const routes = [...health, ...admin, ...turnRoutes, createHomeRoute({ version: '1.0.0' })];
  return [...routes, createOpenApiRoute({ version: '1.0.0', routes })];
}

describe('health', () => {
  test('is alive, and ready unless draining or without store', async () => {
    const { url } = await serve(createRouter({ routes: health }));
    const get = async (path: string) => await callHttp1(url + path);
    expect((await get('/healthz')).status).toBe(200);
    expect(JSON.parse((await get('/readyz')).body)).toEqual({ status: 'ready' });
    state.isBroken = true;
    const broken = await get('/readyz');
    expect([broken.status, broken.body]).toEqual([503, '{"status":"store-failing"}']);
    state.isBroken = false;
    state.isDraining = true;
    expect(await get('/readyz')).toMatchObject({ status: 503, body: '{"status":"draining"}' });
    expect((await get('/healthz')).status).toBe(200);
    state.isDraining = false;
  });

  test('shows the metrics, and only to those who may see them', async () => {
    const { url } = await serve(createRouter({ routes: health }));
    expect((await callHttp1(`${url}/metrics`)).body).toContain('crosspoint_live_turns 0');
    const authorizeMetrics = () => {
      throw new GatewayError('unauthenticated', 'no');
    };
    const guarded = createHealthRoutes({
      isDraining: () => false,
      checkStore: async () => {},
      metrics,
      authorizeMetrics,
    });
    const { url: other } = await serve(createRouter({ routes: guarded }));
    expect((await callHttp1(`${other}/metrics`)).status).toBe(401);
  });

  test('says at / what this is, as text and as a page', async () => {
    const { url } = await serve(createRouter({ routes: await allRoutes() }));
    expect((await callHttp1(url)).body).toContain('/openapi.json');
    const page = await callHttp1(url, { headers: { accept: 'text/html,*/*' } });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).toContain('<a href="/v1/models">');
  });
});

describe('the OpenAPI document', () => {
  test('holds every registered route, with path parameters and responses', async () => {
    const routes = await allRoutes();
    const { url } = await serve(createRouter({ routes }));
    const document = JSON.parse((await callHttp1(`${url}/openapi.json`)).body);
    expect(document.openapi).toBe('3.1.0');
    for (const { method, path } of routes) {
      const template = path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}');
      const operation = document.paths[template]?.[method.toLowerCase()];
      expect(operation, `${method} ${path}`).toMatchObject({ summary: expect.any(String) });
      const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((item: JsonObject) => item.in === 'path');
      expect(declared.map((item: JsonObject) => item.name)).toEqual(names);
    }
  });

  test('takes its schemas from zod and leaves no reference dangling', async () => {
    const document = createOpenApi({ version: '1', routes: await allRoutes() });
    const text = JSON.stringify(document);
    expect(text).toContain('"requestsPerMinute"');
    expect(text).not.toContain('$defs');
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      const schemas = isJsonObject(document.components) ? document.components.schemas : undefined;
      expect(isJsonObject(schemas) && name in schemas, name).toBe(true);
    }
  });
});

test('every error code has a status', () => {
  for (const code of ERROR_CODES) expect(httpStatusOf(code)).toBeGreaterThanOrEqual(400);
});
