import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  MODES,
  NEVER,
  openTransport,
  startPair,
} from '../../../../test/support/agent-backend/backend-pair.ts';
import { json, type Reply } from '../../../../test/support/agent-backend/index.ts';
import {
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { encodeEndStream } from '../../../wire/connect-end-stream.ts';
import { COMPRESSED, encodeEnvelope } from '../../../wire/connect-envelope.ts';

const PATH = '/agent.v1.AgentService/GetUsableModels';
const ANSWER = toBinary(
  GetUsableModelsResponseSchema,
  create(GetUsableModelsResponseSchema, { models: [{ modelId: 'm1' }] }),
);
const REQUEST = toBinary(GetUsableModelsRequestSchema, create(GetUsableModelsRequestSchema));

const answering = (body: Uint8Array, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/proto', ...headers },
  body,
});

describe.each(MODES)('a unary call over %s', (mode) => {
  async function call(reply?: Reply) {
    const { transport } = await startPair(reply ? { intercept: () => reply } : {}, { mode });
    const bytes = await transport.callUnary(PATH, REQUEST, { signal: NEVER, headers: { 'X-A': 'b' } });
    return fromBinary(GetUsableModelsResponseSchema, bytes).models.map(({ modelId }) => modelId);
  }

  it('sends a bare message and reads one', async () => {
    const { backend, transport } = await startPair(
      { models: ['x', 'y'] },
      { mode, headers: { 'X-Team': 't' } },
    );
    const bytes = await transport.callUnary(PATH, REQUEST, { signal: NEVER, headers: { 'X-A': 'b' } });
    expect(fromBinary(GetUsableModelsResponseSchema, bytes).models.map(({ modelId }) => modelId)).toEqual([
      'x',
      'y',
    ]);
    expect(backend.calls[0]).toMatchObject({
      path: PATH,
      httpVersion: mode === 'http2' ? '2.0' : '1.1',
      headers: {
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'x-a': 'b',
        'x-team': 't',
      },
    });
    expect(backend.calls[0]?.body).toEqual(Buffer.from(REQUEST));
  });

  it('reads an enveloped answer, compressed or followed by an end frame', async () => {
    expect(await call(answering(encodeEnvelope(ANSWER)))).toEqual(['m1']);
    expect(await call(answering(encodeEnvelope(gzipSync(ANSWER), COMPRESSED)))).toEqual(['m1']);
    expect(await call(answering(Buffer.concat([encodeEnvelope(ANSWER), encodeEndStream()])))).toEqual(['m1']);
  });

  it('reads an empty answer', async () => {
    expect(await call(answering(new Uint8Array()))).toEqual([]);
  });

  it('refuses a broken envelope and reads the error of an end frame', async () => {
    await expect(call(answering(encodeEnvelope(ANSWER).subarray(0, 8)))).rejects.toMatchObject({
      code: 'upstream-malformed',
    });
    const end = encodeEndStream({ code: 'unauthenticated', message: 'm', details: [] });
    await expect(call(answering(end))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('reads a JSON error, and names the call', async () => {
    const reply = json(404, { code: 'not_found', message: 'No such model' });
    await expect(call(reply)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(`${PATH}, says: No such model.`),
    });
  });

  it('is cancelled by its signal', async () => {
    const { transport } = await startPair({}, { mode });
    const options = { signal: AbortSignal.abort(), headers: {} };
    await expect(transport.callUnary(PATH, REQUEST, options)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports a server that is not there', async () => {
    const transport = openTransport({ mode, baseUrl: 'http://127.0.0.1:1' });
    await expect(transport.callUnary(PATH, REQUEST, { signal: NEVER, headers: {} })).rejects.toMatchObject({
      code: 'upstream-unavailable',
    });
  });
});
