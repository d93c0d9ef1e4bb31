// The official client is the referee: it must understand what this front sends.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingIds, foldTurn, GatewayError, type TurnEvent, type TurnRequest } from '../../core/index.ts';
import { openaiChatFront as front } from './front.ts';

let answer: (request: TurnRequest) => readonly TurnEvent[] = () => [];
let client: OpenAI;

/** The shortest gateway there can be: the front, and a scripted turn. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    try {
      const turn = front.decodeRequest({
        method: 'POST',
        path: request.url ?? '',
        query: new URLSearchParams(),
        headers: {},
        body: Buffer.concat(chunks),
      });
      const context = { turnId: 't', request: turn, model: turn.model, nowMs: 1000, newId: countingIds() };
      const events = answer(turn);
      if (turn.stream) {
        response.writeHead(200, { 'content-type': front.streamContentType });
        response.end(front.keepAlive + front.createEncoder(context).encode(events));
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(front.encodeResult(foldTurn(events), context)));
      }
    } catch (thrown) {
      const reply = front.encodeError(GatewayError.from(thrown));
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify(reply.body));
    }
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const turn: TurnEvent[] = [
  { type: 'turn-start', model: 'real' },
  { type: 'text-start', id: 'p' },
  { type: 'text-delta', id: 'p', text: 'Héllo ' },
  { type: 'text-delta', id: 'p', text: 'you' },
  { type: 'text-end', id: 'p' },
  { type: 'tool-input-start', callId: 'a', name: 'f', kind: 'function' },
  { type: 'tool-input-start', callId: 'b', name: 'g', kind: 'function' },
  { type: 'tool-input-delta', callId: 'b', text: '{"y":2}' },
  { type: 'tool-input-delta', callId: 'a', text: '{"x":' },
  { type: 'tool-input-delta', callId: 'a', text: '1}' },
  { type: 'tool-input-end', callId: 'a' },
  {
    type: 'tool-call',
    callId: 'a',
    name: 'f',
    kind: 'function',
    argumentsText: '{"x":1}',
    executor: 'client',
    resultVia: 'next-request',
  },
  { type: 'tool-input-end', callId: 'b' },
  {
    type: 'tool-call',
    callId: 'b',
    name: 'g',
    kind: 'function',
    argumentsText: '{"y":2}',
    executor: 'client',
    resultVia: 'next-request',
  },
  { type: 'turn-end', reason: 'tool-calls', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } },
];
const expected = {
  model: 'real',
  choices: [
    {
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Héllo you',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{"y":2}' } },
        ],
      },
    },
  ],
  usage: { total_tokens: 5 },
};
const messages = [{ role: 'user' as const, content: 'Hi' }];

describe("OpenAI's own client", () => {
  it('assembles a streamed turn', async () => {
    answer = () => turn;
    const stream = client.chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    });
    expect(await stream.finalChatCompletion()).toMatchObject(expected);
  });

  it('reads a whole turn', async () => {
    answer = () => turn;
    expect(await client.chat.completions.create({ model: 'm', messages })).toMatchObject(expected);
  });

  it('raises an error that comes in mid-stream', async () => {
    const error = new GatewayError('upstream-unavailable', 'the model went away');
    answer = () => [...turn.slice(0, 5), { type: 'turn-error', error }];
    const read = async () => {
      for await (const _chunk of await client.chat.completions.create({
        model: 'm',
        messages,
        stream: true,
      }));
    };
    await expect(read()).rejects.toThrow(/the model went away/);
  });

  it.each([
    ['invalid-request', OpenAI.BadRequestError],
    ['unauthenticated', OpenAI.AuthenticationError],
    ['permission-denied', OpenAI.PermissionDeniedError],
    ['not-found', OpenAI.NotFoundError],
    ['conflict', OpenAI.ConflictError],
    ['rate-limited', OpenAI.RateLimitError],
    ['quota-exceeded', OpenAI.RateLimitError],
    ['context-overflow', OpenAI.BadRequestError],
    ['upstream-unavailable', OpenAI.InternalServerError],
    ['internal', OpenAI.InternalServerError],
  ] as const)('raises its own class for %s', async (code, errorClass) => {
    answer = () => {
      throw new GatewayError(code, 'said so');
    };
    const thrown: unknown = await client.chat.completions
      .create({ model: 'm', messages })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(errorClass);
    expect(String(thrown)).toContain('said so');
  });

  it('is told which field was wrong', async () => {
    const wrong = [{ role: 'tool' as const, content: 'x' }] as unknown as typeof messages; // what a careless client sends
    await expect(client.chat.completions.create({ model: 'm', messages: wrong })).rejects.toMatchObject({
      status: 400,
      param: 'messages[0].tool_call_id',
      type: 'invalid_request_error',
    });
  });
});
