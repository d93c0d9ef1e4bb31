import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import {
  AgentService,
  NameAgentRequestSchema,
  NameAgentResponseSchema,
} from '../../gen/agent/v1/agent_service_pb.ts';
import { COMPRESSED, EnvelopeReader, encodeEnvelope } from '../../wire/connect-envelope.ts';
import { post, type RawReply } from './fixtures/connect-client.ts';
import { IS_CONNECTED, NAME_AGENT, startNativeServer } from './fixtures/native-server.ts';

const encode = (userMessage: string) =>
  toBinary(NameAgentRequestSchema, create(NameAgentRequestSchema, { userMessage }));
const decode = (body: Uint8Array) => fromBinary(NameAgentResponseSchema, body).name;
const json = ({ body }: RawReply) => JSON.parse(body.toString()) as unknown;

describe('a unary call', () => {
  it.each([
    ['bare', encode('hello'), {}],
    ['without a content type', encode('hello'), { 'content-type': '' }],
    ['in an envelope', encodeEnvelope(encode('hello')), {}],
    ['in a compressed envelope', encodeEnvelope(gzipSync(encode('hello')), COMPRESSED), {}],
    [
      'in an envelope with a named codec',
      encodeEnvelope(brotliCompressSync(encode('hello')), COMPRESSED),
      { 'connect-content-encoding': 'br' },
    ],
    ['as gzip', gzipSync(encode('hello')), { 'content-encoding': 'gzip' }],
    ['as brotli', brotliCompressSync(encode('hello')), { 'content-encoding': 'br' }],
    ['gzip of an envelope', gzipSync(encodeEnvelope(encode('hello'))), { 'content-encoding': 'gzip' }],
  ])('is understood %s and answered bare', async (_form, body, headers) => {
    const { url } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, body, headers);
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/proto');
    expect(decode(reply.body)).toBe('hello');
  });

  it('is understood as Connect JSON, in either spelling, and answered as JSON', async () => {
    const { url } = await startNativeServer();
    for (const body of ['{"userMessage":"hello","later":1}', '{"user_message":"hello"}']) {
      const reply = await post(url, NAME_AGENT, body, { 'content-type': 'application/json; charset=utf-8' });
      expect(reply.headers['content-type']).toBe('application/json');
      expect(json(reply)).toEqual({ name: 'hello' });
    }
    expect(json(await post(url, NAME_AGENT, '', { 'content-type': 'application/json' }))).toEqual({});
  });

  it.each([
    ['application/connect+proto', 2],
    ['application/grpc-web+proto', 0x80],
  ])('is answered in frames when it comes as %s', async (contentType, endFlag) => {
    const { url } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, encodeEnvelope(encode('hello')), {
      'content-type': contentType,
    });
    expect(reply.headers['content-type']).toBe(contentType);
    const [message, end] = new EnvelopeReader().push(reply.body);
    expect(decode(message?.payload ?? new Uint8Array())).toBe('hello');
    expect(end?.flags).toBe(endFlag);
  });

  it('is compressed when it is large and the client can read that', async () => {
    const { url } = await startNativeServer();
    const long = 'long '.repeat(10_000);
    const packed = await post(url, NAME_AGENT, encode(long), { 'accept-encoding': 'gzip, br' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(decode(gunzipSync(packed.body))).toBe(long);
    for (const accepted of ['identity', 'br', 'gzip;q=0']) {
      const plain = await post(url, NAME_AGENT, encode(long), { 'accept-encoding': accepted });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(decode(plain.body)).toBe(long);
    }
  });
});

describe('the referee client', () => {
  it.each([
    ['Connect over HTTP/1.1', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
    ['Connect over HTTP/2', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '2' })],
    [
      'Connect JSON',
      (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
    ],
    ['gRPC-Web', (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ])('calls and reads failures with their details by %s', async (_name, createTransport) => {
    const { url } = await startNativeServer();
    const client = createClient(AgentService, createTransport(url));
    expect((await client.nameAgent({ userMessage: 'hello' })).name).toBe('hello');
    const failure = ConnectError.from(
      await client.nameAgent({ userMessage: 'fail' }).catch((thrown) => thrown),
    );
    expect(failure.code).toBe(Code.NotFound);
    expect(failure.rawMessage).toBe('no such thing');
    expect(failure.details).toMatchObject([
      { type: 'aiserver.v1.ErrorDetails', value: new Uint8Array([8, 1]) },
    ]);
  });
});

describe('a unary call that fails', () => {
  it('has the status of its code and the details in JSON', async () => {
    const { url } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, encode('fail'));
    expect(reply.status).toBe(404);
    expect(json(reply)).toEqual({
      code: 'not_found',
      message: 'no such thing',
      details: [{ type: 'aiserver.v1.ErrorDetails', value: 'CAE' }],
    });
  });

  it('tells nothing of what broke inside', async () => {
    const { url, unexpected } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, encode('crash'));
    expect(reply.status).toBe(500);
    expect(reply.body.toString()).not.toContain('inner secret');
    expect(unexpected).toHaveLength(1);
  });

  it.each([
    ['cut protobuf', Buffer.from([0x0a, 0x20, 0x41]), {}, 400, 'is no agent.v1.NameAgentRequest'],
    ['broken JSON', '{"userMessage":', { 'content-type': 'application/json' }, 400, 'NameAgentRequest'],
    [
      'JSON of the wrong type',
      '{"userMessage":7}',
      { 'content-type': 'application/json' },
      400,
      'user_message',
    ],
    ['broken gzip', Buffer.from('nothing packed'), { 'content-encoding': 'gzip' }, 400, 'not valid gzip'],
    ['an unknown codec', encode('x'), { 'content-encoding': 'zstd' }, 400, 'zstd'],
    [
      'a broken packed envelope',
      encodeEnvelope(Buffer.from('nothing packed'), COMPRESSED),
      {},
      400,
      'cannot be inflated',
    ],
    ['an unknown content type', 'a=1', { 'content-type': 'text/plain' }, 415, 'text/plain'],
    [
      'classic gRPC',
      encodeEnvelope(encode('x')),
      { 'content-type': 'application/grpc' },
      415,
      'application/grpc',
    ],
  ])('says what is wrong with %s', async (_name, body, headers, status, words) => {
    const { url, unexpected } = await startNativeServer();
    const reply = await post(url, NAME_AGENT, body, headers);
    expect(reply.status).toBe(status);
    expect((json(reply) as { message: string }).message).toContain(words);
    expect(unexpected).toEqual([]);
  });

  it('refuses bombs and bodies past the bound without reading on', async () => {
    const { url } = await startNativeServer({ limits: { maxMessageBytes: 10_000 } });
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const cases = [
      await post(url, NAME_AGENT, bomb, { 'content-encoding': 'gzip' }),
      await post(url, NAME_AGENT, encodeEnvelope(bomb, COMPRESSED)),
      await post(url, NAME_AGENT, Buffer.alloc(20_000)),
    ];
    expect(cases.map(({ status }) => status)).toEqual([429, 400, 429]);
    for (const reply of cases) expect((json(reply) as { message: string }).message).toContain('10000 bytes');
  });
});

