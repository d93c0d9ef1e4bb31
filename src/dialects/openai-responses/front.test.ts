import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countingIds, foldTurn, GatewayError, type TurnEvent, TurnSpans } from '../../core/index.ts';
import { openaiResponsesFront as front } from './front.ts';

/** What the model answers in these tests: a thought, a text and a call. */
function answer(): TurnEvent[] {
  const spans = new TurnSpans();
  const events: TurnEvent[] = [{ type: 'turn-start', model: 'real' }];
  spans.reasoning('Hm.', events, 'summary');
  spans.text('I will ', events);
  spans.text('look.', events);
  spans.startTool({ callId: 'call_1', name: 'read', kind: 'function' }, events);
  spans.tools.append('call_1', '{"path":"a"}', events);
  spans.complete(events);
  const usage = { inputTokens: 5, outputTokens: 7, totalTokens: 12 };
  events.push({ type: 'turn-end', reason: 'tool-calls', usage });
  return events;
}

const server = createServer((request, reply) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    try {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://x');
      const headers = request.headers as Record<string, string | undefined>; // the front reads none twice
      const turn = front.decodeRequest({ method: 'POST', path, query, headers, body: Buffer.concat(chunks) });
      const context = { turnId: 't', request: turn, model: turn.model, nowMs: 0, newId: countingIds() };
      const isFailing = turn.model === 'failing';
      const error = new GatewayError('context-overflow', 'Too long.');
      const events: TurnEvent[] = isFailing
        ? [{ type: 'turn-start' }, { type: 'turn-error', error }]
        : answer();
      if (turn.stream) {
        reply.writeHead(200, { 'content-type': front.streamContentType });
        reply.end(front.keepAlive + front.createEncoder(context).encode(events));
      } else if (isFailing) throw error;
      else {
        reply.writeHead(200, { 'content-type': 'application/json' });
        reply.end(JSON.stringify(front.encodeResult(foldTurn(events), context)));
      }
    } catch (thrown) {
      const { status, headers, body } = front.encodeError(GatewayError.from(thrown));
      reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    }
  });
});

let client: OpenAI;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("OpenAI's own client", () => {
  const ask = { model: 'm', input: 'Hi', include: ['reasoning.encrypted_content' as const] };

  it('reads a whole answer', async () => {
    const response = await client.responses.create(ask);
    expect(response).toMatchObject({
      status: 'completed',
      output_text: 'I will look.',
      usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    });
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
  });

  it('puts the same answer together from the stream', async () => {
    const whole = await client.responses.create(ask);
    const stream = client.responses.stream(ask);
    const deltas: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    const final = await stream.finalResponse();
    expect(deltas).toEqual(['I will ', 'look.']);
    expect(final.output_text).toBe('I will look.');
    const bare = (items: readonly object[]) => items.map((item) => ({ ...item, id: '' }));
    expect(bare(final.output)).toMatchObject(bare(whole.output));
  });

  it('sees a failure in the middle as a failed response', async () => {
    const final = await client.responses.stream({ ...ask, model: 'failing' }).finalResponse();
    expect(final).toMatchObject({ status: 'failed', error: { code: 'context_length_exceeded' } });
  });

  it('raises its own error for a refused request, with the field at fault', async () => {
    const failing = client.responses.create({ ...ask, model: 'failing' });
    await expect(failing).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
    const wrong = client.responses.create({ ...ask, temperature: 'hot' as unknown as number });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature' });
    await expect(wrong).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});
