import { gzipSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { AgentService } from '../../gen/agent/v1/agent_service_pb.ts';
import { BidiAppendRequestSchema, BidiService } from '../../gen/aiserver/v1/bidi_pb.ts';
import { EnvelopeReader, encodeEnvelope } from '../../wire/connect-envelope.ts';
import { deferred } from '../fixtures/serve.ts';
import {
  append,
  encodeAppend,
  type OpenFrames,
  openAppended,
  openHttp2,
  post,
} from './fixtures/connect-client.ts';
import { RUN_SSE, startNativeServer } from './fixtures/native-server.ts';

const APPEND = '/aiserver.v1.BidiService/BidiAppend';
/** Field 1, as text: an opening message that a test can read. */
const opening = (text: string) => Buffer.from([0x0a, text.length, ...Buffer.from(text)]);
const later = (text: string) => Buffer.from([0x12, text.length, ...Buffer.from(text)]);
const nextText = async (stream: OpenFrames) =>
  Buffer.from((await stream.next())?.payload.subarray(2) ?? []).toString();

describe('a stream with appends', () => {
  it('answers every append with an empty message and reads them in order', async () => {
    const { url } = await startNativeServer();
    const stream = await openAppended(url, 'run-1');
    expect(stream.headers['content-type']).toBe('application/connect+proto');
    const replies = await Promise.all([
      append(url, 'run-1', 2, later('c')),
      append(url, 'run-1', 0, opening('a')),
      append(url, 'run-1', 1, later('b')),
      append(url, 'run-1', 1, later('b')),
    ]);
    for (const reply of replies) {
      expect([reply.status, reply.body.length, reply.headers['content-type']]).toEqual([
        200,
        0,
        'application/proto',
      ]);
    }
    expect([await nextText(stream), await nextText(stream), await nextText(stream)]).toEqual(['a', 'b', 'c']);
  });

  it('finds appends that came before it, numbered from 1 too', async () => {
    const { url } = await startNativeServer();
    await append(url, 'run-1', 2, later('b'));
    await append(url, 'run-1', 1, opening('a'));
    const stream = await openAppended(url, 'run-1');
    expect([await nextText(stream), await nextText(stream)]).toEqual(['a', 'b']);
  });

  it('works over cleartext HTTP/2 as well', async () => {
    const { url } = await startNativeServer();
    const stream = await openHttp2(url, RUN_SSE);
    stream.write(encodeEnvelope(Buffer.from([0x0a, 5, ...Buffer.from('run-1')])));
    stream.end();
    await append(url, 'run-1', 0, opening('a'));
    expect(await nextText(stream)).toBe('a');
  });

  it('is named text/event-stream for a client that accepts nothing else', async () => {
    const { url } = await startNativeServer();
    const types: unknown[] = [];
    for (const accept of [
      'text/event-stream',
      'text/event-stream, */*',
      'application/connect+proto',
      '*/*',
    ]) {
      types.push((await openAppended(url, 'run-1', { accept })).headers['content-type']);
    }
    const connect = 'application/connect+proto';
    expect(types).toEqual(['text/event-stream', connect, connect, connect]);
  });

  it('takes appends as JSON, as gzip, in an envelope, by gRPC-Web and as raw bytes', async () => {
    const { url } = await startNativeServer();
    const stream = await openAppended(url, 'run-1');
    const bodyOf = (number: number) =>
      encodeAppend('run-1', number, number === 0 ? opening('0') : later(`${number}`));
    const json = JSON.stringify({
      data: bodyOfHex('3'),
      requestId: { requestId: 'run-1' },
      appendSeqno: '3',
    });
    const binary = createClient(BidiService, createConnectTransport({ baseUrl: url, httpVersion: '1.1' }));
    const replies = [
      await post(url, APPEND, bodyOf(0)),
      await post(url, APPEND, gzipSync(bodyOf(1)), { 'content-encoding': 'gzip' }),
      await post(url, APPEND, encodeEnvelope(bodyOf(2))),
      await post(url, APPEND, json, { 'content-type': 'application/json' }),
      await post(url, APPEND, encodeEnvelope(bodyOf(4)), { 'content-type': 'application/grpc-web+proto' }),
    ];
    await binary.bidiAppend(
      create(BidiAppendRequestSchema, {
        requestId: { requestId: 'run-1' },
        appendSeqno: 5n,
        dataBinary: later('5'),
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [message, trailer] = new EnvelopeReader().push(replies[4]?.body ?? Buffer.alloc(0));
    expect([message?.payload.length, trailer?.flags]).toEqual([0, 0x80]);
    for (let number = 0; number <= 5; number++) expect(await nextText(stream)).toBe(`${number}`);
  });

  it('tells the front when the client is gone, and again that it is the same stream when it comes back', async () => {
    const gone = deferred<void>();
    const repeated: boolean[] = [];
    const { url } = await startNativeServer({
      open: async ({ incoming, isRepeated, send, signal }) => {
        repeated.push(isRepeated);
        signal.addEventListener('abort', () => gone.resolve());
        for await (const message of incoming) await send(message);
      },
    });
    const first = await openAppended(url, 'run-1');
    await append(url, 'run-1', 0, opening('a'));
    expect(await nextText(first)).toBe('a');
    first.cut();
    await gone.promise;
    const second = await openAppended(url, 'run-1');
    expect(await nextText(second)).toBe('a');
    await append(url, 'run-1', 1, later('b'));
    expect(await nextText(second)).toBe('b');
    expect(repeated).toEqual([false, true]);
  });

  it('says to an older stream of the same id that it was replaced', async () => {
    const { url } = await startNativeServer();
    const first = await openAppended(url, 'run-1');
    await append(url, 'run-1', 0, opening('a'));
    expect(await nextText(first)).toBe('a');
    const second = await openAppended(url, 'run-1');
    expect((await first.next())?.isEnd).toBe(true);
    expect(await nextText(second)).toBe('a');
  });

  it('of one key does not hear appends of another', async () => {
    const { url, store } = await startNativeServer({ auth: 'keys' });
    const [alice, mallory] = await Promise.all(
      ['alice', 'mallory'].map(async (name) => {
        const { secret } = await store.keys.create({ name });
        return { authorization: `Bearer ${secret}` };
      }),
    );
    const stream = await openAppended(url, 'run-1', alice);
    expect((await append(url, 'run-1', 0, opening('forged'), mallory)).status).toBe(200);
    expect((await append(url, 'run-1', 0, opening('nobody'))).status).toBe(401);
    await append(url, 'run-1', 0, opening('true'), alice);
    expect(await nextText(stream)).toBe('true');
  });

  it('is opened by the referee client', async () => {
    const { url } = await startNativeServer({
      open: async ({ incoming }) => {
        for await (const _ of incoming) return;
      },
    });
    const client = createClient(AgentService, createConnectTransport({ baseUrl: url, httpVersion: '1.1' }));
    await append(url, 'run-1', 0, opening('a'));
    const seen: unknown[] = [];
    for await (const message of client.runSSE({ requestId: 'run-1' })) seen.push(message);
    expect(seen).toEqual([]);
  });
});

describe('a wrong append', () => {
  const request = (fields: object) =>
    JSON.stringify({ requestId: { requestId: 'x' }, appendSeqno: '0', ...fields });

  it.each([
    ['no id', '{"data":"0a00"}', 'request_id is missing'],
    [
      'an endless id',
      request({ data: '0a00', requestId: { requestId: 'x'.repeat(300) } }),
      '300 characters long',
    ],
    ['data that is not hex', request({ data: 'zz' }), 'data is not the hex of a message'],
    ['half a byte', request({ data: '0a0' }), 'data is not the hex of a message'],
    ['bytes that are no message', request({ data: '0aff' }), 'no protobuf message'],
    [
      'an audio frame',
      request({ dataBinary: Buffer.from('RIFF....WAVE').toString('base64') }),
      'data_binary',
    ],
    ['a number below 0', request({ data: '0a00', appendSeqno: '-1' }), 'append_seqno is -1'],
  ])('with %s is an invalid argument', async (_what, body, words) => {
    const { url } = await startNativeServer();
    const reply = await post(url, APPEND, body, { 'content-type': 'application/json' });
    expect(reply.status).toBe(400);
    const answer = JSON.parse(reply.body.toString()) as { code: string; message: string };
    expect(answer.code).toBe('invalid_argument');
    expect(answer.message).toContain(words);
  });

  it('is refused when it is larger than a message may be', async () => {
    const { url } = await startNativeServer({ limits: { maxMessageBytes: 1_000 } });
    const reply = await append(url, 'run-1', 0, opening('x').subarray(0, 0), {});
    expect(reply.status).toBe(200);
    const large = Buffer.concat([Buffer.from([0x0a, 0xa0, 0x9c, 0x01]), Buffer.alloc(20_000)]);
    expect((await append(url, 'run-1', 0, large)).status).toBe(429);
  });
});

describe('a wrong opening of a stream', () => {
  it.each([
    ['no id', encodeEnvelope(new Uint8Array()), 'request_id is missing'],
    ['half a frame', Buffer.from([0, 0, 0, 0, 9, 1]), 'within a frame'],
    ['no message', encodeEnvelope(Buffer.from([0xff])), 'BidiRequestId'],
    ['a flood', encodeEnvelope(Buffer.alloc(10_000)), '4096 bytes'],
  ])('with %s ends with an error frame', async (_what, body, words) => {
    const { url } = await startNativeServer();
    const reply = await post(url, RUN_SSE, body, { 'content-type': 'application/connect+proto' });
    expect(reply.status).toBe(200);
    const [end] = new EnvelopeReader().push(reply.body);
    const answer = JSON.parse(Buffer.from(end?.payload ?? []).toString()) as { error: { message: string } };
    expect(answer.error.message).toContain(words);
  });
});

function bodyOfHex(text: string): string {
  return later(text).toString('hex');
}
