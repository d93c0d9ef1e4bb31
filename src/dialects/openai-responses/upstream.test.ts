import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { countingIds, foldTurn, type JsonObject, type TurnRequest } from '../../core/index.ts';
import type { EventBatch, Upstream, UpstreamCall } from '../dialect.ts';
import { decodeRequestBody } from './decode-request.ts';
import { sealSummary } from './sealed-content.ts';
import { openaiResponsesUpstream } from './upstream.ts';

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

async function serve(answer: Answer, models?: string[]): Promise<{ upstream: Upstream; seen: Seen[] }> {
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
  const upstream = openaiResponsesUpstream.create({
    name: 'up',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'secret-key',
    headers: {},
    models,
    timeouts: { connectMs: 5000, firstByteMs: 5000, idleMs: 5000 },
    capabilities: [],
    newId: countingIds(),
  });
  closing.push(async () => {
    await upstream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { upstream, seen };
}

const frame = (value: JsonObject) => `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
};
const response = { id: 'resp_up', object: 'response', model: 'real', status: 'completed', output: [message] };
const CREATED = frame({
  type: 'response.created',
  sequence_number: 0,
  response: { id: 'resp_up', model: 'real' },
});
const DELTA = frame({
  type: 'response.output_text.delta',
  sequence_number: 1,
  output_index: 0,
  content_index: 0,
  item_id: 'msg_1',
  delta: 'Hi',
});
const COMPLETED = frame({ type: 'response.completed', sequence_number: 2, response });
const STREAM = CREATED + DELTA + COMPLETED;
const failed = (code: string) =>
  frame({ type: 'response.failed', sequence_number: 1, response: { error: { code, message: 'No.' } } });

const respond =
  (body: string, type = 'text/event-stream', status = 200): Answer =>
  (reply) =>
    reply.writeHead(status, { 'content-type': type }).end(body);

/** Each piece is sent once the one before it has been read. */
const respondInPieces =
  (...pieces: (string | 'cut')[]): Answer =>
  (reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = () => {
      const piece = pieces.shift();
      if (piece === undefined) reply.end();
      else if (piece === 'cut') reply.destroy();
      else reply.write(piece, () => setImmediate(next));
    };
    next();
  };

const never = new AbortController().signal;
function call(fields: JsonObject = {}, more: Partial<UpstreamCall> = {}): UpstreamCall {
  const request = decodeRequestBody({ model: 'm', stream: true, input: 'x', ...fields });
  return { turnId: 't', request, signal: never, ...more };
}

async function run(upstream: Upstream, turn: UpstreamCall): Promise<EventBatch[]> {
  const batches: EventBatch[] = [];
  for await (const batch of upstream.openTurn(turn)) batches.push(batch);
  return batches;
}
const textOf = (batches: EventBatch[]) =>
  foldTurn(batches.flatMap(({ events }) => events))
    .content.map((part) => ('text' in part ? part.text : part.type))
    .join('');
const rawOf = (batches: EventBatch[]) => Buffer.concat(batches.flatMap(({ raw }) => raw ?? [])).toString();

describe('a Responses upstream', () => {
  it('posts to /responses with the key and decodes the stream', async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    expect(textOf(await run(upstream, call()))).toBe('Hi');
    expect(seen[0]).toMatchObject({ path: '/v1/responses', headers: { authorization: 'Bearer secret-key' } });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ model: 'm', stream: true });
  });

  it("sends the client's own bytes with only the model changed, and gives the upstream's own bytes back", async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    const body = Buffer.from('{ "input":"x",  "model" : "public", "stream":true, "new_field":1.0 }');
    const original = { dialect: 'openai-responses', body };
    const batches = await run(upstream, call({}, { original, rawDialect: 'openai-responses' }));
    expect(seen[0]?.body).toBe('{ "input":"x",  "model" : "m", "stream":true, "new_field":1.0 }');
    expect(rawOf(batches)).toBe(STREAM);
    const end = batches.at(-1)?.events.at(-1);
    expect(end?.type === 'turn-end' && end.extra?.['openai-responses']?.response).toEqual(response);
  });

  it('translates a body that holds what only we can read', async () => {
    const { upstream, seen } = await serve(respond(STREAM));
    const fields = { input: [{ type: 'compaction', encrypted_content: sealSummary('So far.') }] };
    const body = Buffer.from(JSON.stringify({ model: 'm', stream: true, ...fields }));
    await run(upstream, call(fields, { original: { dialect: 'openai-responses', body } }));
    expect(seen[0]?.body).toContain('So far.');
    expect(seen[0]?.body).not.toContain('crosspoint.');
  });

  it('reads a whole answer and forwards its bytes', async () => {
    const body = JSON.stringify(response);
    const { upstream } = await serve(respond(body, 'application/json'));
    const batches = await run(upstream, call({ stream: false }, { rawDialect: 'openai-responses' }));
    expect(textOf(batches)).toBe('Hi');
    expect(rawOf(batches)).toBe(body);
  });

  it('JSON although a stream was asked, or events with a JSON content type', async () => {
    const json = await serve(respond(JSON.stringify(response), 'text/event-stream'));
    const batches = await run(json.upstream, call({}, { rawDialect: 'openai-responses' }));
    expect(textOf(batches)).toBe('Hi');
    expect(rawOf(batches)).toBe('');
    const events = await serve(respond(STREAM, 'application/json'));
    expect(textOf(await run(events.upstream, call()))).toBe('Hi');
  });

  it('a failure before the first item is thrown, so that the turn may be tried elsewhere', async () => {
    const { upstream } = await serve(respondInPieces(CREATED, failed('rate_limit_exceeded')));
    await expect(run(upstream, call())).rejects.toMatchObject({ code: 'rate-limited', retryable: true });
  });

  it('a later failure is an event, and its frame is left to the front', async () => {
    const { upstream } = await serve(respondInPieces(CREATED, DELTA, failed('server_error')));
    const batches = await run(upstream, call({}, { rawDialect: 'openai-responses' }));
    expect(batches.at(-1)?.events.at(-1)).toMatchObject({
      type: 'turn-error',
      error: { code: 'upstream-unavailable' },
    });
    expect(rawOf(batches)).toBe(CREATED + DELTA);
  });

  it.each<[string, Answer, string]>([
    ['an empty stream', respond(''), 'upstream-malformed'],
    ['a stream that only announces', respond(CREATED), 'upstream-malformed'],
    ['something that is not JSON', respond('data: <html>\n\n'), 'upstream-malformed'],
    ['broken JSON', respond('{"output":', 'application/json'), 'upstream-malformed'],
    ['a refusal', respond('{"error":{"message":"Bad."}}', 'application/json', 400), 'upstream-rejected'],
    ['a failure', respond('', 'text/plain', 503), 'upstream-unavailable'],
  ])('throws while nothing was answered: %s', async (_name, answer, code) => {
    const { upstream } = await serve(answer);
    await expect(run(upstream, call())).rejects.toMatchObject({ code });
  });

  it.each<[string, Answer, string]>([
    ['the connection is cut', respondInPieces(CREATED, DELTA, 'cut'), 'upstream-unavailable'],
    ['the stream ends too early', respondInPieces(CREATED, DELTA), 'upstream-malformed'],
  ])('ends with an error event when %s in the middle', async (_name, answer, code) => {
    const { upstream } = await serve(answer);
    const events = (await run(upstream, call())).flatMap((batch) => batch.events);
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code } });
  });

  it('understands a last event without its blank line', async () => {
    const { upstream } = await serve(respond(STREAM.trimEnd()));
    expect(textOf(await run(upstream, call()))).toBe('Hi');
  });

  it('gives renamed tools of other dialects their names back', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'mcp_x', arguments: '{}' };
    const { upstream, seen } = await serve(
      respond(CREATED + frame({ type: 'response.completed', response: { output: [item] } })),
    );
    const request: TurnRequest = {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
      tools: [{ kind: 'function', name: 'mcp.x' }],
      sampling: { seed: 1 },
      stream: true,
    };
    const events = (await run(upstream, call({}, { request }))).flatMap((batch) => batch.events);
    expect(seen[0]?.body).toContain('"mcp_x"');
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call', name: 'mcp.x' }));
    expect(events[1]).toMatchObject({ type: 'warning', code: 'option-dropped' });
  });

  it('lists the configured models, or asks for them', async () => {
    const configured = await serve(respond(''), ['a']);
    expect(await configured.upstream.listModels(never)).toEqual([{ id: 'a' }]);
    const list = { data: [{ id: 'gpt-5.1', object: 'model', created: 5, owned_by: 'openai' }] };
    const asked = await serve(respond(JSON.stringify(list), 'application/json'));
    expect(await asked.upstream.listModels(never)).toEqual([
      { id: 'gpt-5.1', createdAtMs: 5000, ownedBy: 'openai' },
    ]);
    const odd = await serve(respond('{"models":[]}', 'application/json'));
    await expect(odd.upstream.listModels(never)).rejects.toMatchObject({ code: 'upstream-malformed' });
  });
});
