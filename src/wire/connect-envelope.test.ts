import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMPRESSED,
  END_STREAM,
  type Envelope,
  EnvelopeReader,
  encodeEnvelope,
  unwrapUnaryBody,
} from './connect-envelope.ts';

const bytes = (...values: number[]) => new Uint8Array(values);
const inflate = (input: Uint8Array, maxBytes: number) => gunzipSync(input, { maxOutputLength: maxBytes });

/** Feeds `wire` in pieces of the given lengths, the rest in one. */
function readInPieces(reader: EnvelopeReader, wire: Uint8Array, cuts: readonly number[]): Envelope[] {
  const frames: Envelope[] = [];
  let position = 0;
  for (const cut of cuts) {
    frames.push(...reader.push(wire.subarray(position, position + cut)));
    position += cut;
  }
  frames.push(...reader.push(wire.subarray(position)));
  return frames;
}

describe('writing envelopes', () => {
  it('puts flags and a big-endian length before the payload', () => {
    expect(encodeEnvelope(bytes(7, 8), COMPRESSED)).toEqual(bytes(1, 0, 0, 0, 2, 7, 8));
    expect(encodeEnvelope(new Uint8Array(0x01_02_03)).subarray(0, 5)).toEqual(bytes(0, 0, 1, 2, 3));
  });
});

describe('reading envelopes', () => {
  it('gives the same frames for any chunking', () => {
    const frame = fc.record({
      payload: fc.uint8Array({ maxLength: 40 }),
      isCompressed: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.boolean(),
        fc.array(fc.nat({ max: 30 })),
        (frames, hasEnd, cuts) => {
          const wire = Buffer.concat([
            ...frames.map(({ payload, isCompressed }) =>
              isCompressed ? encodeEnvelope(gzipSync(payload), COMPRESSED) : encodeEnvelope(payload),
            ),
            ...(hasEnd ? [encodeEnvelope(bytes(0x7b, 0x7d), END_STREAM)] : []),
          ]);
          const reader = new EnvelopeReader({ inflate });
          const read = readInPieces(reader, wire, cuts);
          const payloads = read.filter(({ isEnd }) => !isEnd).map(({ payload }) => [...payload]);
          expect(payloads).toEqual(frames.map(({ payload }) => [...payload]));
          expect(read.filter(({ isEnd }) => isEnd).length).toBe(hasEnd ? 1 : 0);
          expect(reader.hasEnded).toBe(hasEnd);
          expect(reader.hasPartialFrame).toBe(false);
        },
      ),
    );
  });

  it('knows at every cut whether a frame is unfinished', () => {
    const wire = encodeEnvelope(bytes(1, 2, 3));
    for (let length = 0; length <= wire.length; length++) {
      const reader = new EnvelopeReader();
      reader.push(wire.subarray(0, length));
      expect(reader.hasPartialFrame).toBe(length > 0 && length < wire.length);
    }
  });

  it('reads from a view into a larger buffer', () => {
    const wire = Buffer.concat([bytes(9, 9, 9), encodeEnvelope(bytes(5))]);
    expect(new EnvelopeReader().push(wire.subarray(3))[0]?.payload).toEqual(Buffer.from([5]));
  });

  it('keeps flags it does not know', () => {
    expect(new EnvelopeReader().push(encodeEnvelope(bytes(), 0x80))[0]).toMatchObject({
      flags: 0x80,
      isEnd: false,
    });
  });

  it('does not inflate an empty payload', () => {
    expect(new EnvelopeReader().push(encodeEnvelope(bytes(), COMPRESSED))[0]?.payload.length).toBe(0);
  });

  it('joins a large frame of many chunks without copying it over and over', () => {
    const payload = new Uint8Array(2 * 1024 * 1024).fill(7);
    const wire = encodeEnvelope(payload);
    const frames = readInPieces(new EnvelopeReader(), wire, new Array(4000).fill(512));
    expect(frames[0]?.payload.length).toBe(payload.length);
  });
});

describe('refusing envelopes', () => {
  it('refuses an announced length past the bound before the payload arrives', () => {
    const reader = new EnvelopeReader({ maxBytes: 8 });
    expect(() => reader.push(bytes(0, 0, 0, 0, 9))).toThrow(/announces 9 bytes, more than the 8 allowed/);
  });

  it('refuses a compressed frame when nothing can inflate it', () => {
    expect(() => new EnvelopeReader().push(encodeEnvelope(gzipSync(bytes(1)), COMPRESSED))).toThrow(
      /no compression was agreed/,
    );
  });

  it('refuses a bomb, whether the inflating function stops at the bound or not', () => {
    const bomb = encodeEnvelope(gzipSync(new Uint8Array(100_000)), COMPRESSED);
    const careless = (input: Uint8Array) => gunzipSync(input);
    expect(() => new EnvelopeReader({ maxBytes: 1000, inflate }).push(bomb)).toThrow(/cannot be inflated/);
    expect(() => new EnvelopeReader({ maxBytes: 1000, inflate: careless }).push(bomb)).toThrow(
      /inflates to more than the 1000 bytes/,
    );
  });

  it('refuses a frame whose compressed bytes are damaged', () => {
    expect(() => new EnvelopeReader({ inflate }).push(encodeEnvelope(bytes(1, 2, 3), COMPRESSED))).toThrow(
      /3 bytes cannot be inflated/,
    );
  });

  it('refuses bytes after the end of the stream, together or later', () => {
    const end = encodeEnvelope(bytes(0x7b, 0x7d), END_STREAM);
    expect(() => new EnvelopeReader().push(Buffer.concat([end, bytes(0)]))).toThrow(/1 bytes follow/);
    const reader = new EnvelopeReader();
    reader.push(end);
    expect(() => reader.push(bytes(0, 0))).toThrow(/2 bytes follow/);
  });

  it('blames whom the caller says', () => {
    const reader = new EnvelopeReader({ maxBytes: 1, faultCode: 'invalid-request' });
    expect(() => reader.push(bytes(0, 0, 0, 0, 2))).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    );
  });
});

describe('unwrapping a unary body', () => {
  it('strips an envelope, plain or compressed', () => {
    expect(unwrapUnaryBody(encodeEnvelope(bytes(8, 1)))).toEqual({ payload: bytes(8, 1), flags: 0 });
    expect(unwrapUnaryBody(encodeEnvelope(bytes(8, 1), COMPRESSED)).flags).toBe(COMPRESSED);
  });

  it.each([[bytes()], [bytes(8, 1)], [bytes(0x0a, 0, 0, 0, 0)], [bytes(0, 0, 0, 0, 9, 1)]])(
    'leaves a bare body alone: %j',
    (body) => {
      expect(unwrapUnaryBody(body)).toEqual({ payload: body, flags: 0 });
    },
  );
});
