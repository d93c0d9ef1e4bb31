import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONNECT_CODES,
  type ConnectError,
  decodeEndStream,
  decodeError,
  encodeEndStream,
} from './connect-end-stream.ts';
import { END_STREAM, EnvelopeReader } from './connect-envelope.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const payloadOf = (frame: Uint8Array) => new EnvelopeReader().push(frame)[0]?.payload ?? new Uint8Array();

describe('the end-of-stream frame', () => {
  it('is an empty object when all went well', () => {
    const frame = encodeEndStream();
    expect(frame[0]).toBe(END_STREAM);
    expect(new TextDecoder().decode(payloadOf(frame))).toBe('{}');
    expect(decodeEndStream(payloadOf(frame))).toEqual({ metadata: {} });
  });

  it('writes details as base64 without padding', () => {
    const error: ConnectError = {
      code: 'resource_exhausted',
      message: 'Error',
      details: [{ type: 'aiserver.v1.ErrorDetails', value: new Uint8Array([8]), debug: { error: 'X' } }],
    };
    expect(JSON.parse(new TextDecoder().decode(payloadOf(encodeEndStream(error))))).toEqual({
      error: {
        code: 'resource_exhausted',
        message: 'Error',
        details: [{ type: 'aiserver.v1.ErrorDetails', value: 'CA', debug: { error: 'X' } }],
      },
    });
  });

  it('comes back as it was written', () => {
    const detail = fc.record({ type: fc.string(), value: fc.uint8Array({ maxLength: 20 }) });
    const error = fc.record({
      code: fc.constantFrom(...CONNECT_CODES),
      message: fc.string(),
      details: fc.array(detail, { maxLength: 3 }),
    });
    const metadata = fc.dictionary(fc.stringMatching(/^[a-z-]{1,8}$/), fc.array(fc.string()));
    fc.assert(
      fc.property(error, metadata, (written, headers) => {
        const read = decodeEndStream(payloadOf(encodeEndStream(written, headers)));
        expect(read.error).toEqual(written);
        expect({ ...read.metadata }).toEqual({ ...headers });
      }),
    );
  });

  it('accepts padded details and drops only those it cannot read', () => {
    const read = decodeError({
      code: 'internal',
      details: [{ type: 'a.B', value: 'CAE=' }, { type: 'a.B' }, 'text'],
    });
    expect(read.details).toEqual([{ type: 'a.B', value: new Uint8Array([8, 1]) }]);
  });

  it('takes an unknown code for `unknown`, and still as an error', () => {
    expect(decodeEndStream(bytesOf('{"error":{"code":"sour","message":"m"}}')).error).toEqual({
      code: 'unknown',
      message: 'm',
      details: [],
    });
    expect(decodeEndStream(bytesOf('{"error":{}}')).error?.code).toBe('unknown');
  });

  it('takes a null error for none', () => {
    expect(decodeEndStream(bytesOf('{"error":null}')).error).toBeUndefined();
  });

  it.each(['', '{', '[]', 'null', '"{}"', '{"error":"no"}', '{"error":7}'])('refuses %j', (text) => {
    expect(() => decodeEndStream(bytesOf(text))).toThrow(/end-of-stream frame is malformed/);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => decodeEndStream(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow(/are not JSON/);
  });
});
