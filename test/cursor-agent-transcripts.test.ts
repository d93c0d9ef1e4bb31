// Golden frames of the agent protocol. Their bytes are written field by field, so a wrong number in the schema shows here.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeEndStream, encodeEndStream } from '../src/wire/connect-end-stream.ts';
import { type Envelope, EnvelopeReader, encodeEnvelope } from '../src/wire/connect-envelope.ts';
import { SCENARIOS } from './support/cursor-agent/scenarios.ts';
import {
  encodeReadable,
  envelopesOf,
  type ReadableFrame,
  reencode,
} from './support/cursor-agent/transcript.ts';

const ROOT = resolve(import.meta.dirname, 'transcripts/cursor-agent');
const scenarios = readdirSync(ROOT);

const bytesOf = (scenario: string, side: 'client' | 'server') =>
  readFileSync(join(ROOT, scenario, `${side}.bin`));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function envelopes(scenario: string, side: 'client' | 'server'): Envelope[] {
  const reader = new EnvelopeReader();
  const read = reader.push(bytesOf(scenario, side));
  expect(reader.hasPartialFrame).toBe(false);
  return read;
}

function readable(scenario: string, side: 'client' | 'server'): ReadableFrame[] {
  const text = readFileSync(join(ROOT, scenario, 'frames.json'), 'utf8');
  const frames = JSON.parse(text) as ReadableFrame[]; // our own file
  return frames.filter((frame) => frame.from === side);
}

it('every scenario has its transcript and every transcript its scenario', () => {
  expect([...scenarios].sort()).toEqual(Object.keys(SCENARIOS).sort());
});

describe.each(scenarios)('the transcript %s', (scenario) => {
  describe.each(['client', 'server'] as const)('from the %s', (side) => {
    it('holds the bytes of its scenario', () => {
      expect(hex(bytesOf(scenario, side))).toBe(hex(envelopesOf(SCENARIOS[scenario] ?? [], side)));
    });

    it('decodes and encodes again byte for byte', () => {
      for (const { payload, flags, isEnd } of envelopes(scenario, side)) {
        if (isEnd) continue;
        expect(hex(encodeEnvelope(reencode(side, payload), flags))).toBe(hex(encodeEnvelope(payload, flags)));
      }
    });

    // JSON has no place for unknown fields: equal bytes mean that the schema knows every field of the frame.
    it('is what its readable frames say, byte for byte', () => {
      const written = readable(scenario, side).map((frame) =>
        'end' in frame ? undefined : hex(encodeReadable(side, frame.message)),
      );
      const read = envelopes(scenario, side).map(({ payload, isEnd }) => (isEnd ? undefined : hex(payload)));
      expect(written).toEqual(read);
    });
  });

  it('ends with the frame that says how', () => {
    const last = envelopes(scenario, 'server').at(-1);
    const stated = readable(scenario, 'server').at(-1);
    expect(last?.isEnd).toBe(true);
    const { error } = decodeEndStream(last?.payload ?? new Uint8Array());
    expect(hex(encodeEndStream(error))).toBe(
      hex(encodeEnvelope(last?.payload ?? new Uint8Array(), last?.flags)),
    );
    expect(stated).toHaveProperty(
      'end',
      error === undefined ? {} : { error: { code: error.code, message: error.message } },
    );
  });
});
