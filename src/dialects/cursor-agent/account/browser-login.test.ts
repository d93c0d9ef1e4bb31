import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AuthAnswer, makeToken, startAuthServer } from '../../../../test/support/auth-server.ts';
import { GetMeResponseSchema } from '../../../gen/aiserver/v1/dashboard_pb.ts';
import { createFetchCall } from './account-call.ts';
import { readAccountName } from './account-name.ts';
import { endSession } from './auth-endpoints.ts';
import { awaitBrowserLogin, startBrowserLogin } from './browser-login.ts';
import { readTokenClaims } from './token-claims.ts';

const POLL = 'GET /auth/poll';
const ME = 'POST /aiserver.v1.DashboardService/GetMe';
const UUID = '5f4b0c8e-0000-4000-8000-000000000001';
const never = new AbortController().signal;

async function setUp(answers: Readonly<Record<string, AuthAnswer>>) {
  const server = await startAuthServer(answers);
  onTestFinished(() => server.close());
  const backend = { baseUrl: server.baseUrl, call: createFetchCall({ baseUrl: server.baseUrl, fetch }) };
  const attempt = startBrowserLogin(server.baseUrl, new Uint8Array(32).fill(7), UUID);
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { server, backend, attempt, waits, sleep };
}

/** The nth answer for the nth request; the last one from then on. */
function inTurn(...replies: readonly { status?: number; json?: unknown }[]): AuthAnswer {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)] ?? {};
}