describe('calls that nobody knows', () => {
  it.each([
    '/agent.v1.AgentService/BrandNew',
    '/aiserver.v1.DashboardService/GetWeather',
    '/aiserver.v1.NeverHeardOfService/Do',
    '/agent.v1.OtherService/Do',
  ])('%s is answered with an empty message and counted', async (path) => {
    const { url, drift } = await startNativeServer();
    const proto = await post(url, path, Buffer.from([8, 1]));
    expect([proto.status, proto.body.length, proto.headers['content-type']]).toEqual([
      200,
      0,
      'application/proto',
    ]);
    const asJson = await post(url, path, '{}', { 'content-type': 'application/json' });
    expect(json(asJson)).toEqual({});
    expect(drift).toEqual([`stub METHOD ${path.slice(1)}`, `stub METHOD ${path.slice(1)}`]);
  });

  it('as streams end with a clear error, not with an empty success', async () => {
    const { url, drift } = await startNativeServer();
    const headers = { 'content-type': 'application/connect+proto' };
    const reply = await post(
      url,
      '/agent.v1.AgentService/RunPoll',
      encodeEnvelope(new Uint8Array()),
      headers,
    );
    expect(reply.status).toBe(200);
    const [end] = new EnvelopeReader().push(reply.body);
    expect(end?.isEnd).toBe(true);
    expect(JSON.parse(Buffer.from(end?.payload ?? []).toString())).toMatchObject({
      error: { code: 'unimplemented' },
    });
    expect(drift).toEqual(['stub METHOD agent.v1.AgentService/RunPoll']);
  });

  it('elsewhere are simply not there', async () => {
    const { url, drift } = await startNativeServer();
    for (const path of ['/other.v1.Service/Do', '/agent.v1.AgentService', '/aiserver.v1.X/a/b']) {
      expect((await post(url, path, '')).status).toBe(404);
    }
    expect(drift).toEqual([]);
  });

  it('need a key where keys are needed', async () => {
    const { url, drift } = await startNativeServer({ auth: 'keys' });
    for (const path of ['/agent.v1.AgentService/BrandNew', '/agent.v1.OtherService/Do', NAME_AGENT]) {
      const reply = await post(url, path, encode('x'));
      expect(reply.status).toBe(401);
      expect(json(reply)).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('API key'),
      });
    }
    expect(drift).toEqual([]);
  });

  it('are told from probes, which need none', async () => {
    const { url } = await startNativeServer({ auth: 'keys' });
    expect((await post(url, IS_CONNECTED, '')).status).toBe(200);
  });

  it('are told from known ones with new fields, which are counted too', async () => {
    const { url, drift } = await startNativeServer();
    const body = Buffer.concat([encode('hello'), Buffer.from([0x98, 0x06, 1])]);
    expect(decode((await post(url, NAME_AGENT, body)).body)).toBe('hello');
    expect(drift).toEqual(['stub FIELD agent.v1.NameAgentRequest 99']);
  });
});

describe('a plain JSON endpoint of a front', () => {
  const headers = { 'content-type': 'application/json' };

  it('gets query and body, and gives status and body', async () => {
    const { url } = await startNativeServer();
    const reply = await post(url, '/stub/echo?word=a&word=b', '{"x":1}', headers);
    expect([reply.status, json(reply)]).toEqual([201, { owner: '', body: { x: 1 }, words: ['a', 'b'] }]);
    expect(json(await post(url, '/stub/echo', '', headers))).toMatchObject({ body: null });
  });

  it('fails in the words of its front', async () => {
    const { url } = await startNativeServer();
    expect((await post(url, '/stub/echo?fail', '{}', headers)).status).toBe(404);
    expect((await post(url, '/stub/echo', '{', headers)).status).toBe(400);
    const guarded = await startNativeServer({ auth: 'keys' });
    expect((await post(guarded.url, '/stub/echo', '{}', headers)).status).toBe(401);
  });
});
