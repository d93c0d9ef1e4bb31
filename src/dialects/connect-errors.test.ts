import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, GatewayError, isJsonObject } from '../core/index.ts';
import { ErrorDetails_Error, ErrorDetailsSchema } from '../gen/aiserver/v1/error_details_pb.ts';
import { decodeEndStream, encodeEndStream } from '../wire/connect-end-stream.ts';
import { CONNECT_ROWS, encodeConnectError } from './connect-errors.ts';
import { decodeConnectError } from './cursor-agent/transport/errors.ts';

/** Codes that our own client of the protocol reads as another one, because the wire has one word for both. */
const READ_AS: Readonly<Record<string, string>> = {
  'invalid-request': 'upstream-rejected',
  conflict: 'upstream-rejected',
  'too-large': 'upstream-rejected',
  'content-filtered': 'upstream-rejected',
  'upstream-malformed': 'upstream-unavailable',
  internal: 'upstream-unavailable',
};

describe('encodeConnectError', () => {
  it.each(ERROR_CODES)('says %s so that our own client of the protocol understands it', (code) => {
    const error = new GatewayError(code, 'The file ä.txt is gone.');
    const frame = encodeEndStream(encodeConnectError(error));
    const { error: read } = decodeEndStream(frame.subarray(5));
    expect(read).toBeDefined();
    const back = decodeConnectError(read ?? encodeConnectError(error), { upstream: 'It' });
    expect(back.code).toBe(READ_AS[code] ?? code);
    expect(back.retryable).toBe(error.retryable);
    expect(back.message).toContain('The file ä.txt is gone.');
  });

  it('has a row with a known number and a title for every code', () => {
    for (const code of ERROR_CODES) {
      expect(Object.values(ErrorDetails_Error)).toContain(CONNECT_ROWS[code].fault);
      expect(CONNECT_ROWS[code].title).toMatch(/\.$/);
    }
  });

  it('writes title, detail and whether to try again, as bytes and readable', () => {
    const error = encodeConnectError(new GatewayError('rate-limited', 'Wait a second.'));
    const [detail] = error.details;
    expect(detail?.type).toBe('aiserver.v1.ErrorDetails');
    const message = fromBinary(ErrorDetailsSchema, detail?.value ?? new Uint8Array());
    expect(message.details).toMatchObject({
      title: 'Too many requests.',
      detail: 'Wait a second.',
      isRetryable: true,
    });
    expect(isJsonObject(detail?.debug) && detail.debug.error).toBe('ERROR_RATE_LIMITED');
  });

  it('names a model that does not exist as such', () => {
    const error = new GatewayError('not-found', 'No model "x".', { detail: { reason: 'model_not_found' } });
    const value = encodeConnectError(error).details[0]?.value ?? new Uint8Array();
    expect(fromBinary(ErrorDetailsSchema, value).error).toBe(ErrorDetails_Error.BAD_MODEL_NAME);
    const other = encodeConnectError(new GatewayError('not-found', 'No blob.')).details[0]?.value;
    expect(fromBinary(ErrorDetailsSchema, other ?? new Uint8Array()).error).toBe(
      ErrorDetails_Error.NOT_FOUND,
    );
  });
});
