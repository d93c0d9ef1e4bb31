import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { countingIds, foldTurn, GatewayError, type JsonObject, type TurnEvent } from '../../core/index.ts';
import type { EventBatch, Upstream, UpstreamCall } from '../dialect.ts';
import { decodeRequestBody } from './decode-request.ts';
import { openaiChatUpstream } from './upstream.ts';

interface Seen {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Answer = (response: ServerResponse) => void;

async function serve(
  answer: Answer,
  capabilities: string[] = [],
): Promise<{ upstream: Upstream; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  const upstream = openaiChatUpstream.create({
    name: 'up',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'secret-key',
    headers: {},
    timeouts: { connectMs: 5000, firstByteMs: 5000, idleMs: 5000 },
    capabilities,
    newId: countingIds(),
  });
  closing.push(async () => {
    await upstream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { upstream, seen };
}

const respond =
  (body: string, type = 'text/event-stream', status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(body);

const frame = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const DONE = frame('[DONE]');
const STREAM = frame(chunk({ content: 'Hi' })) + frame(chunk({}, 'stop')) + DONE;
const COMPLETION = JSON.stringify({
  id: 'c1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
});

function call(fields: JsonObject = {}, more: Partial<UpstreamCall> = {}): UpstreamCall {
  const request = decodeRequestBody({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
    ...fields,
  });
  return { turnId: 't', request, signal: new AbortController().signal, ...more };
}

async function run(
  upstream: Upstream,
  upstreamCall: UpstreamCall,
): Promise<{ events: TurnEvent[]; raw: string; batches: EventBatch[] }> {
  const batches: EventBatch[] = [];
  for await (const batch of upstream.openTurn(upstreamCall)) batches.push(batch);
  const raw = Buffer.concat(batches.flatMap((batch) => (batch.raw ? [batch.raw] : []))).toString();
  return { events: batches.flatMap(({ events }) => [...events]), raw, batches };
}

async function failure(upstream: Upstream, upstreamCall: UpstreamCall): Promise<GatewayError> {
  const thrown: unknown = await run(upstream, upstreamCall).catch((error: unknown) => error);
  if (thrown instanceof GatewayError) return thrown;
  throw new Error(`no GatewayError: ${JSON.stringify(thrown)}`);
}

describe('a turn', () => {
  it('is sent to /chat/completions with the key and read as events', async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    const { events } = await run(upstream, call());
    expect(foldTurn(events)).toMatchObject({ content: [{ text: 'Hi' }], finishReason: 'stop' });
    expect(seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret-key' },
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ stream_options: { include_usage: true } });
  });

  it('of the same dialect sends the client own bytes, the model aside', async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    const body = '{ "messages": [{"role":"user","content":"x"}],  "model": "alias", "odd": 1.0 }';
    await run(upstream, call({}, { original: { dialect: 'openai-chat', body: Buffer.from(body) } }));
    expect(seen[0]?.body).toBe(body.replace('alias', 'm'));
  });

  it('is encoded again when the client named no model, or when a tool must be lowered', async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    const original = { dialect: 'openai-chat', body: Buffer.from('{"messages":[]}') };
    await run(upstream, call({}, { original }));
    const tools = [{ type: 'custom', custom: { name: 'p' } }];
    const withModel = { dialect: 'openai-chat', body: Buffer.from('{"model":"alias"}') };
    await run(upstream, call({ tools }, { original: withModel }));
    expect(seen.map(({ body }) => (JSON.parse(body) as JsonObject).model)).toEqual(['m', 'm']);
    expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({
      tools: [{ type: 'function', function: { name: 'p' } }],
    });
  });

  it('forwards raw frames and comments, but not [DONE]', async () => {
    const { upstream } = await serve(respond(`: hello\n\n${STREAM}`));
    const { raw, events } = await run(upstream, call({}, { rawDialect: 'openai-chat' }));
    expect(raw).toBe(`: hello\n\n${STREAM}`.replace(DONE, ''));
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' });
  });

  it('keeps from the client the usage chunk that only we asked for', async () => {
    const usage = frame({
      id: 'c1',
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
    const { upstream } = await serve(respond(STREAM.replace(DONE, usage + DONE)));
    const hidden = await run(upstream, call({}, { rawDialect: 'openai-chat' }));
    expect(hidden.raw).not.toContain('usage');
    expect(hidden.events.at(-1)).toMatchObject({ usage: { totalTokens: 2 } });
    const asked = await run(
      upstream,
      call({ stream_options: { include_usage: true } }, { rawDialect: 'openai-chat' }),
    );
    expect(asked.raw).toContain('usage');
  });

  it('has no raw bytes for a client of another dialect or for a lowered tool', async () => {
    const { upstream } = await serve(respond(STREAM));
    expect((await run(upstream, call({}, { rawDialect: 'anthropic-messages' }))).raw).toBe('');
    const tools = [{ type: 'custom', custom: { name: 'p' } }];
    expect((await run(upstream, call({ tools }, { rawDialect: 'openai-chat' }))).raw).toBe('');
  });

  it('that was not streamed is one batch with the whole body', async () => {
    const { upstream } = await serve(respond(COMPLETION, 'application/json'));
    const { batches, raw } = await run(upstream, call({ stream: false }, { rawDialect: 'openai-chat' }));
    expect(batches).toHaveLength(1);
    expect(raw).toBe(COMPLETION);
  });

  it.each([
    ['JSON although a stream was asked', COMPLETION, 'application/json', true],
    ['events with a JSON content type', STREAM, 'application/json', true],
    ['JSON with an event-stream content type', COMPLETION, 'text/event-stream', true],
    ['events although none were asked', STREAM, 'text/event-stream', false],
  ])('is understood as %s', async (_what, body, type, stream) => {
    const { upstream } = await serve(respond(body, type));
    const { events } = await run(upstream, call({ stream }));
    expect(foldTurn(events)).toMatchObject({ content: [{ text: 'Hi' }], finishReason: 'stop' });
  });

  it('is complete when only the last blank line is missing', async () => {
    const { upstream } = await serve(respond(`${frame(chunk({ content: 'Hi' }))}data: [DONE]`));
    expect((await run(upstream, call())).events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
  });

  it('tells right after its start what was left out', async () => {
    const { upstream } = await serve(respond(STREAM));
    const { extra: _extra, ...request } = call().request;
    const { events } = await run(upstream, { ...call(), request: { ...request, verbosity: 'low' } });
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['turn-start', 'warning']);
  });
});

describe('a failure before the first batch is thrown', () => {
  it.each<[string, Answer, string]>([
    ['an error status', respond('{"error":{"message":"slow"}}', 'application/json', 429), 'rate-limited'],
    ['an empty stream', respond(''), 'upstream-malformed'],
    ['only comments', respond(': hello\n\n'), 'upstream-malformed'],
    ['only [DONE]', respond(DONE), 'upstream-malformed'],
    ['a malformed first frame', respond(frame('{"half')), 'upstream-malformed'],
    ['an error frame first', respond(frame({ error: { code: 503, message: 'x' } })), 'upstream-unavailable'],
    [
      'an error beside the first text',
      respond(frame(chunk({ content: 'a' })) + frame({ error: 'x' })),
      'upstream-unavailable',
    ],
    ['an HTML page', respond('<html>login</html>', 'text/html'), 'upstream-malformed'],
    ['JSON that is no completion', respond('{"hello":1}', 'application/json'), 'upstream-malformed'],
    ['broken JSON', respond('{"id":', 'application/json'), 'upstream-malformed'],
  ])('%s', async (_what, answer, code) => {
    const { upstream } = await serve(answer);
    expect((await failure(upstream, call({}, { rawDialect: 'openai-chat' }))).code).toBe(code);
  });

  it('without the key in it', async () => {
    const { upstream } = await serve(
      respond('{"error":{"message":"bad key secret-key"}}', 'application/json', 401),
    );
    const error = await failure(upstream, call());
    expect(error.message).toContain('credentials');
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain('secret-key');
  });
});

describe('a failure after the first batch is an event', () => {
  /** The first part is answered at once, the rest when the test has read the first batch. */
  async function inTwo(first: string, then: Answer): Promise<{ first: EventBatch; rest: EventBatch[] }> {
    let response: ServerResponse | undefined;
    const { upstream } = await serve((open) => {
      response = open;
      open.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
    });
    const controller = new AbortController();
    const turn = upstream
      .openTurn(call({}, { signal: controller.signal, rawDialect: 'openai-chat' }))
      [Symbol.asyncIterator]();
    const head = await turn.next();
    if (response) then(response);
    if (then === leave) controller.abort();
    const rest: EventBatch[] = [];
    for (let next = await turn.next(); !next.done; next = await turn.next()) rest.push(next.value);
    return { first: head.value as EventBatch, rest }; // the first is never the end
  }
  const leave: Answer = () => {};
  const opening = frame(chunk({ content: 'Hi' }));

  it.each<[string, Answer, string]>([
    ['a cut connection', (response) => response.destroy(), 'upstream-unavailable'],
    ['an early end', (response) => response.end(), 'upstream-malformed'],
    ['an end in the middle of a frame', (response) => response.end('data: {"id":'), 'upstream-malformed'],
    [
      'an error frame',
      (response) => response.end(frame({ error: { message: 'x' } }) + DONE),
      'upstream-unavailable',
    ],
    ['nonsense', (response) => response.end(frame('nonsense')), 'upstream-malformed'],
    ['a client that leaves', leave, 'cancelled'],
  ])('%s', async (_what, then, code) => {
    const { first, rest } = await inTwo(opening, then);
    expect(Buffer.from(first.raw ?? []).toString()).toBe(opening);
    const last = rest.at(-1);
    expect(last?.events.at(-1)).toMatchObject({ type: 'turn-error', error: { code } });
    expect(last?.raw).toBeUndefined();
  });

  it('except when the answer was already whole', async () => {
    const { rest } = await inTwo(frame(chunk({ content: 'Hi' }, 'stop')), (response) => response.destroy());
    expect(rest.at(-1)?.events).toMatchObject([{ type: 'turn-end', reason: 'stop' }]);
  });
});

describe('models', () => {
  it('are discovered', async () => {
    const { upstream, seen } = await serve(
      respond('{"data":[{"id":"a","max_model_len":8}]}', 'application/json'),
    );
    expect(await upstream.listModels(new AbortController().signal)).toEqual([{ id: 'a', contextWindow: 8 }]);
    expect(seen[0]?.path).toBe('/v1/models');
  });

  it('are taken from the configuration when it lists them', async () => {
    const upstream = openaiChatUpstream.create({
      name: 'up',
      headers: {},
      models: ['a'],
      contextWindow: 9,
      timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
      capabilities: [],
      newId: countingIds(),
    });
    expect(await upstream.listModels(new AbortController().signal)).toEqual([{ id: 'a', contextWindow: 9 }]);
    await upstream.close();
  });
});
