import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, GatewayError } from '../../core/index.ts';
import { decodeErrorResponse, decodeStreamError, encodeError, encodeStreamError } from './errors.ts';

const STATUSES: Record<ErrorCode, number> = {
  'invalid-request': 400,
  unauthenticated: 401,
  'permission-denied': 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'rate-limited': 429,
  'quota-exceeded': 429,
  'context-overflow': 400,
  'content-filtered': 400,
  'upstream-rejected': 502,
  'upstream-unavailable': 503,
  'upstream-malformed': 502,
  'deadline-exceeded': 504,
  cancelled: 499,
  unimplemented: 501,
  internal: 500,
};

describe('an error on its way out', () => {
  it.each(ERROR_CODES)('%s has its status and the envelope of OpenAI', (code) => {
    const reply = encodeError(new GatewayError(code, 'What happened.'));
    expect(reply.status).toBe(STATUSES[code]);
    expect(reply.body).toMatchObject({
      error: { message: 'What happened.', type: expect.any(String), param: null },
    });
  });

  it.each(ERROR_CODES)('%s has a code inside a stream', (code) => {
    expect(encodeStreamError(new GatewayError(code, 'x')).code).toMatch(
      /^(server_error|rate_limit_exceeded|insufficient_quota|context_length_exceeded|invalid_prompt)$/,
    );
  });

  it('names the field, the finer code and the time to wait', () => {
    const error = new GatewayError('rate-limited', 'x', {
      retryAfterMs: 1500,
      detail: { param: 'input', reason: 'tokens' },
    });
    const { headers, body } = encodeError(error);
    expect(headers).toEqual({ 'retry-after': '2', 'retry-after-ms': '1500' });
    expect(body).toMatchObject({ error: { param: 'input', code: 'tokens' } });
  });

  it("keeps the status of an upstream's refusal that concerns the client's request", () => {
    const rejected = (upstreamStatus: number) =>
      encodeError(new GatewayError('upstream-rejected', 'x', { detail: { upstreamStatus } })).status;
    expect([400, 404, 422, 401, 418].map(rejected)).toEqual([400, 404, 422, 502, 502]);
  });
});

describe('an error from an upstream', () => {
  const body = (error: object) => JSON.stringify({ error });
  it.each<[number, string, ErrorCode]>([
    [400, body({ message: 'Bad field.', param: 'input' }), 'upstream-rejected'],
    [400, body({ message: 'x', code: 'context_length_exceeded' }), 'context-overflow'],
    [400, body({ message: 'Your input exceeds the context window of this model.' }), 'context-overflow'],
    [400, body({ message: 'x', code: 'content_filter' }), 'content-filtered'],
    [401, body({ message: 'Incorrect API key provided: sk-abcdef123456' }), 'upstream-rejected'],
    [404, body({ message: 'No such model.' }), 'upstream-rejected'],
    [429, body({ message: 'x', code: 'rate_limit_exceeded' }), 'rate-limited'],
    [429, body({ message: 'x', code: 'insufficient_quota' }), 'quota-exceeded'],
    [500, 'Internal', 'upstream-unavailable'],
    [502, '<html></html>', 'upstream-unavailable'],
  ])('%i %s is %s', (status, text, code) => {
    const error = decodeErrorResponse(status, {}, text);
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('sk-');
    expect(error.detail?.upstreamStatus).toBe(status);
  });

  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 4000],
    [{}, undefined],
  ])('reads the time to wait from %j', (headers, wait) => {
    expect(decodeErrorResponse(429, headers, '{}', 1000).retryAfterMs).toBe(wait);
  });

  it.each<[object | undefined, ErrorCode]>([
    [{ code: 'rate_limit_exceeded', message: 'x' }, 'rate-limited'],
    [{ code: 'server_error', message: 'x' }, 'upstream-unavailable'],
    [{ code: 'invalid_prompt', message: 'x' }, 'upstream-rejected'],
    [{ code: 'context_length_exceeded', message: 'x' }, 'context-overflow'],
    [undefined, 'upstream-unavailable'],
  ])('inside a stream %j is %s', (value, code) => {
    expect(decodeStreamError(value as never).code).toBe(code); // the table holds JSON
  });

  it('reads the time to wait out of the words of a stream error', () => {
    const message = 'Rate limit reached. Please try again in 1.2s.';
    expect(decodeStreamError({ code: 'rate_limit_exceeded', message }).retryAfterMs).toBe(1200);
  });
});
