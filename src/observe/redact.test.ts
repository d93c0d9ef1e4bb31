import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from './redact.ts';

describe('createRedactor', () => {
  const { redact } = createRedactor(['hunter2-hunter2', 'with"quote\\and/slash']);

  test.each([
    ['a known secret in prose', 'login with hunter2-hunter2 failed', 'hunter2'],
    ['a known secret in JSON', JSON.stringify({ a: 'with"quote\\and/slash' }), 'and/slash'],
    ['a known secret in a URL', `https://h/?x=${encodeURIComponent('with"quote\\and/slash')}`, '%5Cand'],
    ['a bearer token', 'Bearer abcdef.123456', 'abcdef'],
    ['an OpenAI-style key', 'invalid key sk-proj-abcdefgh12345678 given', 'abcdefgh'],
    ['a key of this gateway', `key xp_${'a1'.repeat(20)} revoked`, 'a1a1'],
    ['a query parameter', 'GET /v1/models?key=abc123&alt=sse', 'abc123'],
    ['a header in JSON', '{"x-api-key":"short","b":1}', 'short'],
    ['a header list in JSON', '{"set-cookie":["sid=1","t=2"],"b":1}', 'sid=1'],
    ['a raw header pair', '["X-Api-Key","short"]', 'short'],
    ['a header in JSON inside JSON', JSON.stringify({ body: '{"authorization":"Basic dTpw"}' }), 'dTpw'],
    ['a header in plain text', 'authorization: Basic dTpw', 'dTpw'],
    ['a cookie in plain text', 'Cookie: a=1; b=2', 'a=1'],
    ['a JSON web token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'c2ln'],
    ['a password in an address', 'redis://user:pa55word@host:6379', 'pa55word'],
  ])('removes %s', (_name, text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[redacted]');
  });

  test.each([
    'Send it as "Authorization: Bearer <key>" or "x-api-key: <key>".',
    'The bearer of this message knows the task-list.',
    'xp_Ab12Cd is the prefix of a key.',
    '{"keyId":"key_0123456789abcdefghijABCD"}',
    '{"inputTokens":12,"model":"gpt-4.1-mini"}',
  ])('leaves %s alone', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('leaves JSON that can still be parsed', () => {
    const line = JSON.stringify({
      headers: { authorization: 'Bearer abc123456', cookie: 'a="b"', 'x-api-key': 'ends\\\\' },
      body: JSON.stringify({ 'set-cookie': ['a', 'b'], authorization: 'c"d', last: 1 }),
      msg: 'ok',
    });
    const record = JSON.parse(redact(line));
    expect(record).toMatchObject({ msg: 'ok', headers: { cookie: '[redacted]', 'x-api-key': '[redacted]' } });
    expect(JSON.parse(record.body)).toEqual({
      'set-cookie': '[redacted]',
      authorization: '[redacted]',
      last: 1,
    });
  });

  test.each(['a-', 'eyJa-', 'sk-', '?key', 'authorization ', '"cookie":\\"', 'a://b:'])(
    'takes linear time on a long run of %s',
    (piece) => {
      const started = performance.now();
      redact(piece.repeat(200_000 / piece.length));
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );

  test('learns secrets later and removes the longer of two first', () => {
    const redactor = createRedactor(['abcdef']);
    redactor.addSecret('abcdef-and-more');
    expect(redactor.redact('abcdef-and-more')).toBe('[redacted]');
  });

  test('removes any secret from any nesting of JSON', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40 }).map((text) => `S3${text}`),
        fc.string(),
        (secret, around) => {
          const redactor = createRedactor([secret]);
          const inner = JSON.stringify({ [around]: `${around}${secret}${around}` });
          const outer = JSON.stringify({ message: inner, secret });
          expect(redactor.redact(outer)).not.toContain(secret);
          expect(redactor.redact(outer)).not.toContain(JSON.stringify(secret).slice(1, -1));
        },
      ),
    );
  });
});
