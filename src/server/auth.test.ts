import { beforeEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { type Authenticator, type AuthOptions, createAuthenticator } from './auth.ts';
import type { Exchange } from './exchange.ts';
import { createKeyLimits } from './key-limits.ts';

let nowMs = 0;
let store: Store;
const clock = () => nowMs;

beforeEach(async () => {
  nowMs = 1_000_000;
  store = await openStore({ kind: 'memory', clock });
});

function authenticator(more: Partial<AuthOptions> = {}) {
  return createAuthenticator({ mode: 'keys', keys: store.keys, adminToken: 'admin-token', clock, ...more });
}

describe('with keys', () => {
  test.each(['authorization', 'x-api-key', 'api-key'])('takes a key in %s', async (header) => {
    const { record, secret } = await store.keys.create({ name: 'ci', models: ['fast'], maxConcurrent: 2 });
    const value = header === 'authorization' ? `bearer ${secret}` : secret;
    expect(await authenticator().authenticate({ [header]: value }, '203.0.113.9')).toEqual({
      keyId: record.id,
      keyName: 'ci',
      allowedModels: ['fast'],
      maxConcurrent: 2,
    });
    expect((await store.keys.list())[0]?.lastUsedAtMs).toBe(nowMs);
  });

  test('takes the valid one of two keys', async () => {
    const { secret } = await store.keys.create({ name: 'ci' });
    const headers = { authorization: 'Bearer something-else', 'x-api-key': secret };
    expect(await authenticator().authenticate(headers, '127.0.0.1')).toMatchObject({ keyName: 'ci' });
  });

  test.each([
    ['no key', {}, /no API key.*crosspoint keys create/],
    [
      'an unknown key',
      { authorization: 'Bearer xp_nobody' },
      /not one of this gateway.*crosspoint keys create/,
    ],
    ['basic credentials', { authorization: 'Basic eDp5' }, /no API key/],
    ['the admin token', { authorization: 'Bearer admin-token' }, /not one of this gateway/],
  ])('refuses %s and says how to get one', async (_name, headers, message) => {
    const refusal = authenticator().authenticate(headers, '127.0.0.1');
    await expect(refusal).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(message),
    });
  });

  test('refuses a key once it is revoked or expired, and never repeats it', async () => {
    const { record, secret } = await store.keys.create({ name: 'old' });
    const short = await store.keys.create({ name: 'short', expiresAtMs: nowMs + 1 });
    const auth = authenticator();
    await auth.authenticate({ 'x-api-key': secret }, '::1');
    await store.keys.revoke(record.id);
    nowMs += 1;
    const errors = await Promise.all(
      [secret, short.secret].map((key) =>
        auth.authenticate({ 'x-api-key': key }, '::1').catch((e: Error) => e.message),
      ),
    );
    expect(errors[0]).toMatch(/"old" was revoked/);
    expect(errors[1]).toMatch(/"short" has expired/);
    expect(errors.join()).not.toContain(secret);
  });

  test('gives keys without limits the default ones', async () => {
    const { secret } = await store.keys.create({ name: 'a', requestsPerMinute: 3 });
    const limits = { requestsPerMinute: 100, maxConcurrent: 7 };
    expect(await authenticator({ limits }).authenticate({ 'x-api-key': secret }, '')).toMatchObject({
      requestsPerMinute: 3,
      maxConcurrent: 7,
    });
  });

  test('admits under the limits of the key and gives the place back', async () => {
    const { secret } = await store.keys.create({ name: 'a', maxConcurrent: 1 });
    const auth = authenticator();
    const exchange = { headers: { 'x-api-key': secret }, remoteAddress: '' } as unknown as Exchange; // all it uses
    const first = await auth.admit(exchange);
    await expect(auth.admit(exchange)).rejects.toMatchObject({ code: 'rate-limited' });
    first.release();
    first.release();
    await auth.admit(exchange);
    await expect(auth.admit(exchange)).rejects.toMatchObject({ code: 'rate-limited' });
  });
});

describe('without keys', () => {
  test('takes any key or none from this machine, and nobody from elsewhere', async () => {
    const auth = authenticator({ mode: 'none' });
    expect(await auth.authenticate({}, '127.0.0.1')).toEqual({});
    expect(await auth.authenticate({ authorization: 'Bearer sk-anything' }, '::ffff:127.0.0.1')).toEqual({});
    await expect(auth.authenticate({}, '10.0.0.3')).rejects.toMatchObject({ code: 'unauthenticated' });
    const open = authenticator({ mode: 'none', allowsAnonymousRemote: true });
    expect(await open.authenticate({}, '10.0.0.3')).toEqual({});
  });
});

describe('the admin token', () => {
  test.each([
    [{ authorization: 'Bearer admin-token' }, true],
    [{ 'x-crosspoint-admin': 'admin-token' }, true],
    [{ authorization: 'Bearer admin-tokem' }, false],
    [{ authorization: 'Bearer admin-token-and-more' }, false],
    [{ 'x-api-key': 'admin-token' }, false],
    [{}, false],
  ])('%j is admin: %s', (headers, isAdmin) => {
    expect(authenticator({ mode: 'none' }).isAdmin(headers)).toBe(isAdmin);
  });

  test('an empty token opens nothing', () => {
    expect(authenticator({ adminToken: '' }).isAdmin({ 'x-crosspoint-admin': '' })).toBe(false);
  });
});

