import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { countingIds, type JsonObject, type TurnEvent, type TurnRequest } from '../../core/index.ts';
import type { EventBatch, Upstream, UpstreamCall, UpstreamOptions } from '../dialect.ts';
import { decodeRequestBody } from './decode-request.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';
import { anthropicMessagesUpstream } from './upstream.ts';

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const open: { server?: Server; upstream?: Upstream } = {};
const seen: Seen[] = [];

type Reply = (response: ServerResponse, request: Seen) => void;

async function connect(reply: Reply, options: Partial<UpstreamOptions> = {}): Promise<Upstream> {
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      reply(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  open.server = server;
  open.upstream = anthropicMessagesUpstream.create({
    name: 'claude',
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: 'sk-ant-api-1',
    headers: {},
    timeouts: { connectMs: 5000, firstByteMs: 5000, idleMs: 5000 },
    capabilities: [],
    newId: countingIds(),
    ...options,
  });
  return open.upstream;
}

afterEach(async () => {
  seen.length = 0;
  await open.upstream?.close();
  open.server?.closeAllConnections();
  await new Promise((resolve) => (open.server ? open.server.close(resolve) : resolve(undefined)));
});

const frame = (event: JsonObject) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const START = frame({
  type: 'message_start',
  message: { id: 'msg_1', model: 'real', usage: { input_tokens: 1 } },
});
const PING = frame({ type: 'ping' });
const TEXT =
  frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }) +
  frame({ type: 'content_block_stop', index: 0 });
const END =
  frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
  frame({ type: 'message_stop' });
const ERROR = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
const MESSAGE = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'real',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 2 },
});

const stream = (...chunks: string[]): Reply => {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chunks.join(''));
  };
};

const spoken: JsonObject = {
  model: 'public',
  max_tokens: 9,
  stream: true,
  messages: [{ role: 'user', content: 'q' }],
};

function callFor(fields: JsonObject = {}, call: Partial<UpstreamCall> = {}, headers = {}): UpstreamCall {
  const body = { ...spoken, ...fields };
  return {
    turnId: 't',
    request: { ...decodeRequestBody(body, headers), model: 'real' },
    original: { dialect: ANTHROPIC_MESSAGES, body: Buffer.from(JSON.stringify(body)) },
    rawDialect: ANTHROPIC_MESSAGES,
    signal: new AbortController().signal,
    ...call,
  };
}

async function collect(
  batches: AsyncIterable<EventBatch>,
): Promise<{ events: TurnEvent[]; raw: string | undefined }> {
  const events: TurnEvent[] = [];
  const raw: Uint8Array[] = [];
  for await (const batch of batches) {
    events.push(...batch.events);
    if (batch.raw) raw.push(batch.raw);
  }
  return { events, raw: raw.length > 0 ? Buffer.concat(raw).toString() : undefined };
}

const foreign: TurnRequest = {
  model: 'real',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }] }],
  tools: [],
  sampling: {},
  stream: true,
};
const foreignCall = (request: TurnRequest = foreign): UpstreamCall => ({
  turnId: 't',
  request,
  original: { dialect: 'openai-chat', body: Buffer.from('{}') },
  rawDialect: 'openai-chat',
  signal: new AbortController().signal,
});

