import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, GatewayError } from '../core/index.ts';
import { decodeErrorObject, decodeErrorResponse, encodeError } from './openai-errors.ts';

const EXPECTED: Record<ErrorCode, [status: number, code: string | null]> = {
  'invalid-request': [400, null],
  unauthenticated: [401, 'invalid_api_key'],
  'permission-denied': [403, 'permission_denied'],
  'not-found': [404, 'not_found'],
  conflict: [409, 'conflict'],
  'too-large': [413, 'request_too_large'],
  'rate-limited': [429, 'rate_limit_exceeded'],
  'quota-exceeded': [429, 'insufficient_quota'],
  'context-overflow': [400, 'context_length_exceeded'],
  'content-filtered': [400, 'content_filter'],
  'upstream-rejected': [502, 'upstream_rejected'],
  'upstream-unavailable': [503, 'upstream_unavailable'],
  'upstream-malformed': [502, 'upstream_malformed'],
  'deadline-exceeded': [504, 'deadline_exceeded'],
  cancelled: [499, 'cancelled'],
  unimplemented: [501, 'unimplemented'],
  internal: [500, 'internal_error'],
};

describe('an error for the client', () => {
  it.each(ERROR_CODES)('%s has its status and the envelope', (code) => {
    const reply = encodeError(new GatewayError(code, 'what happened'));
    const [status, wireCode] = EXPECTED[code];
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({
      error: { message: 'what happened', type: expect.any(String), param: null, code: wireCode },
    });
  });

  it('names the field and the finer code', () => {
    const error = new GatewayError('not-found', 'x', {
      detail: { param: 'model', reason: 'model_not_found' },
    });
    expect(encodeError(error).body).toMatchObject({ error: { param: 'model', code: 'model_not_found' } });
  });

  it('says when to come back, and when not to', () => {
    expect(encodeError(new GatewayError('rate-limited', 'x', { retryAfterMs: 1500 })).headers).toEqual({
      'retry-after': '2',
      'retry-after-ms': '1500',
    });
    expect(encodeError(new GatewayError('quota-exceeded', 'x')).headers).toEqual({
      'x-should-retry': 'false',
    });
  });

  it.each([
    [400, 400],
    [404, 404],
    [422, 422],
    [401, 502],
    [405, 502],
  ])('a refusal of the upstream with %i is a %i', (upstreamStatus, status) => {
    expect(
      encodeError(new GatewayError('upstream-rejected', 'x', { detail: { upstreamStatus } })).status,
    ).toBe(status);
  });
});

describe('an error of the upstream', () => {
  const body = (error: object) => JSON.stringify({ error });

  it.each<[string, number, string, ErrorCode]>([
    ['wrong key', 401, body({ message: 'Incorrect API key provided: sk-abcdef123456' }), 'upstream-rejected'],
    ['no right', 403, body({ message: 'x' }), 'upstream-rejected'],
    ['no model', 404, body({ message: 'no such model', code: 'model_not_found' }), 'upstream-rejected'],
    ['wrong field', 400, body({ message: 'bad', param: 'tools' }), 'upstream-rejected'],
    ['rate', 429, body({ message: 'slow down', code: 'rate_limit_exceeded' }), 'rate-limited'],
    ['quota', 429, body({ message: 'pay', code: 'insufficient_quota' }), 'quota-exceeded'],
    ['balance (DeepSeek)', 402, body({ message: 'Insufficient Balance' }), 'quota-exceeded'],
    ['overflow by code', 400, body({ message: 'x', code: 'context_length_exceeded' }), 'context-overflow'],
    [
      'overflow in words',
      400,
      body({ message: "This model's maximum context length is 8192 tokens." }),
      'context-overflow',
    ],
    [
      'overflow (llama.cpp)',
      400,
      body({ message: 'the request exceeds the available context size' }),
      'context-overflow',
    ],
    ['filter (Azure)', 400, body({ message: 'x', code: 'content_filter' }), 'content-filtered'],
    ['broken server', 500, 'Internal Server Error', 'upstream-unavailable'],
    ['proxy page', 502, '<html><body>Bad Gateway</body></html>', 'upstream-unavailable'],
    ['array (Google)', 429, JSON.stringify([{ error: { code: 429, message: 'x' } }]), 'rate-limited'],
    [
      'FastAPI',
      422,
      JSON.stringify({ detail: [{ loc: ['body', 'n'], msg: 'too big' }] }),
      'upstream-rejected',
    ],
    ['time-out', 408, '', 'deadline-exceeded'],
  ])('%s', (_what, status, text, code) => {
    const error = decodeErrorResponse(status, {}, text);
    expect(error.code).toBe(code);
    expect(error.detail?.upstreamStatus).toBe(status);
    expect(error.message).not.toMatch(/sk-abc|<html/);
  });

  it('keeps the message, field and code for the client', () => {
    const error = decodeErrorResponse(400, {}, body({ message: 'bad tool', param: 'tools', code: 'odd' }));
    expect(error.message).toContain('bad tool');
    expect(error.detail).toEqual({ param: 'tools', reason: 'odd', upstreamStatus: 400 });
    expect(
      decodeErrorResponse(422, {}, JSON.stringify({ detail: [{ loc: ['body', 'n'], msg: 'too big' }] }))
        .message,
    ).toContain('body.n: too big');
  });

  it('never repeats a key', () => {
    expect(
      decodeErrorResponse(400, {}, body({ message: 'key sk-proj-12345678 is odd' })).message,
    ).not.toContain('12345678');
  });

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:12 GMT' }, 2000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads when to come back from %j', (headers, expected) => {
    expect(decodeErrorResponse(429, headers, '', 10_000).retryAfterMs).toBe(expected);
  });

  it.each([
    [{ code: 429, message: 'x' }, 'rate-limited'],
    [{ type: 'invalid_request_error', message: 'x' }, 'upstream-rejected'],
    [{ type: 'server_error', message: 'x' }, 'upstream-unavailable'],
    [{ code: 'context_length_exceeded' }, 'context-overflow'],
    ['just text', 'upstream-unavailable'],
  ])('in mid-stream is told by its words: %j', (value, code) => {
    expect(decodeErrorObject(value).code).toBe(code);
  });
});
