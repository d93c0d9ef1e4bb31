import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { callHttp1, type Reply } from '../fixtures/clients.ts';
import { NAME_AGENT, startNativeServer } from './fixtures/native-server.ts';

const EXCHANGE = '/auth/exchange_user_api_key';
const DAY_MS = 24 * 60 * 60_000;
const json = ({ body }: Reply) => JSON.parse(body) as JsonObject;
const bearer = (secret: unknown) => ({ authorization: `Bearer ${String(secret)}` });

function send(
  url: string,
  path: string,
  headers: Record<string, string>,
  body: unknown = {},
): Promise<Reply> {
  return callHttp1(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function setUp() {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const server = await startNativeServer({ auth: 'keys', nowMs: () => clock.nowMs });
  const { secret, record } = await server.store.keys.create({ name: 'laptop' });
  const call = (credential: unknown) =>
    send(server.url, NAME_AGENT, bearer(credential), { userMessage: 'hi' });
  const exchange = async (credential: unknown) => await send(server.url, EXCHANGE, bearer(credential));
  return { ...server, clock, secret, record, call, exchange };
}

describe('the exchange of a key', () => {
  it('gives tokens that open what the key opens', async () => {
    const { secret, call, exchange, url } = await setUp();
    const reply = await exchange(secret);
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('no-store');
    const { accessToken } = json(reply);
    expect((await call(accessToken)).status).toBe(200);
    expect((await call(secret)).status).toBe(200);
    expect(json(await callHttp1(`${url}/v1/me`, { headers: bearer(accessToken) }))).toMatchObject({
      apiKeyName: 'laptop',
    });
  });

  it('dies with the key', async () => {
    const { secret, record, call, exchange, store } = await setUp();
    const { accessToken, refreshToken } = json(await exchange(secret));
    await store.keys.revoke(record.id);
    for (const reply of [await call(accessToken), await exchange(secret), await exchange(refreshToken)]) {
      expect(reply.status).toBe(401);
      expect(json(reply)).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('was revoked'),
      });
    }
  });

  it('refuses what is no key, in words a client shows', async () => {
    const { exchange, secret } = await setUp();
    const { accessToken } = json(await exchange(secret));
    for (const credential of ['xp_wrong', accessToken, `${String(accessToken)}x`]) {
      const reply = await exchange(credential);
      expect(reply.status).toBe(401);
      expect(Object.keys(json(reply))).toEqual(['code', 'message']);
      expect(reply.body).not.toContain(String(credential));
    }
  });

  it('is for any key, and none, when no keys are needed', async () => {
    const { url } = await startNativeServer();
    for (const headers of [
      bearer('anything'),
      { authorization: 'Bearer ' },
      { authorization: 'Bearer' },
      {},
    ]) {
      const reply = await send(url, EXCHANGE, headers as Record<string, string>);
      expect(reply.status).toBe(200);
      expect(json(reply)).toMatchObject({
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
      });
    }
  });
});

