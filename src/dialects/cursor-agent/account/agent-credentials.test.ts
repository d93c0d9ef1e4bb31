import { describe, expect, it, onTestFinished } from 'vitest';
import { type AuthAnswer, makeToken, startAuthServer } from '../../../../test/support/auth-server.ts';
import { type CredentialVault, credentialName, type StoredCredential } from '../../../config/credentials.ts';
import { GatewayError } from '../../../core/index.ts';
import type { AgentCredentials } from '../agent-connection.ts';
import { type AgentCredentialsOptions, createAgentCredentials } from './agent-credentials.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const EXCHANGE = 'POST /auth/exchange_user_api_key';
const REFRESH = 'POST /auth/refresh';
const OAUTH = 'POST /oauth/token';
const never = new AbortController().signal;

function memoryVault(): CredentialVault & { readonly kept: Map<string, StoredCredential> } {
  const kept = new Map<string, StoredCredential>();
  return {
    kept,
    names: async () => [...kept.keys()],
    read: async (name) => kept.get(name),
    write: async (name, credential) => {
      kept.set(name, credential);
      return 'memory';
    },
    remove: async (name) => kept.delete(name),
  };
}

interface Setup extends Omit<AgentCredentialsOptions, 'nowMs' | 'baseUrl'> {
  readonly stored?: StoredCredential;
}

async function setUp(answers: Readonly<Record<string, AuthAnswer>>, setup: Setup = {}) {
  const server = await startAuthServer(answers);
  onTestFinished(() => server.close());
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const vault = memoryVault();
  const name = credentialName(server.baseUrl);
  if (setup.stored) vault.kept.set(name, setup.stored);
  const secrets: string[] = [];
  const credentials = createAgentCredentials({
    vault,
    onSecret: (secret) => secrets.push(secret),
    ...setup,
    baseUrl: server.baseUrl,
    nowMs: () => clock.nowMs,
  });
  return { server, clock, vault, name, secrets, credentials };
}

async function failureOf(credentials: AgentCredentials): Promise<GatewayError> {
  const thrown: unknown = await credentials.accessToken(never).catch((reason: unknown) => reason);
  if (thrown instanceof GatewayError) return thrown;
  throw new Error(`no failure but ${String(thrown)}`);
}

/** Answers token-1, token-2, … */
function counting(makeNext: (count: number) => string = (count) => `token-${count}`): AuthAnswer {
  let count = 0;
  return () => ({ json: { accessToken: makeNext(++count) } });
}

describe('an access token that is given', () => {
  it('is used as it is, before key and login, and nobody is asked', async () => {
    const { credentials, server } = await setUp({}, { accessToken: 'given', apiKey: 'crsr_key' });
    expect(await credentials.accessToken(never)).toBe('given');
    expect(server.requests).toEqual([]);
  });

  it('fails with the remedy once it is refused or expired', async () => {
    const { credentials, server } = await setUp({}, { accessToken: 'given', apiKey: 'crsr_key' });
    credentials.refuse('another');
    expect(await credentials.accessToken(never)).toBe('given');
    credentials.refuse('given');
    const refused = await failureOf(credentials);
    expect(refused.code).toBe('unauthenticated');
    expect(refused.message).toContain('was refused');
    expect(refused.message).toContain('crosspoint login');
    expect(refused.message).toContain('CURSOR_API_KEY');
    const old = await setUp({}, { accessToken: makeToken(Date.UTC(2025, 11, 31)) });
    expect((await failureOf(old.credentials)).message).toContain('expired on 2025-12-31T00:00:00.000Z');
    expect(server.requests).toEqual([]);
  });
});

