import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countingIds } from '../../core/index.ts';
import { looksLikeToken, SessionTokens } from './session-tokens.ts';

const secret = Buffer.alloc(32, 1);
const START = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60_000;

function setUp() {
  const clock = { nowMs: START };
  const tokens = new SessionTokens({ secret, nowMs: () => clock.nowMs, newId: countingIds() });
  return { clock, tokens };
}

/** Signed with the true secret, whatever it says. */
function forge(header: object, claims: object, key = secret): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

describe('session tokens', () => {
  it('say whose they are and when they end, as any reader of JSON web tokens sees', () => {
    const { tokens } = setUp();
    const { accessToken, refreshToken } = tokens.issue('key_1', 'hash');
    const [header, payload] = accessToken.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header ?? '')).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(JSON.parse(payload ?? '')).toEqual({
      iss: 'crosspoint',
      aud: 'crosspoint',
      sub: 'key_1',
      type: 'session',
      sid: 'session_1',
      kh: 'hash',
      iat: START / 1000,
      exp: (START + DAY_MS) / 1000,
    });
    expect(tokens.read(accessToken)).toMatchObject({ type: 'session', subject: 'key_1', keyHash: 'hash' });
    expect(tokens.read(refreshToken)).toMatchObject({ type: 'refresh', sessionId: 'session_1' });
    expect(looksLikeToken(accessToken)).toBe(true);
    expect(looksLikeToken('xp_key')).toBe(false);
  });

  it('expire', () => {
    const { tokens, clock } = setUp();
    const { accessToken, refreshToken } = tokens.issue('key_1');
    clock.nowMs += DAY_MS - 1_000;
    expect(tokens.read(accessToken)).toBeDefined();
    clock.nowMs += 1_000;
    expect(tokens.read(accessToken)).toBeUndefined();
    expect(tokens.read(refreshToken)).toBeDefined();
    clock.nowMs += 30 * DAY_MS;
    expect(tokens.read(refreshToken)).toBeUndefined();
  });

  it('of an ended session open nothing, and others go on', () => {
    const { tokens } = setUp();
    const [one, two] = [tokens.issue('key_1'), tokens.issue('key_1')];
    tokens.end('session_1');
    expect(tokens.read(one.accessToken)).toBeUndefined();
    expect(tokens.read(one.refreshToken)).toBeUndefined();
    expect(tokens.read(two.accessToken)).toBeDefined();
  });

  const claims = {
    iss: 'crosspoint',
    aud: 'crosspoint',
    sub: 'key_1',
    type: 'session',
    sid: 's',
    iat: START / 1000,
    exp: START / 1000 + 60,
  };
  const header = { alg: 'HS256', typ: 'JWT' };

  it.each([
    ['another secret', forge(header, claims, Buffer.alloc(32, 2))],
    ['no signature', `${forge(header, claims).split('.').slice(0, 2).join('.')}.`],
    ['the algorithm none', forge({ alg: 'none', typ: 'JWT' }, claims)],
    ['another algorithm', forge({ alg: 'HS512', typ: 'JWT' }, claims)],
    ['another order of the header', forge({ typ: 'JWT', alg: 'HS256' }, claims)],
    ['a fourth part', `${forge(header, claims)}.x`],
    ['another issuer', forge(header, { ...claims, iss: 'somebody' })],
    ['another audience', forge(header, { ...claims, aud: 'somebody' })],
    ['another type', forge(header, { ...claims, type: 'admin' })],
    ['no end', forge(header, { ...claims, exp: undefined })],
    ['no subject', forge(header, { ...claims, sub: 7 })],
    ['nothing', ''],
    ['dots', '..'],
  ])('with %s are none', (_what, token) => {
    const { tokens } = setUp();
    expect(tokens.read(forge(header, claims))).toBeDefined();
    expect(tokens.read(token)).toBeUndefined();
  });

  it('with any changed character are none', () => {
    const { tokens } = setUp();
    const { accessToken } = tokens.issue('key_1');
    for (let index = 0; index < accessToken.length - 1; index++) {
      const changed = accessToken[index] === 'A' ? 'B' : 'A';
      expect(
        tokens.read(accessToken.slice(0, index) + changed + accessToken.slice(index + 1)),
      ).toBeUndefined();
    }
  });

  it('need a secret worth the name', () => {
    expect(
      () => new SessionTokens({ secret: Buffer.alloc(16), nowMs: () => 0, newId: countingIds() }),
    ).toThrow('at least 32 bytes');
  });
});
