import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, GatewayError } from '../../core/index.ts';
import { decodeErrorEvent, decodeErrorResponse, encodeError } from './errors.ts';

const TABLE: Record<ErrorCode, [status: number, type: string]> = {
  'invalid-request': [400, 'invalid_request_error'],
  unauthenticated: [401, 'authentication_error'],
  'permission-denied': [403, 'permission_error'],
  'not-found': [404, 'not_found_error'],
  conflict: [409, 'invalid_request_error'],
  'too-large': [413, 'request_too_large'],
  'rate-limited': [429, 'rate_limit_error'],
  'quota-exceeded': [402, 'billing_error'],
  'context-overflow': [400, 'invalid_request_error'],
  'content-filtered': [400, 'invalid_request_error'],
  'upstream-rejected': [502, 'api_error'],
  'upstream-unavailable': [529, 'overloaded_error'],
  'upstream-malformed': [502, 'api_error'],
  'deadline-exceeded': [504, 'timeout_error'],
  cancelled: [499, 'api_error'],
  unimplemented: [501, 'api_error'],
  internal: [500, 'api_error'],
};

describe('errors for clients of the Messages API', () => {
  it.each(ERROR_CODES)('%s has its status and type', (code) => {
    const [status, type] = TABLE[code];
    const reply = encodeError(new GatewayError(code, 'what happened'));
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({
      type: 'error',
      error: { type, message: expect.stringContaining('what happened') },
      request_id: null,
    });
  });

  it.each([400, 404, 422])(
    'an upstream’s %i about the client’s request keeps its status',
    (upstreamStatus) => {
      const error = new GatewayError('upstream-rejected', 'm', { detail: { upstreamStatus } });
      expect(encodeError(error).status).toBe(upstreamStatus);
    },
  );

  it('says when to come again, and forbids retries that cannot help', () => {
    const limited = new GatewayError('rate-limited', 'm', { retryAfterMs: 1200 });
    expect(encodeError(limited).headers).toEqual({ 'retry-after': '2', 'retry-after-ms': '1200' });
    expect(encodeError(new GatewayError('internal', 'm')).headers).toEqual({ 'x-should-retry': 'false' });
  });

  it('uses the words at which Claude Code compacts its history', () => {
    const body = encodeError(new GatewayError('context-overflow', 'context_length_exceeded')).body;
    expect(body).toMatchObject({ error: { message: 'prompt is too long: context_length_exceeded' } });
  });

  it('tells Anthropic’s SDK to go on without threads', () => {
    const detail = { param: 'thread', reason: 'thread_unsupported_request' };
    expect(encodeError(new GatewayError('invalid-request', 'm', { detail })).body).toMatchObject({
      error: { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } },
    });
  });
});

describe('errors from an Anthropic upstream', () => {
  const body = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } });

  it.each([
    [400, 'invalid_request_error', 'max_tokens: bad', 'upstream-rejected'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context-overflow'],
    [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit', 'context-overflow'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'quota-exceeded'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content-filtered'],
    [401, 'authentication_error', 'invalid x-api-key', 'upstream-rejected'],
    [402, 'billing_error', 'pay', 'quota-exceeded'],
    [403, 'permission_error', 'no', 'upstream-rejected'],
    [404, 'not_found_error', 'model: x', 'upstream-rejected'],
    [413, 'request_too_large', 'big', 'too-large'],
    [429, 'rate_limit_error', 'slow down', 'rate-limited'],
    [500, 'api_error', 'oops', 'upstream-unavailable'],
    [504, 'timeout_error', 'slow', 'deadline-exceeded'],
    [529, 'overloaded_error', 'Overloaded', 'upstream-unavailable'],
  ])('%i %s "%s" is %s, as an answer and in mid-stream', (status, type, message, code) => {
    expect(decodeErrorResponse(status, {}, body(type, message))).toMatchObject({
      code,
      detail: { upstreamStatus: status },
    });
    expect(decodeErrorEvent({ type: 'error', error: { type, message } }).code).toBe(code);
  });

  it('says nothing of keys, whose text an upstream may quote', () => {
    const refused = decodeErrorResponse(
      401,
      {},
      body('authentication_error', 'bad key sk-ant-api03-abcdefgh'),
    );
    expect(refused.message).toMatch(/refused the gateway's credentials \(HTTP 401\)/);
    const other = decodeErrorResponse(400, {}, body('invalid_request_error', 'with sk-ant-api03-abcdefgh'));
    expect(other.message).not.toContain('abcdefgh');
  });

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 9000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads the wait from %j', (headers, retryAfterMs) => {
    expect(decodeErrorResponse(429, headers, '{}', 1000).retryAfterMs).toBe(retryAfterMs);
  });

  it.each(['', '<html>bad gateway</html>', '[]', '{"error":"text"}', '{"detail":"text"}', 'null'])(
    'makes sense of the body %j',
    (text) => {
      expect(decodeErrorResponse(502, {}, text)).toMatchObject({ code: 'upstream-unavailable' });
    },
  );
});