describe('an API key', () => {
  it('is exchanged once and shared by all who ask at the same time', async () => {
    const { credentials, server, secrets } = await setUp({ [EXCHANGE]: counting() }, { apiKey: 'crsr_key' });
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => credentials.accessToken(new AbortController().signal)),
    );
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    expect(await credentials.accessToken(never)).toBe('token-1');
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      body: '{}',
      headers: { authorization: 'Bearer crsr_key', 'content-type': 'application/json' },
    });
    expect(new Set(secrets)).toEqual(new Set(['crsr_key', 'token-1']));
  });

  it('is exchanged again before the token expires', async () => {
    const start = Date.UTC(2026, 0, 1);
    const exchange = counting((count) => makeToken(start + count * DAY_MS));
    const { credentials, server, clock } = await setUp({ [EXCHANGE]: exchange }, { apiKey: 'crsr_key' });
    const first = await credentials.accessToken(never);
    clock.nowMs = start + DAY_MS - 6 * MINUTE_MS;
    expect(await credentials.accessToken(never)).toBe(first);
    clock.nowMs = start + DAY_MS - 4 * MINUTE_MS;
    expect(await credentials.accessToken(never)).toBe(makeToken(start + 2 * DAY_MS));
    expect(server.requests).toHaveLength(2);
  });

  it('is exchanged once after a refusal, however many turns report it', async () => {
    const { credentials, server } = await setUp({ [EXCHANGE]: counting() }, { apiKey: 'crsr_key' });
    const token = await credentials.accessToken(never);
    for (let turn = 0; turn < 5; turn++) credentials.refuse(token);
    const next = await Promise.all([1, 2, 3].map(() => credentials.accessToken(never)));
    expect(next).toEqual(['token-2', 'token-2', 'token-2']);
    credentials.refuse(token); // a latecomer, about the old one
    expect(await credentials.accessToken(never)).toBe('token-2');
    expect(server.requests).toHaveLength(2);
  });

  it('is left in peace for a minute when new tokens are refused as well', async () => {
    const { credentials, server, clock } = await setUp({ [EXCHANGE]: counting() }, { apiKey: 'crsr_key' });
    credentials.refuse(await credentials.accessToken(never));
    credentials.refuse(await credentials.accessToken(never));
    expect((await failureOf(credentials)).message).toContain(
      'refuses even tokens that it has just handed out',
    );
    await failureOf(credentials);
    expect(server.requests).toHaveLength(2);
    clock.nowMs += MINUTE_MS;
    expect(await credentials.accessToken(never)).toBe('token-3');
  });

  it('brings another token or none: the refused one is not handed out again', async () => {
    const { credentials } = await setUp(
      { [EXCHANGE]: { json: { accessToken: 'same' } } },
      { apiKey: 'crsr_key' },
    );
    credentials.refuse(await credentials.accessToken(never));
    expect((await failureOf(credentials)).code).toBe('unauthenticated');
  });

  it('that is wrong fails with the backend’s words, the remedy and without the key', async () => {
    const answer = { status: 401, json: { error: { message: 'Invalid User API Key crsr_key\nsorry' } } };
    const { credentials, server, clock } = await setUp({ [EXCHANGE]: answer }, { apiKey: 'crsr_key' });
    const failure = await failureOf(credentials);
    expect(failure.code).toBe('unauthenticated');
    expect(failure.message).toContain(
      'does not accept the API key (status 401: Invalid User API Key [redacted] sorry)',
    );
    expect(failure.message).toContain('CURSOR_API_KEY');
    expect(failure.message).toContain(`crosspoint login --base-url ${server.baseUrl}`);
    expect(failure.message).not.toContain('crsr_key');
    await failureOf(credentials);
    expect(server.requests).toHaveLength(1);
    clock.nowMs += MINUTE_MS;
    await failureOf(credentials);
    expect(server.requests).toHaveLength(2);
  });

  it('that cannot stand in a header is never sent, nor quoted', async () => {
    const { credentials, server } = await setUp({}, { apiKey: 'crsr_one\ncrsr_two' });
    const failure = await failureOf(credentials);
    expect(failure.message).toContain('Copy it again');
    expect(JSON.stringify([failure.message, String(failure.cause)])).not.toContain('crsr_');
    expect(server.requests).toEqual([]);
  });

  it.each([
    [{ status: 503 }, 'upstream-unavailable'],
    [{ status: 429, json: { message: 'slow down' } }, 'rate-limited'],
    [{ status: 403, json: { message: 'not in this region' } }, 'upstream-rejected'],
    [{ status: 200, json: { hello: 'world' } }, 'upstream-malformed'],
    [{ status: 200, json: { accessToken: 'two\nlines' } }, 'upstream-malformed'],
  ] as const)('fails on the answer %j with %s, and is tried again at the next call', async (answer, code) => {
    const { credentials, server } = await setUp({ [EXCHANGE]: answer }, { apiKey: 'crsr_key' });
    expect((await failureOf(credentials)).code).toBe(code);
    server.answer(EXCHANGE, { json: { accessToken: 'at-last' } });
    expect(await credentials.accessToken(never)).toBe('at-last');
  });

  it('works on with the token in hand while a new one is due and does not come', async () => {
    const start = Date.UTC(2026, 0, 1);
    const expiresAtMs = start + DAY_MS;
    const exchange = { json: { accessToken: makeToken(expiresAtMs) } };
    const { credentials, server, clock } = await setUp({ [EXCHANGE]: exchange }, { apiKey: 'crsr_key' });
    const token = await credentials.accessToken(never);
    server.answer(EXCHANGE, { status: 500 });
    clock.nowMs = expiresAtMs - 2 * MINUTE_MS;
    expect(await credentials.accessToken(never)).toBe(token);
    expect(await credentials.accessToken(never)).toBe(token);
    expect(server.requests).toHaveLength(2); // not at every call
    clock.nowMs = expiresAtMs;
    expect((await failureOf(credentials)).code).toBe('upstream-unavailable');
  });

  it('is not exchanged at every call by a clock that is far ahead', async () => {
    const exchange = counting(() => makeToken(Date.UTC(2020, 0, 1)));
    const { credentials, server } = await setUp({ [EXCHANGE]: exchange }, { apiKey: 'crsr_key' });
    await credentials.accessToken(never);
    await credentials.accessToken(never);
    expect(server.requests).toHaveLength(1);
  });

  it('lets one caller leave without disturbing the others', async () => {
    let release: () => void = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const exchange = { json: { accessToken: 'token' }, after };
    const { credentials, server } = await setUp({ [EXCHANGE]: exchange }, { apiKey: 'crsr_key' });
    const leaving = new AbortController();
    const left = credentials.accessToken(leaving.signal);
    const staying = credentials.accessToken(never);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    release();
    expect(await staying).toBe('token');
    await expect(credentials.accessToken(leaving.signal)).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a stored login', () => {
  const start = Date.UTC(2026, 0, 1);
  const fresh: StoredCredential & { kind: 'login' } = {
    kind: 'login',
    accessToken: makeToken(start + DAY_MS),
    refreshToken: 'refresh-1',
    savedAtMs: 0,
  };
  const stale: StoredCredential & { kind: 'login' } = { ...fresh, accessToken: makeToken(start - DAY_MS) };

  it('is used as long as its token lives', async () => {
    const { credentials, server } = await setUp({}, { stored: fresh });
    expect(await credentials.accessToken(never)).toBe(fresh.accessToken);
    expect(server.requests).toEqual([]);
  });

  it('is refreshed by the first way that works, which is remembered', async () => {
    const { credentials, server, vault, name, clock } = await setUp(
      {
        [EXCHANGE]: { status: 401, json: { message: 'Invalid User API key' } },
        [REFRESH]: { status: 404 },
        [OAUTH]: { json: { access_token: makeToken(start + DAY_MS), refresh_token: 'refresh-2' } },
      },
      { stored: stale },
    );
    expect(await credentials.accessToken(never)).toBe(makeToken(start + DAY_MS));
    expect(server.targets()).toEqual([EXCHANGE, REFRESH, OAUTH]);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer refresh-1');
    expect(server.requests[1]?.headers.authorization).toBe('Bearer refresh-1');
    expect(server.requests[2]?.headers.authorization).toBeUndefined();
    expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({
      grant_type: 'refresh_token',
      client_id: 'crosspoint',
      refresh_token: 'refresh-1',
    });
    expect(vault.kept.get(name)).toMatchObject({
      refreshToken: 'refresh-2',
      refreshVia: 'oauth',
      savedAtMs: start,
    });
    clock.nowMs += DAY_MS;
    await credentials.accessToken(never);
    expect(server.targets().slice(3)).toEqual([OAUTH]);
    expect(JSON.parse(server.requests[3]?.body ?? '')).toMatchObject({ refresh_token: 'refresh-2' });
  });

  it('keeps its refresh token when the answer brings none', async () => {
    const { credentials, vault, name } = await setUp({ [EXCHANGE]: counting() }, { stored: stale });
    expect(await credentials.accessToken(never)).toBe('token-1');
    expect(vault.kept.get(name)).toMatchObject({ accessToken: 'token-1', refreshToken: 'refresh-1' });
  });

  it('goes on to the next way when a page answers 200 without a token', async () => {
    const answers = { [EXCHANGE]: { json: {} }, [REFRESH]: { json: { accessToken: 'new' } } };
    const { credentials } = await setUp(answers, { stored: stale });
    expect(await credentials.accessToken(never)).toBe('new');
  });

  it('is refreshed once for all who wait, and once after a refusal', async () => {
    const { credentials, server } = await setUp({ [EXCHANGE]: counting() }, { stored: fresh });
    credentials.refuse(await credentials.accessToken(never));
    const tokens = await Promise.all([1, 2, 3].map(() => credentials.accessToken(never)));
    expect(tokens).toEqual(['token-1', 'token-1', 'token-1']);
    expect(server.requests).toHaveLength(1);
  });

  it('that nobody refreshes ends with the remedy and without its token', async () => {
    const refusal = {
      status: 400,
      json: { error: 'invalid_grant', error_description: 'refresh-1 is spent' },
    };
    const answers = { [EXCHANGE]: refusal, [REFRESH]: refusal, [OAUTH]: refusal };
    const { credentials, server } = await setUp(answers, { stored: stale });
    const failure = await failureOf(credentials);
    expect(failure.code).toBe('unauthenticated');
    expect(failure.message).toContain('has ended (status 400: [redacted] is spent). Run `crosspoint login');
    await failureOf(credentials);
    expect(server.requests).toHaveLength(3);
  });

  it('is not given up because the backend is in trouble', async () => {
    const answers = { [EXCHANGE]: { status: 401 }, [REFRESH]: { status: 503 }, [OAUTH]: { status: 401 } };
    const { credentials, server } = await setUp(answers, { stored: stale });
    expect(await failureOf(credentials)).toMatchObject({ code: 'upstream-unavailable', retryable: true });
    server.answer(REFRESH, { json: { accessToken: 'token' } });
    expect(await credentials.accessToken(never)).toBe('token');
  });

  it('is used to its very end when it cannot be refreshed', async () => {
    const token = makeToken(start + 2 * MINUTE_MS);
    const { credentials, clock } = await setUp(
      { [EXCHANGE]: { status: 500 } },
      { stored: { ...fresh, accessToken: token } },
    );
    expect(await credentials.accessToken(never)).toBe(token);
    clock.nowMs += 2 * MINUTE_MS;
    expect((await failureOf(credentials)).code).toBe('upstream-unavailable');
  });

  it('of another process, or a new one while this one runs, is noticed', async () => {
    const refusal = { status: 401 };
    const { credentials, vault, name } = await setUp({ [EXCHANGE]: refusal }, { stored: fresh });
    credentials.refuse(await credentials.accessToken(never));
    await failureOf(credentials);
    const accessToken = makeToken(start + 2 * DAY_MS);
    vault.kept.set(name, { ...fresh, accessToken, refreshToken: 'refresh-9', savedAtMs: 1 });
    expect(await credentials.accessToken(never)).toBe(accessToken);
  });

  it('does not come back when the user logs out during a refresh', async () => {
    const context: { forget?: () => void } = {};
    const answers = {
      [EXCHANGE]: () => {
        context.forget?.();
        return { json: { accessToken: 'token' } };
      },
    };
    const { credentials, vault, name } = await setUp(answers, { stored: stale });
    context.forget = () => vault.kept.delete(name);
    expect(await credentials.accessToken(never)).toBe('token');
    expect(vault.kept.size).toBe(0);
  });

  it('serves on when the vault cannot be written', async () => {
    const vault: CredentialVault = {
      ...memoryVault(),
      read: async () => stale,
      write: () => Promise.reject(new Error('full')),
    };
    const { credentials, secrets } = await setUp({ [EXCHANGE]: counting() }, { vault });
    expect(await credentials.accessToken(never)).toBe('token-1');
    expect(new Set(secrets)).toEqual(new Set(['refresh-1', stale.accessToken, 'token-1']));
  });

  it('never brings back a token that was refused, even if the vault still holds it', async () => {
    const vault: CredentialVault = {
      ...memoryVault(),
      read: async () => fresh,
      write: () => Promise.reject(new Error('full')),
    };
    const { credentials } = await setUp({ [EXCHANGE]: counting() }, { vault });
    const tokens: string[] = [];
    for (let round = 0; round < 2; round++) {
      tokens.push(await credentials.accessToken(never));
      credentials.refuse(tokens.at(-1) ?? '');
    }
    expect(tokens).toEqual([fresh.accessToken, 'token-1']);
    expect(await credentials.accessToken(never)).toBe('token-2');
  });

  it('may be an API key', async () => {
    const stored: StoredCredential = { kind: 'api-key', apiKey: 'crsr_stored', savedAtMs: 0 };
    const { credentials, server } = await setUp({ [EXCHANGE]: counting() }, { stored });
    expect(await credentials.accessToken(never)).toBe('token-1');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer crsr_stored');
  });

  it('is not looked for when a key is configured', async () => {
    const { credentials } = await setUp({ [EXCHANGE]: counting() }, { stored: fresh, apiKey: 'crsr_key' });
    expect(await credentials.accessToken(never)).toBe('token-1');
  });

  it('that is missing says how to get one', async () => {
    const { credentials, server } = await setUp({});
    const failure = await failureOf(credentials);
    expect(failure.message).toBe(
      `There is no account for ${server.host}. Run \`crosspoint login --base-url ${server.baseUrl}\`, or set ` +
        'CURSOR_API_KEY (apiKey of the upstream).',
    );
    const atCursor = createAgentCredentials({ nowMs: () => 0 });
    expect((await failureOf(atCursor)).message).toContain('for api2.cursor.sh. Run `crosspoint login`, or');
  });
});
