import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EnvelopeReader, encodeEnvelope } from '../../wire/connect-envelope.ts';
import { encodeAppend, post } from './fixtures/connect-client.ts';
import { NAME_AGENT, RUN, RUN_SSE, startNativeServer } from './fixtures/native-server.ts';

const PATHS = [
  NAME_AGENT,
  RUN,
  RUN_SSE,
  '/aiserver.v1.BidiService/BidiAppend',
  '/agent.v1.AgentService/Unknown',
];
const TYPES = [
  'application/proto',
  'application/json',
  'application/connect+proto',
  'application/grpc-web+proto',
  'application/grpc-web',
  'text/plain',
];
const ENCODINGS = ['', 'gzip', 'br', 'deflate', 'identity', 'nonsense'];

const noise = fc.uint8Array({ maxLength: 200 });
const body = fc.oneof(
  noise,
  fc.json().map((text) => Buffer.from(text)),
  noise.map((bytes) => encodeEnvelope(bytes)),
  fc.tuple(noise, fc.nat({ max: 255 })).map(([bytes, flags]) => encodeEnvelope(bytes, flags)),
  noise.map((bytes) => gzipSync(bytes)),
  noise.map((bytes) => encodeEnvelope(gzipSync(bytes), 1)),
  fc
    .tuple(fc.string(), fc.nat({ max: 3 }), noise)
    .map(([id, number, bytes]) => encodeAppend(id, number, bytes)),
);

it('whatever is sent is answered, in the form of the call, and nothing breaks inside', async () => {
  const { url, unexpected } = await startNativeServer({ open: async () => {} });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PATHS),
      fc.constantFrom(...TYPES),
      fc.constantFrom(...ENCODINGS),
      fc.constantFrom(...ENCODINGS),
      body,
      async (path, type, encoding, frameEncoding, bytes) => {
        const reply = await post(url, path, bytes, {
          'content-type': type,
          ...(encoding === '' ? {} : { 'content-encoding': encoding }),
          ...(frameEncoding === '' ? {} : { 'connect-content-encoding': frameEncoding }),
        });
        expect([200, 400, 415, 429]).toContain(reply.status);
        const answered = String(reply.headers['content-type']);
        if (reply.status !== 200) {
          expect(JSON.parse(reply.body.toString())).toMatchObject({ code: expect.any(String) });
        } else if (
          answered.startsWith('application/connect') ||
          answered.startsWith('application/grpc-web')
        ) {
          const frames = new EnvelopeReader().push(reply.body);
          expect([2, 0x80]).toContain(frames.at(-1)?.flags);
        }
        expect(unexpected).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