describe('an Anthropic upstream', () => {
  it('sends the client’s own bytes with only the model changed, and forwards the answer’s bytes whole', async () => {
    const upstream = await connect(stream(START, PING, TEXT, END));
    const body =
      '{ "model" : "public",\n "stream":true,"max_tokens":9,"messages":[{"role":"user","content":"q"}],"new":1}';
    const original = { dialect: ANTHROPIC_MESSAGES, body: Buffer.from(body) };
    const { events, raw } = await collect(upstream.openTurn(callFor({}, { original })));
    expect(seen[0]?.body).toBe(body.replace('"public"', '"real"'));
    expect(seen[0]?.url).toBe('/v1/messages');
    expect(raw).toBe(START + PING + TEXT + END);
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop', usage: { totalTokens: 3 } });
  });

  it('encodes anew where the history holds what Anthropic refuses', async () => {
    const upstream = await connect(stream(START, TEXT, END));
    const messages = [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'foreign', signature: '' },
          { type: 'tool_use', id: 'functions.f:0', name: 'f', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.f:0', content: 'r' }] },
    ];
    await collect(upstream.openTurn(callFor({ messages, tools: [{ name: 'f' }] })));
    expect(JSON.parse(seen[0]?.body ?? '').messages).toEqual([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions_f_0', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions_f_0', content: 'r' }] },
    ]);
  });

  it('encodes requests of other dialects and attaches no bytes for them', async () => {
    const upstream = await connect(stream(START, TEXT, END));
    const { raw } = await collect(upstream.openTurn(foreignCall()));
    expect(raw).toBeUndefined();
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      model: 'real',
      max_tokens: 32_000,
      messages: [{ role: 'user', content: 'q' }],
      stream: true,
    });
  });

  it('sends its key in x-api-key, and the version and betas of a client that speaks this dialect', async () => {
    const upstream = await connect(stream(START, TEXT, END), { headers: { 'Anthropic-Beta': 'ours' } });
    const headers = {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'theirs,ours',
      'x-api-key': 'gateway-key',
    };
    await collect(upstream.openTurn(callFor({}, {}, headers)));
    await collect(upstream.openTurn(foreignCall()));
    expect(seen[0]?.headers).toMatchObject({
      'x-api-key': 'sk-ant-api-1',
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'ours,theirs',
    });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
    expect(seen[1]?.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'ours' });
  });

  it.each([
    ['an OAuth token', { apiKey: 'sk-ant-oat01-x' }, 'Bearer sk-ant-oat01-x'],
    ['any key where configured so', { apiKey: 'k', capabilities: ['bearer'] }, 'Bearer k'],
  ])('sends %s as a bearer', async (_what, options, authorization) => {
    const upstream = await connect(stream(START, TEXT, END), options);
    await collect(upstream.openTurn(foreignCall()));
    expect(seen[0]?.headers).toMatchObject({ authorization });
    expect(seen[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it('throws an error answer before anything is given', async () => {
    const upstream = await connect((response) => {
      response.writeHead(429, { 'retry-after': '2' });
      response.end('{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}');
    });
    await expect(collect(upstream.openTurn(foreignCall()))).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 2000,
    });
  });

  it.each([
    ['an error event', PING + ERROR, 'upstream-unavailable'],
    ['an empty stream', '', 'upstream-malformed'],
    ['something that is no stream', '<html>hello</html>', 'upstream-malformed'],
    ['a broken frame', 'data: {"type":\n\n', 'upstream-malformed'],
    ['JSON that is no message', '{"hello":1}', 'upstream-malformed'],
    ['an error body with status 200', ERROR.slice(ERROR.indexOf('{')), 'upstream-unavailable'],
  ])(
    'throws when %s is the first thing that comes, so that the turn may be tried elsewhere',
    async (_what, wire, code) => {
      const upstream = await connect(stream(wire));
      await expect(collect(upstream.openTurn(callFor()))).rejects.toMatchObject({ code, retryable: true });
    },
  );

  it('reports a later failure inside the turn, without the bytes that said it', async () => {
    let finish: (text: string) => void = () => {};
    const upstream = await connect((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START + TEXT);
      finish = (text) => response.end(text);
    });
    const batches = upstream.openTurn(callFor())[Symbol.asyncIterator]();
    const first = await batches.next();
    expect(first.value?.events[0]).toMatchObject({ type: 'turn-start' });
    finish(ERROR);
    const rest = await collect({ [Symbol.asyncIterator]: () => batches });
    expect(rest.events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } });
    expect(rest.raw ?? '').not.toContain('Overloaded');
  });

  it('reports a stream that stops without message_stop as cut', async () => {
    let finish: () => void = () => {};
    const upstream = await connect((response) => {
      response.writeHead(200);
      response.write(START + TEXT);
      finish = () => response.end();
    });
    const batches = upstream.openTurn(callFor())[Symbol.asyncIterator]();
    await batches.next();
    finish();
    const rest = await collect({ [Symbol.asyncIterator]: () => batches });
    expect(rest.events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
  });

  it('accepts a last frame without its blank line', async () => {
    const upstream = await connect(stream((START + TEXT + END).trimEnd()));
    const { events } = await collect(upstream.openTurn(foreignCall()));
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' });
  });

  it('reads a whole answer, and forwards its bytes to a client that asked for one', async () => {
    const upstream = await connect((response) => response.end(MESSAGE));
    const { events, raw } = await collect(upstream.openTurn(callFor({ stream: false })));
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    expect(raw).toBe(MESSAGE);
  });

  it('understands JSON where a stream was asked, and a stream where JSON was, without forwarding either', async () => {
    let wire = MESSAGE;
    const upstream = await connect((response) => response.end(wire));
    const whole = await collect(upstream.openTurn(callFor()));
    wire = START + TEXT + END;
    const streamed = await collect(upstream.openTurn(callFor({ stream: false })));
    for (const { events, raw } of [whole, streamed]) {
      expect(raw).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ type: 'turn-end', usage: { outputTokens: 2 } });
    }
  });

  it('restores free-text calls and tells what was left out', async () => {
    const call =
      frame({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'a', name: 'patch', input: {} },
      }) +
      frame({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"input":"raw"}' },
      }) +
      frame({ type: 'content_block_stop', index: 0 });
    const upstream = await connect(stream(START, call, END));
    const request = {
      ...foreign,
      tools: [{ kind: 'custom' as const, name: 'patch' }],
      sampling: { seed: 1 },
    };
    const { events } = await collect(upstream.openTurn(foreignCall(request)));
    expect(events[1]).toMatchObject({ type: 'warning', code: 'option-dropped' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-call', kind: 'custom', argumentsText: 'raw' }),
    );
  });

  it('stops when the client leaves', async () => {
    const client = new AbortController();
    const upstream = await connect((response) => response.write(START));
    const batches = upstream.openTurn({ ...foreignCall(), signal: client.signal })[Symbol.asyncIterator]();
    await batches.next();
    client.abort();
    const next = await batches.next();
    expect(next.value?.events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'cancelled' } });
  });

  it('counts tokens without the fields that endpoint refuses', async () => {
    const upstream = await connect((response) => response.end('{"input_tokens":42}'));
    const request = { ...foreign, sampling: { temperature: 1, stop: ['x'] }, user: 'u' };
    expect(await upstream.countTokens?.(request, new AbortController().signal)).toBe(42);
    expect(seen[0]?.url).toBe('/v1/messages/count_tokens');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      model: 'real',
      messages: [{ role: 'user', content: 'q' }],
    });
  });

  it('lists models page by page, and uses the limits it read', async () => {
    const page = (id: string, has_more: boolean) =>
      JSON.stringify({
        data: [{ type: 'model', id, max_tokens: 64_000 }],
        has_more,
        first_id: id,
        last_id: id,
      });
    const upstream = await connect((response, { url }) => {
      if (url.startsWith('/v1/models'))
        response.end(url.includes('after_id=a') ? page('real', false) : page('a', true));
      else stream(START, TEXT, END)(response, { url, headers: {}, body: '' });
    });
    const models = await upstream.listModels(new AbortController().signal);
    expect(models.map(({ id }) => id)).toEqual(['a', 'real']);
    expect(seen[1]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-api-1' });
    await collect(upstream.openTurn(foreignCall()));
    expect(JSON.parse(seen[2]?.body ?? '')).toMatchObject({ max_tokens: 64_000 });
  });

  it('stops paging a list that never ends', async () => {
    let count = 0;
    const upstream = await connect((response) => {
      const id = `m${count++}`;
      response.end(JSON.stringify({ data: [{ id }], has_more: true, last_id: id }));
    });
    expect(await upstream.listModels(new AbortController().signal)).toHaveLength(10);
  });

  it('lists what is configured without asking', async () => {
    const upstream = await connect(() => {}, { models: ['x'], contextWindow: 5 });
    expect(await upstream.listModels(new AbortController().signal)).toEqual([{ id: 'x', contextWindow: 5 }]);
  });
});
