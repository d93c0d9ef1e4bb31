// Law 1: a dead, cut or malformed upstream is an error in the client's own dialect, never an empty success.
import { afterEach, describe, expect, it } from 'vitest';
import { type ErrorBody, readBody } from '../support/bodies.ts';
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
  timeouts?: { firstByteMs?: number; idleMs?: number },
): Promise<TestGateway> {
  open.upstream = await startScriptedUpstream(answer);
  open.gateway = await startTestGateway({
    upstreams: {
      up: {
        kind: 'openai-chat',
        baseUrl: open.upstream.baseUrl,
        retries: 0,
        ...(timeouts ? { timeouts } : {}),
      },
    },
  });
  return open.gateway;
}

afterEach(async () => {
  await open.gateway?.stop();
  await open.upstream?.stop();
});

const ask = (stream: boolean) => ({ model: 'up/m', stream, messages: [{ role: 'user', content: 'hi' }] });

/** The data of every server-sent event of an answer. */
async function framesOf(response: Response): Promise<string[]> {
  return (await response.text())
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice(6));
}

function expectStreamError(frames: string[], message: RegExp): void {
  expect(frames.at(-1)).toBe('[DONE]');
  const error = JSON.parse(frames.at(-2) ?? '{}');
  expect(error.error.message).toMatch(message);
  const finished = frames.slice(0, -2).some((frame) => JSON.parse(frame).choices?.[0]?.finish_reason);
  expect(finished).toBe(false);
}

describe('an upstream that dies in mid-stream', () => {
  it('gives the client what came, then an error, never a finish', async () => {
    const gateway = await connect((response) => {
      startSse(response).write(chunk({ role: 'assistant', content: 'Hel' }), () => response.destroy());
    });
    const frames = await framesOf(await gateway.post('/v1/chat/completions', ask(true)));
    expect(JSON.parse(frames[0] ?? '').choices[0].delta.content).toBe('Hel');
    expectStreamError(frames, /cut the connection/);
  });

  it('is an error without a stream as well', async () => {
    const gateway = await connect((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":"x","choices":[', () => response.destroy());
    });
    const answer = await gateway.post('/v1/chat/completions', ask(false));
    expect(answer.status).toBe(503);
    expect((await readBody<ErrorBody>(answer)).error.message).toMatch(/cut the connection/);
  });

  it('that ends cleanly but without a finish is an error too', async () => {
    const gateway = await connect((response) => {
      startSse(response).end(chunk({ role: 'assistant', content: 'Hel' }));
    });
    expectStreamError(await framesOf(await gateway.post('/v1/chat/completions', ask(true))), /./);
  });
});

describe('an upstream that answers nothing', () => {
  it.each([true, false])('with an empty 200 gives a 502 (stream: %s)', async (stream) => {
    const gateway = await connect((response) => {
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' }).end();
    });
    const answer = await gateway.post('/v1/chat/completions', ask(stream));
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.any(String), type: expect.any(String) },
    });
  });

  it('but a lone end marker gives a 502', async () => {
    const gateway = await connect((response) => startSse(response).end(DONE));
    expect((await gateway.post('/v1/chat/completions', ask(true))).status).toBe(502);
  });
});

describe('an upstream that sends half a JSON line', () => {
  it('as its first frame gives a 502', async () => {
    const gateway = await connect((response) => startSse(response).end('data: {"id":"x","cho\n\n'));
    expect((await gateway.post('/v1/chat/completions', ask(true))).status).toBe(502);
  });

  it('later gives an error frame, and the bad bytes are not passed on', async () => {
    let goOn: () => void = () => {};
    const gateway = await connect(async (response) => {
      startSse(response).write(chunk({ role: 'assistant', content: 'ok' }));
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      response.end(`data: {"cho\n\n${DONE}`);
    });
    const answer = await gateway.post('/v1/chat/completions', ask(true));
    goOn(); // the first frame has come: the status is there
    const frames = await framesOf(answer);
    expect(JSON.parse(frames[0] ?? '').choices[0].delta.content).toBe('ok');
    expect(frames).not.toContain('{"cho');
    expectStreamError(frames, /./);
  });
});