describe('a refresh token', () => {
  const ways: readonly [string, (url: string, token: unknown) => Promise<Reply>][] = [
    ['the exchange', (url, token) => send(url, EXCHANGE, bearer(token))],
    ['/auth/refresh', (url, token) => send(url, '/auth/refresh', bearer(token))],
    [
      '/oauth/token',
      (url, token) =>
        send(url, '/oauth/token', {}, { grant_type: 'refresh_token', client_id: 'x', refresh_token: token }),
    ],
    [
      '/oauth/token as a form',
      (url, token) =>
        callHttp1(`${url}/oauth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(token) }).toString(),
        }),
    ],
  ];

  it.each(ways)('buys new tokens at %s, after the old ones have expired', async (_name, refresh) => {
    const { url, clock, secret, call, exchange } = await setUp();
    const first = json(await exchange(secret));
    clock.nowMs += 2 * DAY_MS;
    expect((await call(first.accessToken)).status).toBe(401);
    const reply = await refresh(url, first.refreshToken);
    expect(reply.status).toBe(200);
    expect((await call(json(reply).accessToken)).status).toBe(200);
  });

  it('opens no call by itself', async () => {
    const { secret, call, exchange } = await setUp();
    const { refreshToken } = json(await exchange(secret));
    expect((await call(refreshToken)).status).toBe(401);
  });

  it('is dead after the logout of its session, and other sessions go on', async () => {
    const { url, secret, call, exchange } = await setUp();
    const [one, two] = [json(await exchange(secret)), json(await exchange(secret))];
    expect(json(await send(url, '/auth/logout', bearer(one.accessToken)))).toEqual({ ended: true });
    expect((await call(one.accessToken)).status).toBe(401);
    expect((await exchange(one.refreshToken)).status).toBe(401);
    expect((await call(two.accessToken)).status).toBe(200);
    expect(json(await send(url, '/auth/logout', bearer('xp_nobody')))).toEqual({ ended: false });
  });
});

describe('what a client asks about its account', () => {
  it('is answered with the key', async () => {
    const { url, secret, record } = await setUp();
    expect(json(await callHttp1(`${url}/v1/me`, { headers: bearer(secret) }))).toEqual({
      apiKeyName: 'laptop',
      createdAt: new Date(record.createdAtMs).toISOString(),
      userId: record.id,
    });
    for (const path of ['/auth/full_stripe_profile', '/auth/stripe_profile']) {
      expect((await callHttp1(url + path)).status).toBe(401);
      expect(json(await callHttp1(url + path, { headers: bearer(secret) }))).toMatchObject({
        membershipType: 'enterprise',
      });
    }
  });

  it('is answered without keys too', async () => {
    const { url } = await startNativeServer();
    expect(json(await callHttp1(`${url}/v1/me`))).toMatchObject({ apiKeyName: 'local' });
  });
});

describe('the browser login', () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const uuid = '0b0e7f6c-9a55-4a4e-8f7c-0d8f0e6b1a2c';
  const query = `?challenge=${challenge}&uuid=${uuid}&mode=login&redirectTarget=cli`;

  function fieldsOf(page: string): Record<string, string> {
    const inputs = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
    return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
  }
  const submit = (url: string, fields: Record<string, string>, path = '/loginDeepControl') =>
    callHttp1(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const poll = (url: string, with_ = verifier) =>
    callHttp1(`${url}/auth/poll?uuid=${uuid}&verifier=${with_}`);

  it.each(['/loginDeepControl', '/loginDeepPage'])(
    'at %s gives tokens to the client that holds the verifier',
    async (path) => {
      const { url, secret, call } = await setUp();
      expect((await poll(url)).status).toBe(404);
      const page = await callHttp1(url + path + query);
      expect(page.status).toBe(200);
      expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.body).toContain('type="password"');
      expect((await poll(url)).status).toBe(404);
      const done = await submit(url, { ...fieldsOf(page.body), key: secret }, path);
      expect(done.status).toBe(200);
      expect(done.body).not.toContain(secret);
      const wrong = await poll(url, 'another-verifier');
      expect(wrong.status).toBe(404);
      const tokens = json(await poll(url));
      expect((await call(tokens.accessToken)).status).toBe(200);
      expect(json(await poll(url))).toEqual(tokens);
    },
  );

  it('asks again after a wrong key, and gives nothing', async () => {
    const { url } = await setUp();
    const page = await callHttp1(`${url}/loginDeepControl${query}`);
    const refused = await submit(url, { ...fieldsOf(page.body), key: 'xp_wrong' });
    expect(refused.status).toBe(401);
    expect(refused.body).toContain('not one of this gateway');
    expect(refused.body).toContain('type="password"');
    expect(refused.body).not.toContain('xp_wrong');
    expect((await poll(url)).status).toBe(404);
  });

  it('is one click without keys', async () => {
    const { url } = await startNativeServer();
    const page = await callHttp1(`${url}/loginDeepControl${query}`);
    expect(page.body).not.toContain('type="password"');
    expect((await submit(url, fieldsOf(page.body))).status).toBe(200);
    expect((await poll(url)).status).toBe(200);
  });

  it('takes no form that another page has made', async () => {
    const { url, secret } = await setUp();
    const page = await callHttp1(`${url}/loginDeepControl${query}`);
    const { seal = '' } = fieldsOf(page.body);
    const other = createHash('sha256').update('other').digest('base64url');
    for (const fields of [
      { uuid, challenge, key: secret },
      { uuid, challenge, seal: `${seal.slice(1)}A`, key: secret },
      { uuid, challenge: other, seal, key: secret },
    ]) {
      expect((await submit(url, fields)).status).toBe(403);
    }
    const asJson = await send(url, '/loginDeepControl', {}, { uuid, challenge, seal, key: secret });
    expect(asJson.status).toBe(400);
    expect((await poll(url)).status).toBe(404);
  });

  it('cannot be pushed aside or taken over by somebody who knows its uuid', async () => {
    const { url, secret, record, store, call } = await setUp();
    const { secret: foreign } = await store.keys.create({ name: 'stranger' });
    const other = createHash('sha256').update('of the stranger').digest('base64url');
    const agree = async (with_: string, key: string) => {
      const page = await callHttp1(`${url}/loginDeepControl?uuid=${uuid}&challenge=${with_}`);
      return await submit(url, { ...fieldsOf(page.body), key });
    };
    expect((await agree(other, foreign)).status).toBe(200);
    expect((await poll(url)).status).toBe(404);
    expect((await agree(challenge, secret)).status).toBe(200);
    expect((await agree(other, foreign)).status).toBe(409);
    const again = await agree(challenge, foreign);
    expect(again.status).toBe(409);
    expect(again.body).toContain('start it anew');
    const { accessToken } = json(await poll(url));
    expect((await call(accessToken)).status).toBe(200);
    const me = json(await callHttp1(`${url}/v1/me`, { headers: bearer(accessToken) }));
    expect(me.userId).toBe(record.id);
  });

  it('keeps its answer from other pages, caches and frames, its errors too', async () => {
    const { url } = await setUp();
    for (const page of [
      await callHttp1(`${url}/loginDeepControl${query}&redirectTarget=https://evil.example/`),
      await callHttp1(`${url}/loginDeepControl?uuid=x`),
      await submit(url, { uuid, challenge }),
    ]) {
      expect(page.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      expect(page.headers).not.toHaveProperty('location');
      expect(page.headers).not.toHaveProperty('set-cookie');
      expect(page.body).not.toContain('evil.example');
    }
  });

  it.each([
    ['no uuid', `?challenge=${challenge}`],
    ['a script for a uuid', `?challenge=${challenge}&uuid=%3Cscript%3Ealert(1)%3C/script%3E`],
    ['no challenge', `?uuid=${uuid}`],
    ['a short challenge', `?uuid=${uuid}&challenge=abc`],
  ])('shows what is wrong with a link that has %s', async (_what, wrong) => {
    const { url } = await setUp();
    const page = await callHttp1(`${url}/loginDeepControl${wrong}`);
    expect(page.status).toBe(400);
    expect(page.body).not.toContain('<script>');
    expect(page.body).not.toContain('<form');
  });

  it('is forgotten when nobody fetches the tokens', async () => {
    const { url, clock, secret } = await setUp();
    const page = await callHttp1(`${url}/loginDeepControl${query}`);
    await submit(url, { ...fieldsOf(page.body), key: secret });
    clock.nowMs += 10 * 60_000;
    expect((await poll(url)).status).toBe(404);
  });
});
