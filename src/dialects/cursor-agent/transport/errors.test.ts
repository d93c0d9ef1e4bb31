import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../core/index.ts';
import {
  type CustomErrorDetailsSchema,
  type ErrorDetails_Error,
  ErrorDetails_ErrorSchema,
  ErrorDetailsSchema,
} from '../../../gen/aiserver/v1/error_details_pb.ts';
import {
  CONNECT_CODES,
  type ConnectCode,
  type ConnectErrorDetail,
} from '../../../wire/connect-end-stream.ts';
import {
  BACKEND_ERRORS,
  CONNECT_ERRORS,
  CONVERSATION_LOST,
  decodeConnectError,
  decodeHttpError,
  UNTOLD_ERRORS,
} from './errors.ts';

const upstream = 'Upstream cursor (api.example)';
const decode = (code: ConnectCode, message: string, ...details: ConnectErrorDetail[]) =>
  decodeConnectError({ code, message, details }, { upstream });

type Words = MessageInitShape<typeof CustomErrorDetailsSchema>;

function detail(error: number, words: Words = {}) {
  // Any number may stand on the wire.
  const value = toBinary(
    ErrorDetailsSchema,
    create(ErrorDetailsSchema, { error: error as ErrorDetails_Error, details: words }),
  );
  return { type: 'aiserver.v1.ErrorDetails', value };
}

describe('errors of the agent backend', () => {
  it.each(CONNECT_CODES)('reads Connect code %s', (code) => {
    const error = decode(code, 'Something happened');
    expect(error.code).toBe(CONNECT_ERRORS[code]);
    expect(error.message).toContain('Upstream cursor (api.example) says: Something happened.');
    expect(error.detail?.reason).toBe(code);
  });

  const values = ErrorDetails_ErrorSchema.values.map(({ name, number }) => ({
    short: name.replace('ERROR_', ''),
    number,
  }));

  it.each(values)('reads ErrorDetails $number $short', ({ short, number }) => {
    const error = decode(
      'failed_precondition',
      'Error',
      detail(number, { title: 'Sorry.', detail: 'Not now' }),
    );
    expect(error.message).toContain('says: Sorry. Not now.');
    if (UNTOLD_ERRORS.has(short)) {
      expect(error.code).toBe(CONNECT_ERRORS.failed_precondition);
      expect(error.detail?.reason).toBe('failed_precondition');
    } else {
      expect(BACKEND_ERRORS).toHaveProperty(short);
      expect(error.code).toBe(BACKEND_ERRORS[short]);
      expect(error.detail?.reason).toBe(short.toLowerCase());
    }
  });

  it('has no row for an error that the backend does not know, and only codes of ours', () => {
    const known = new Set(values.map(({ short }) => short));
    expect(Object.keys(BACKEND_ERRORS).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.values(BACKEND_ERRORS).filter((code) => !ERROR_CODES.includes(code))).toEqual([]);
  });

  it('leaves a number it has never heard of to the Connect code', () => {
    expect(decode('unavailable', 'm', detail(9999)).code).toBe('upstream-unavailable');
  });

  it('tells a used-up plan from a rate by the words', () => {
    expect(decode('resource_exhausted', 'Too many requests').code).toBe('rate-limited');
    expect(decode('resource_exhausted', "You've hit your usage limit").code).toBe('quota-exceeded');
    expect(decode('resource_exhausted', 'Error', detail(50, { title: 'Upgrade to Pro' })).code).toBe(
      'quota-exceeded',
    );
  });

  it('says what to do about an old client and a missing login', () => {
    expect(decode('failed_precondition', '', detail(30)).message).toMatch(/client version .* too old: set/);
    expect(decode('unauthenticated', '').message).toMatch(/crosspoint login/);
  });

  it("takes the backend's word on retrying, and its own otherwise", () => {
    expect(decode('unavailable', 'm', detail(57, { isRetryable: false })).retryable).toBe(false);
    expect(decode('failed_precondition', 'm', detail(52, { isRetryable: true })).retryable).toBe(true);
    expect(decode('unavailable', 'm').retryable).toBe(true);
    expect(decode('unauthenticated', 'm').retryable).toBe(false);
  });

  it.each(['Blob not found', 'Image not found: x', 'Conversation data missing'])(
    'knows a lost conversation by "%s"',
    (message) => {
      expect(decode('internal', message).detail?.reason).toBe(CONVERSATION_LOST);
    },
  );

  it('reads the readable form of details when the bytes are missing or broken', () => {
    const debug = {
      error: 'ERROR_FREE_USER_USAGE_LIMIT',
      details: { title: 'Out.', detail: 'Wait', isRetryable: false },
    };
    for (const value of [new Uint8Array(), new Uint8Array([0xff])]) {
      const error = decode('resource_exhausted', 'Error', { type: 'aiserver.v1.ErrorDetails', value, debug });
      expect(error).toMatchObject({ code: 'quota-exceeded', retryable: false });
      expect(error.message).toContain('Out. Wait.');
    }
  });

  it('ignores details of other kinds', () => {
    const other = { type: 'google.rpc.RetryInfo', value: new Uint8Array([8, 1]) };
    expect(decode('aborted', 'm', other).code).toBe('upstream-unavailable');
  });

  it('never repeats a token', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln';
    const { message } = decode(
      'unauthenticated',
      `Bad header Bearer abc.def and ${token} and crsr_0123456789`,
    );
    expect(message).not.toMatch(/abc\.def|eyJ|0123456789/);
  });

  it.each([
    [400, 'upstream-rejected'],
    [401, 'unauthenticated'],
    [403, 'permission-denied'],
    [404, 'not-found'],
    [418, 'upstream-rejected'],
    [429, 'rate-limited'],
    [464, 'upstream-unavailable'],
    [500, 'upstream-unavailable'],
    [504, 'deadline-exceeded'],
  ])('reads a bare status %i', (status, code) => {
    const error = decodeHttpError(status, {}, '<html>', upstream);
    expect(error).toMatchObject({ code, detail: { upstreamStatus: status } });
    expect(error.message).toContain(`HTTP ${status}`);
  });

  it("prefers the code in the body to the status, unless it is none of Connect's", () => {
    const body = (code: string) => JSON.stringify({ code, message: 'm' });
    expect(decodeHttpError(500, {}, body('unauthenticated'), upstream).code).toBe('unauthenticated');
    expect(decodeHttpError(401, {}, body('E_TOKEN'), upstream).code).toBe('unauthenticated');
    const wrapped = JSON.stringify({ error: { code: 'not_found', message: 'No such model' } });
    expect(decodeHttpError(400, {}, wrapped, upstream)).toMatchObject({ code: 'not-found' });
  });

  it('passes on when to come back', () => {
    expect(decodeHttpError(429, { 'retry-after': '7' }, '', upstream).retryAfterMs).toBe(7_000);
    expect(decodeHttpError(429, { 'retry-after': 'soon' }, '', upstream).retryAfterMs).toBeUndefined();
  });
});
