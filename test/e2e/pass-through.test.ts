// Same dialect at both ends: bytes pass as they came, and the gateway still sees everything.
import { afterEach, describe, expect, it } from 'vitest';
import { readBody, type TurnsBody } from '../support/bodies.ts';
import {
  type Answer,
  chunk,
  DONE,
  type ScriptedUpstream,
  startScriptedUpstream,
  startSse,
} from '../support/scripted-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

const open: { upstream?: ScriptedUpstream; gateway?: TestGateway } = {};

async function connect(
  answer: Answer,
  config: Parameters<typeof startTestGateway>[0] = {},
): Promise<TestGateway> {
  open.upstream = await startScriptedUpstream(answer);
  const up = { kind: 'openai-chat', baseUrl: open.upstream.baseUrl, apiKey: 'upstream-key' };
  open.gateway = await startTestGateway({ upstreams: { up }, ...config });
  return open.gateway;
}

afterEach(async () => {
  await open.gateway?.stop();
  await open.upstream?.stop();
});

const WIRE =
  `: a comment\n\n${chunk({ role: 'assistant', content: '' })}` +
  // Odd spacing, an unknown field and a raw emoji: re-encoding would change all three.
  'data:  {"id":"chatcmpl-up","object":"chat.completion.chunk", "created":1,"model":"m","x_new":[1],' +
  '"choices":[{"index":0,"delta":{"content":"\\u00e9 🎈"},"finish_reason":null}]}\n\n' +
  `${chunk({}, 'stop')}` +
  'data: {"id":"chatcmpl-up","object":"chat.completion.chunk","created":1,"model":"m","choices":[],' +
  '"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":5}}}\n\n';

async function lastTurn(gateway: TestGateway) {
  return (await readBody<TurnsBody>(gateway.admin('GET', '/api/turns'))).recent[0];
}

describe('a streamed answer', () => {
  it('leaves byte for byte as it came, and is still counted', async () => {
    const gateway = await connect((response) => startSse(response).end(WIRE + DONE));
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(await answer.text()).toBe(WIRE + DONE);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(answer.headers.get('x-crosspoint-upstream')).toBe('up');
    expect(await lastTurn(gateway)).toMatchObject({
      turnId: answer.headers.get('x-crosspoint-turn'),
      outcome: 'ok',
      passThrough: true,
      usage: { inputTokens: 7, outputTokens: 2, cacheReadTokens: 5 },
    });
  });

  it('does not depend on how the bytes were cut', async () => {
    const bytes = Buffer.from(WIRE + DONE);
    const gateway = await connect(async (response) => {
      startSse(response);
      for (let i = 0; i < bytes.length; i += 7) {
        response.write(bytes.subarray(i, i + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(await answer.text()).toBe(WIRE + DONE);
  });

  it('begins as soon as the upstream begins', async () => {
    let goOn: () => void = () => {};
    const gateway = await connect(async (response) => {
      startSse(response).write(chunk({ role: 'assistant', content: 'first' }));
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      response.end(chunk({}, 'stop') + DONE);
    });
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('first');
    goOn();
    while (!(await reader?.read())?.done);
  });
});

describe('a whole answer', () => {
  it('leaves byte for byte as it came', async () => {
    const body = `{"id":"x", "object":"chat.completion","created":1,"model":"m","x_new":1.50,"choices":[{"index":0,"message":{"role":"assistant","content":"h\\u0069"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`;
    const gateway = await connect((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(await answer.text()).toBe(body);
    expect(await lastTurn(gateway)).toMatchObject({ usage: { totalTokens: 2 }, passThrough: true });
  });
});

describe('the request', () => {
  it("is sent as it came, the model name aside, with the upstream's own key", async () => {
    const gateway = await connect((response) =>
      startSse(response).end(chunk({ content: 'x' }, 'stop') + DONE),
    );
    const body =
      '{ "stream":true, "model" : "up/m", "temperature":1.0, "x_vendor":{"a":[1e2]}, "n":2, "messages":[{"role":"user","content":"\\u00e9"}] }';
    await (
      await gateway.post('/v1/chat/completions', body, { authorization: 'Bearer client-secret' })
    ).text();
    const [seen] = open.upstream?.requests ?? [];
    expect(seen?.body).toBe(body.replace('up/m', 'm'));
    expect(seen?.headers.authorization).toBe('Bearer upstream-key');
    expect(JSON.stringify(seen?.headers)).not.toContain('client-secret');
  });

  it('is re-encoded, unknown parameters included, when the configuration changes something', async () => {
    const gateway = await connect(
      (response) => startSse(response).end(chunk({ content: 'x' }, 'stop') + DONE),
      {
        config: (config) => ({
          ...config,
          models: { low: { upstream: 'up', model: 'm', reasoningEffort: 'low' } },
        }),
      },
    );
    const body = {
      model: 'low',
      stream: true,
      x_vendor: { a: 1 },
      messages: [{ role: 'user', content: 'x' }],
    };
    await (await gateway.post('/v1/chat/completions', body)).text();
    expect(JSON.parse(open.upstream?.requests[0]?.body ?? '')).toMatchObject({
      model: 'm',
      reasoning_effort: 'low',
      x_vendor: { a: 1 },
    });
  });
});

describe('cancelling', () => {
  it('reaches the upstream when the client leaves in mid-stream', async () => {
    const gateway = await connect((response) => void startSse(response).write(chunk({ content: 'x' })));
    const client = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'up/m', stream: true, messages: [{ role: 'user', content: 'x' }] }),
      signal: client.signal,
    });
    await answer.body?.getReader().read();
    client.abort();
    await open.upstream?.closed(0);
    await expect.poll(async () => (await lastTurn(gateway))?.outcome).toBe('cancelled');
  });

  it('reaches the upstream when the client leaves before the first byte', async () => {
    let arrived: () => void = () => {};
    const requestArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gateway = await connect(() => arrived());
    const client = new AbortController();
    const answer = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'up/m', stream: true, messages: [{ role: 'user', content: 'x' }] }),
      signal: client.signal,
    });
    await requestArrived;
    client.abort();
    await expect(answer).rejects.toThrow();
    await open.upstream?.closed(0);
  });

  it('by the operator ends the stream with an error', async () => {
    const gateway = await connect((response) => void startSse(response).write(chunk({ content: 'x' })));
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    const turnId = answer.headers.get('x-crosspoint-turn');
    expect((await gateway.admin('DELETE', `/api/turns/${turnId}`)).status).toBeLessThan(300);
    expect(await answer.text()).toMatch(/"error".*cancel.*\n\ndata: \[DONE\]\n\n$/);
  });
});

describe('silence', () => {
  it('is filled with comments, also before the first byte', async () => {
    let goOn: () => void = () => {};
    const gateway = await connect(
      async (response) => {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        startSse(response).end(chunk({ role: 'assistant', content: 'late' }, 'stop') + DONE);
      },
      { config: (config) => ({ ...config, server: { ...config.server, keepAliveMs: 20 } }) },
    );
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(answer.status).toBe(200); // the head came with a comment, long before the upstream spoke
    goOn();
    const text = await answer.text();
    expect(text.startsWith(': keep-alive\n\n')).toBe(true);
    expect(text).toContain('late');
    expect(text.endsWith(DONE)).toBe(true);
  });
});