describe('createKeyLimits', () => {
  test('lets a burst of the whole minute in and then one for each slice of it', () => {
    const limits = createKeyLimits({ clock });
    const key = { keyId: 'k', requestsPerMinute: 3 };
    for (let index = 0; index < 3; index++) limits.enter(key)();
    const error = refusal(() => limits.enter(key));
    expect(error).toMatchObject({ code: 'rate-limited', retryAfterMs: 20_000 });
    nowMs += 19_999;
    expect(refusal(() => limits.enter(key)).retryAfterMs).toBe(1);
    nowMs += 1;
    limits.enter(key)();
    expect(refusal(() => limits.enter(key)).retryAfterMs).toBe(20_000);
    limits.enter({ keyId: 'other', requestsPerMinute: 3 })();
  });

  test('a request refused for being one too many at a time costs no token', () => {
    const limits = createKeyLimits({ clock });
    const key = { keyId: 'k', requestsPerMinute: 2, maxConcurrent: 1 };
    const leave = limits.enter(key);
    expect(refusal(() => limits.enter(key)).message).toMatch(/1 request at a time/);
    leave();
    limits.enter(key)();
    expect(refusal(() => limits.enter(key)).message).toMatch(/2 requests a minute/);
  });

  test('a key without limits is never held', () => {
    const limits = createKeyLimits({ clock });
    for (let index = 0; index < 10_000; index++) limits.enter({ keyId: 'k' });
  });
});

function refusal(action: () => unknown): GatewayError {
  try {
    action();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('it was let in');
}

describe('session tokens', () => {
  const tokenSecret = Buffer.alloc(32, 3);
  const DAY_MS = 24 * 60 * 60_000;

  test('open what their key opens, and no more', async () => {
    const { record, secret } = await store.keys.create({ name: 'ci', models: ['fast'] });
    const auth = authenticator({ tokenSecret });
    const { accessToken } = await auth.sessions.open(secret, '203.0.113.9');
    for (const headers of [{ authorization: `Bearer ${accessToken}` }, { 'x-api-key': accessToken }]) {
      expect(await auth.authenticate(headers, '203.0.113.9')).toEqual({
        keyId: record.id,
        keyName: 'ci',
        allowedModels: ['fast'],
      });
    }
    expect(auth.isAdmin({ authorization: `Bearer ${accessToken}` })).toBe(false);
  });

  test.each([
    [
      'a refresh token',
      async (auth: Authenticator, secret: string) => (await auth.sessions.open(secret, '')).refreshToken,
    ],
    [
      'a token of another secret',
      async (_auth: Authenticator, secret: string) =>
        (await authenticator({ tokenSecret: Buffer.alloc(32, 4) }).sessions.open(secret, '')).accessToken,
    ],
    [
      'a token of a gateway without keys',
      async () =>
        (await authenticator({ mode: 'none', tokenSecret }).sessions.open(undefined, '127.0.0.1'))
          .accessToken,
    ],
    [
      'an expired token',
      async (auth: Authenticator, secret: string) => {
        const { accessToken } = await auth.sessions.open(secret, '');
        nowMs += DAY_MS;
        return accessToken;
      },
    ],
    [
      'a token after its logout',
      async (auth: Authenticator, secret: string) => {
        const { accessToken } = await auth.sessions.open(secret, '');
        await auth.sessions.end(accessToken);
        return accessToken;
      },
    ],
  ])('refuse %s, and never repeat it', async (_what, makeToken) => {
    const { secret } = await store.keys.create({ name: 'ci' });
    const auth = authenticator({ tokenSecret });
    const token = await makeToken(auth, secret);
    const refusal = await auth.authenticate({ authorization: `Bearer ${token}` }, '').catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('log in again'),
    });
    expect(refusal.message).not.toContain(token);
  });

  test.each(['revoked', 'expired'])('are dead once their key is %s', async (fate) => {
    const key = { name: 'ci', ...(fate === 'expired' ? { expiresAtMs: nowMs + 1_000 } : {}) };
    const { record, secret } = await store.keys.create(key);
    const auth = authenticator({ tokenSecret });
    const { accessToken, refreshToken } = await auth.sessions.open(secret, '');
    if (fate === 'revoked') await store.keys.revoke(record.id);
    else nowMs += 1_000;
    const headers = { authorization: `Bearer ${accessToken}` };
    await expect(auth.authenticate(headers, '')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(auth.sessions.open(refreshToken, '')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('that were logged out open nothing after a restart either', async () => {
    const { secret } = await store.keys.create({ name: 'ci' });
    const restart = () => authenticator({ tokenSecret, documents: store.documents });
    const [ended, living] = [
      await restart().sessions.open(secret, ''),
      await restart().sessions.open(secret, ''),
    ];
    expect(await restart().sessions.end(ended.accessToken)).toBe(true);
    await expect(restart().sessions.open(ended.refreshToken, '')).rejects.toThrow(
      'This session was logged out.',
    );
    await expect(
      restart().authenticate({ authorization: `Bearer ${ended.accessToken}` }, ''),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await restart().authenticate({ authorization: `Bearer ${living.accessToken}` }, '');
    await restart().sessions.open(living.refreshToken, '');
  });

  test('without keys are for this machine only', async () => {
    const auth = authenticator({ mode: 'none', tokenSecret });
    for (const secret of ['anything', '', undefined]) {
      expect(Object.keys(await auth.sessions.open(secret, '127.0.0.1'))).toEqual([
        'accessToken',
        'refreshToken',
      ]);
    }
    await expect(auth.sessions.open('anything', '203.0.113.9')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('do not exist without a secret to sign them', async () => {
    const { secret } = await store.keys.create({ name: 'ci' });
    await expect(authenticator().sessions.open(secret, '')).rejects.toMatchObject({ code: 'unimplemented' });
    expect(await authenticator().sessions.end('x')).toBe(false);
  });
});
