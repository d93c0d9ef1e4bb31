import { beforeEach, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../store/index.ts';
import { createAuthenticator } from '../auth.ts';
import { type Call, callHttp1 } from '../fixtures/clients.ts';
import { serve } from '../fixtures/serve.ts';
import { createRouter } from '../router.ts';
import { createAdminRoutes } from './admin-routes.ts';
import type { AdminSource } from './admin-source.ts';
import { createdKeySchema, statusSchema, turnsSchema } from './schema.ts';

let store: Store;
let base = '';
const cancelled: string[] = [];
const limits: number[] = [];

const source: AdminSource = {
  status: () => ({
    version: '1',
    startedAtMs: 1,
    url: 'http://x',
    authMode: 'none',
    isDraining: false,
    store: 'memory',
    liveTurns: 1,
    upstreams: [{ name: 'local', kind: 'openai-chat', state: 'ok' }],
  }),
  models: () => [{ id: 'local/llama', upstream: 'local' }],
  liveTurns: () => [{ turnId: 'turn_1', startedAtMs: 5, front: 'openai-chat', model: 'fast' }],
  async recentTurns(limit) {
    limits.push(limit);
    return await store.journal.recent(limit);
  },
  cancelTurn(turnId) {
    cancelled.push(turnId);
    return turnId === 'turn_1';
  },
};

beforeEach(async () => {
  store = await openStore({ kind: 'memory' });
  const authenticator = createAuthenticator({
    mode: 'none',
    keys: store.keys,
    adminToken: 'root',
    clock: Date.now,
  });
  const routes = createAdminRoutes({ source, keys: store.keys, authenticator });
  base = (await serve(createRouter({ routes }))).url;
  cancelled.length = 0;
  limits.length = 0;
});

async function call(path: string, options: Call = {}) {
  const headers = { authorization: 'Bearer root', ...options.headers };
  const reply = await callHttp1(base + path, { ...options, headers });
  return { ...reply, json: reply.body === '' ? undefined : JSON.parse(reply.body) };
}

describe('the admin API', () => {
  test.each([
    ['GET', '/api/status'],
    ['GET', '/api/models'],
    ['GET', '/api/keys'],
    ['POST', '/api/keys'],
    ['DELETE', '/api/keys/key_1'],
    ['GET', '/api/turns'],
    ['DELETE', '/api/turns/turn_1'],
  ])('%s %s needs the token on loopback too', async (method, path) => {
    for (const authorization of ['', 'Bearer wrong']) {
      const reply = await call(path, { method, headers: { authorization } });
      expect(reply.status).toBe(401);
      expect(reply.json.error.code).toBe('unauthenticated');
    }
    expect(cancelled).toEqual([]);
  });

  test('shows status and models', async () => {
    expect(statusSchema.parse((await call('/api/status')).json).upstreams).toHaveLength(1);
    expect((await call('/api/models')).json).toEqual({ models: [{ id: 'local/llama', upstream: 'local' }] });
  });

  test('creates a key that works, shows its secret once, lists and revokes it', async () => {
    const created = await call('/api/keys', {
      method: 'POST',
      body: JSON.stringify({ name: 'ci', models: ['fast'], requestsPerMinute: 10 }),
    });
    expect(created.status).toBe(201);
    expect(created.headers['cache-control']).toBe('no-store');
    const { key, secret } = createdKeySchema.parse(created.json);
    expect(await store.keys.findBySecret(secret)).toMatchObject({ name: 'ci' });
    const listed = await call('/api/keys');
    expect(listed.json.keys).toEqual([key]);
    expect(listed.body).not.toContain(secret);
    expect((await call(`/api/keys/${key.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await store.keys.findBySecret(secret)).toBeUndefined();
    expect((await call(`/api/keys/${key.id}`, { method: 'DELETE' })).status).toBe(404);
  });

  test.each([
    ['{"name":""}', 'name'],
    ['{}', 'name'],
    ['{"name":"a","requestsPerMinute":0}', 'requestsPerMinute'],
    ['{"name":"a","expiresAtMs":5}', 'expiresAtMs'],
    ['{"name":"a","surprise":1}', 'surprise'],
    ['{"name":"a","models":[""]}', 'models.0'],
  ])('refuses the key %s and names the field', async (body, param) => {
    const reply = await call('/api/keys', { method: 'POST', body });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ code: 'invalid-request', param });
  });

  test('refuses bodies that are no JSON or too large', async () => {
    expect((await call('/api/keys', { method: 'POST', body: '{' })).status).toBe(400);
    expect((await call('/api/keys', { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413);
  });

  test('shows live and recent turns, with a checked limit', async () => {
    store.journal.append({
      turnId: 'turn_0',
      startedAtMs: 1,
      front: 'openai-chat',
      model: 'fast',
      stream: true,
      outcome: 'ok',
      attempts: 1,
      toolCalls: 0,
      passThrough: true,
    });
    const reply = turnsSchema.parse((await call('/api/turns?limit=7')).json);
    expect([reply.live[0]?.turnId, reply.recent[0]?.turnId]).toEqual(['turn_1', 'turn_0']);
    await call('/api/turns');
    expect(limits).toEqual([7, 50]);
    for (const limit of ['0', '501', 'many', '1.5']) {
      expect((await call(`/api/turns?limit=${limit}`)).json.error).toMatchObject({ param: 'limit' });
    }
  });

  test('cancels a live turn and knows no other', async () => {
    expect((await call('/api/turns/turn_1', { method: 'DELETE' })).status).toBe(204);
    expect((await call('/api/turns/turn_9', { method: 'DELETE' })).status).toBe(404);
    expect(cancelled).toEqual(['turn_1', 'turn_9']);
  });
});