describe('the address of a login', () => {
  it('proves with its challenge that we know the verifier, and does not hold it', () => {
    const { url, verifier } = startBrowserLogin('https://api2.cursor.sh', new Uint8Array(32).fill(7), UUID);
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe('https://cursor.com/loginDeepControl');
    expect(Object.fromEntries(searchParams)).toEqual({
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      uuid: UUID,
      mode: 'login',
      redirectTarget: 'cli',
    });
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(verifier);
  });

  it('is the example of RFC 7636 for its bytes', () => {
    const bytes = Buffer.from('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', 'base64url');
    const { url } = startBrowserLogin('https://api2.cursor.sh', bytes, UUID);
    expect(new URL(url).searchParams.get('challenge')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  });

  it('belongs to the backend itself where that is not Cursor’s', () => {
    const { url } = startBrowserLogin('http://127.0.0.1:9000/x', new Uint8Array(32), UUID);
    expect(url.startsWith('http://127.0.0.1:9000/loginDeepControl?challenge=')).toBe(true);
  });
});

describe('waiting for a login', () => {
  it('asks, ever more slowly, until the browser is done', async () => {
    const pending = { status: 404 };
    const done = { json: { accessToken: 'access', refreshToken: 'refresh', authId: 'auth0|1' } };
    const replies = [...Array.from({ length: 14 }, () => pending), { status: 502 }, { status: 429 }, done];
    const { backend, attempt, sleep, waits, server } = await setUp({ [POLL]: inTurn(...replies) });
    const grant = await awaitBrowserLogin(backend, attempt, { signal: never, sleep });
    expect(grant).toEqual({ accessToken: 'access', refreshToken: 'refresh', authId: 'auth0|1' });
    expect(server.requests[0]?.query.get('uuid')).toBe(UUID);
    expect(server.requests[0]?.query.get('verifier')).toBe(attempt.verifier);
    expect(waits.slice(0, 3)).toEqual([1000, 1200, 1440]);
    expect(waits.at(-1)).toBe(10_000);
  });

  it('has an end', async () => {
    const { backend, attempt, sleep, server } = await setUp({ [POLL]: { status: 404 } });
    const login = awaitBrowserLogin(backend, attempt, { signal: never, sleep });
    await expect(login).rejects.toMatchObject({ code: 'deadline-exceeded' });
    expect(server.requests).toHaveLength(150);
  });

  it.each([400, 401, 403, 410])('ends at once with the status %i, without the verifier', async (status) => {
    const { backend, attempt, sleep, server } = await setUp({});
    server.answer(POLL, { status, json: { message: `bad ${attempt.verifier}` } });
    const failure: unknown = await awaitBrowserLogin(backend, attempt, { signal: never, sleep }).catch(
      (e) => e,
    );
    expect(String(failure)).toContain(`refused the login (status ${status}: bad [redacted])`);
    expect(String(failure)).not.toContain(attempt.verifier);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up a backend that cannot be reached, and says nothing of the query', async () => {
    const { server, backend, attempt, sleep, waits } = await setUp({});
    await server.close();
    const failure: unknown = await awaitBrowserLogin(backend, attempt, { signal: never, sleep }).catch(
      (e) => e,
    );
    expect(failure).toMatchObject({ code: 'upstream-unavailable' });
    expect(String(failure)).toContain(`${server.host} cannot be reached (ECONNREFUSED)`);
    expect(String(failure)).not.toContain(attempt.verifier);
    expect(waits).toHaveLength(5);
  });

  it('stops when it is interrupted', async () => {
    const { backend, attempt, server } = await setUp({ [POLL]: { status: 404 } });
    const interrupt = new AbortController();
    const sleep = async () => {
      if (server.requests.length === 2) interrupt.abort();
    };
    const login = awaitBrowserLogin(backend, attempt, { signal: interrupt.signal, sleep });
    await expect(login).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('the name of an account', () => {
  const grant = { accessToken: makeToken(0, 'auth0|7'), authId: 'auth0|8' };

  it('is what the backend says', async () => {
    const bytes = toBinary(
      GetMeResponseSchema,
      create(GetMeResponseSchema, { authId: 'a', email: 'ada@example.org' }),
    );
    const { backend, server } = await setUp({ [ME]: { bytes } });
    expect(await readAccountName(backend, grant, never)).toBe('ada@example.org');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${grant.accessToken}`,
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
    });
  });

  it.each<[string, AuthAnswer]>([
    ['nothing', { bytes: new Uint8Array() }],
    ['an error', { status: 404 }],
    ['noise', { bytes: Uint8Array.of(0x0a, 0xff, 0xff) }],
  ])('is the id of the grant or the token when the backend answers %s', async (_, answer) => {
    const { backend } = await setUp({ [ME]: answer });
    expect(await readAccountName(backend, grant, never)).toBe('auth0|8');
    expect(await readAccountName(backend, { accessToken: grant.accessToken }, never)).toBe('auth0|7');
    expect(await readAccountName(backend, { accessToken: 'opaque' }, never)).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('is told to the backend with the token', async () => {
    const { backend, server } = await setUp({ 'POST /auth/logout': {} });
    expect(await endSession(backend, 'token', never)).toBe(true);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer token');
    server.answer('POST /auth/logout', { status: 401 });
    expect(await endSession(backend, 'token', never)).toBe(false);
  });
});

describe('a request to an account endpoint', () => {
  it('follows no redirect, so that no key goes elsewhere', async () => {
    const baseUrl = 'http://127.0.0.1:2';
    let seen: RequestInit | undefined;
    const call = createFetchCall({
      baseUrl,
      fetch: async (_, init) => {
        seen = init;
        return new Response('x');
      },
    });
    await call({ method: 'GET', path: '/', headers: {}, signal: never });
    expect(seen?.redirect).toBe('error');
  });

  it('has a bound in time and in size', async () => {
    const hanging = await startAuthServer({ 'GET /': { after: new Promise(() => {}) } });
    onTestFinished(() => hanging.close());
    const call = createFetchCall({ baseUrl: hanging.baseUrl, fetch, timeoutMs: 20 });
    const request = { method: 'GET', path: '/', headers: {}, signal: never } as const;
    await expect(call(request)).rejects.toMatchObject({ code: 'deadline-exceeded' });
    hanging.answer('GET /', { bytes: new Uint8Array(1024 * 1024 + 1) });
    const patient = createFetchCall({ baseUrl: hanging.baseUrl, fetch });
    await expect(patient(request)).rejects.toMatchObject({ code: 'upstream-malformed' });
  });
});

describe('the claims of a token', () => {
  it.each([
    [makeToken(1_700_000_000_000, 'me'), { expiresAtMs: 1_700_000_000_000, subject: 'me' }],
    ['tok-abc', {}],
    ['a.b.c', {}],
    [`a.${Buffer.from('[1]').toString('base64url')}.c`, {}],
    [`a.${Buffer.from('{"exp":"soon","sub":5}').toString('base64url')}.c`, {}],
  ])('of %s are %j', (token, claims) => expect(readTokenClaims(token)).toEqual(claims));
});