describe('an upstream that stalls', () => {
  it('before the first byte gives a 504', async () => {
    const gateway = await connect(() => {}, { firstByteMs: 50 });
    const answer = await gateway.post('/v1/chat/completions', ask(true));
    expect(answer.status).toBe(504);
    expect((await readBody<ErrorBody>(answer)).error.message).toContain('no first byte within 50 ms');
  });

  it('in mid-stream gives an error frame and lets go of the upstream', async () => {
    const gateway = await connect((response) => void startSse(response).write(chunk({ content: 'Hel' })), {
      idleMs: 50,
    });
    const frames = await framesOf(await gateway.post('/v1/chat/completions', ask(true)));
    expectStreamError(frames, /no data within 50 ms/);
    await open.upstream?.closed(0);
  });
});

describe('an upstream that refuses', () => {
  it.each([
    [
      400,
      { error: { message: 'bad temperature', type: 'invalid_request_error', param: 'temperature' } },
      400,
      /bad temperature/,
    ],
    [
      401,
      { error: { message: 'Incorrect API key provided: sk-planted-0123456789abcdef' } },
      502,
      /credentials|key/,
    ],
    [429, { error: { message: 'slow down' } }, 429, /slow down/],
    [429, { error: { message: 'no money', code: 'insufficient_quota' } }, 429, /no money/],
    [500, { error: { message: 'oops' } }, 503, /oops/],
    [404, '<html>nginx</html>', 404, /./],
  ])('with %i is reported in our dialect', async (status, body, expected, message) => {
    const gateway = await connect((response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const answer = await gateway.post('/v1/chat/completions', ask(true));
    const text = await answer.text();
    expect(answer.status).toBe(expected);
    expect(JSON.parse(text).error.message).toMatch(message);
    expect(text).not.toContain('sk-planted');
  });

  it('with an error as the first frame of a 200 is an HTTP error', async () => {
    const gateway = await connect((response) => {
      startSse(response).end('data: {"error":{"message":"overloaded","code":"rate_limit_exceeded"}}\n\n');
    });
    expect((await gateway.post('/v1/chat/completions', ask(true))).status).toBeGreaterThanOrEqual(429);
  });
});

describe('retries and failover happen before the first byte only', () => {
  it('a passing 503 is tried again and the client sees nothing of it', async () => {
    open.upstream = await startScriptedUpstream((response, _request, index) => {
      if (index === 0) response.writeHead(503, { 'retry-after-ms': '1' }).end();
      else startSse(response).end(chunk({ role: 'assistant', content: 'hi' }) + chunk({}, 'stop') + DONE);
    });
    open.gateway = await startTestGateway({
      upstreams: { up: { kind: 'openai-chat', baseUrl: open.upstream.baseUrl } },
    });
    const answer = await open.gateway.post('/v1/chat/completions', ask(true));
    expect(await framesOf(answer)).toHaveLength(3);
    expect(open.upstream.requests).toHaveLength(2);
  });

  it('a dead target leads to the next one, and the answer says which', async () => {
    open.upstream = await startScriptedUpstream((response) => {
      startSse(response).end(chunk({ role: 'assistant', content: 'hi' }) + chunk({}, 'stop') + DONE);
    });
    open.gateway = await startTestGateway({
      upstreams: {
        dead: { kind: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', retries: 0 },
        up: { kind: 'openai-chat', baseUrl: open.upstream.baseUrl },
      },
      config: (config) => ({ ...config, models: { both: { targets: ['dead/m', 'up/m'] } } }),
    });
    const answer = await open.gateway.post('/v1/chat/completions', { ...ask(true), model: 'both' });
    expect(answer.headers.get('x-crosspoint-upstream')).toBe('up');
    expect(await framesOf(answer)).toHaveLength(3);
  });

  it('nothing is repeated once a byte has come', async () => {
    open.upstream = await startScriptedUpstream((response) => {
      startSse(response).write(chunk({ role: 'assistant', content: 'Hel' }), () => response.destroy());
    });
    open.gateway = await startTestGateway({
      upstreams: { up: { kind: 'openai-chat', baseUrl: open.upstream.baseUrl, retries: 3 } },
    });
    await framesOf(await open.gateway.post('/v1/chat/completions', ask(true)));
    expect(open.upstream.requests).toHaveLength(1);
  });
});
