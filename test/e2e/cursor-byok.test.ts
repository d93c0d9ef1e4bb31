// The BYOK endpoint as Cursor's servers call it: every path, every body shape, every output dialect, two upstream kinds.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let inner: TestGateway;
let gateway: TestGateway;

beforeAll(async () => {
  // The inner gateway's demo model stands for a chat server and for a Responses server.
  inner = await startTestGateway();
  gateway = await startTestGateway({
    upstreams: {
      chat: { kind: 'openai-chat', baseUrl: `${inner.url}/v1` },
      responses: { kind: 'openai-responses', baseUrl: `${inner.url}/v1` },
    },
    config: (config) => ({
      ...config,
      models: {
        'my-chat': { upstream: 'chat', model: 'demo/demo' },
        'my-responses': { upstream: 'responses', model: 'demo/demo' },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.stop();
  await inner.stop();
});

const readParameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** The same wish in the shapes of three model families. */
const FAMILIES = {
  generic: (model: string) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'You are an assistant.' },
      { role: 'user', content: 'read notes.md' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'Read', description: 'Reads a file', parameters: readParameters },
      },
    ],
  }),
  'gpt-5': (model: string) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: null,
    input: [
      { role: 'developer', content: 'You are an assistant.' },
      { role: 'user', content: [{ type: 'input_text', text: 'read notes.md' }] },
    ],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    store: false,
    tools: [
      {
        type: 'function',
        name: 'Read',
        description: 'Reads a file',
        parameters: readParameters,
        strict: false,
      },
      {
        type: 'custom',
        name: 'ApplyPatch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: /[^]+/' },
      },
    ],
  }),
  claude: (model: string) => ({
    model,
    stream: true,
    system: [{ type: 'text', text: 'You are an assistant.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'read notes.md' }] }],
    tools: [{ name: 'Read', description: 'Reads a file', input_schema: readParameters }],
    tool_choice: { type: 'auto' },
  }),
} as const;

const families = Object.keys(FAMILIES) as (keyof typeof FAMILIES)[]; // the keys just written
const models = ['my-chat', 'my-responses', 'demo/demo'];

async function framesOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(200);
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
  expect(frames.at(-1)).toBe('data: [DONE]');
  return frames.slice(0, -1).map((frame) => frame.slice(6));
}

describe.each(models)('agent mode on %s', (model) => {
  it.each(families)('gets a tool call for a body of the %s family, with usage', async (family) => {
    const frames = (
      await framesOf(await gateway.post('/cursor/chat/completions', FAMILIES[family](model)))
    ).map(
      (frame) => JSON.parse(frame) as OpenAI.ChatCompletionChunk, // every frame of this dialect is one
    );
    const calls = frames.flatMap((frame) => frame.choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'Read' } });
    expect(JSON.parse(calls.map((call) => call.function?.arguments ?? '').join(''))).toEqual({
      path: 'notes.md',
    });
    const finishes = frames.flatMap((frame) => frame.choices[0]?.finish_reason ?? []);
    expect(finishes).toEqual(['tool_calls']);
    expect(frames.at(-1)?.usage?.prompt_tokens).toBeGreaterThan(0);
  });

  it.each(families)('speaks native frames for a body of the %s family when asked', async (family) => {
    const body = FAMILIES[family](model);
    const native = await framesOf(await gateway.post('/cursor/chat/completions?dialect=cursor', body));
    const frames = native.map((frame) => JSON.parse(frame));
    const started = frames.findIndex((frame) => frame.partial_tool_call);
    const done = frames.findIndex((frame) => frame.tool_call_v2);
    expect(frames[started].partial_tool_call).toMatchObject({ tool: 40, name: 'Read', tool_index: 0 });
    expect(done).toBeGreaterThan(started);
    expect(frames[done].tool_call_v2.read_file_params).toBeDefined();
    expect(frames.some((frame) => frame.choices)).toBe(false);
    const both = await framesOf(
      await gateway.post('/cursor/v1/chat/completions', body, { 'x-crosspoint-dialect': 'both' }),
    );
    expect(both.some((frame) => frame.includes('"tool_call_v2"'))).toBe(true);
    expect(both.some((frame) => frame.includes('"choices"'))).toBe(true);
  });
});

describe('the ways in', () => {
  it('answers the verify probe for a stock model name on every path', async () => {
    const probe = {
      model: 'gpt-3.5-turbo',
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'say hi' },
      ],
    };
    const paths = ['', '/v1', '/v1/v1'].map((prefix) => `/cursor${prefix}/chat/completions`);
    for (const path of [...paths, '/cursor/openai/deployments/gpt-4/chat/completions?api-version=1']) {
      const answer = await gateway.post(path, probe);
      expect(answer.status, path).toBe(200);
      expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    }
  });

  it('reads the wishes in a model name', async () => {
    const body = FAMILIES.generic('my-chat-thinking-high-fast');
    await framesOf(await gateway.post('/cursor/chat/completions', body));
    expect((await gateway.post('/cursor/chat/completions', { ...body, model: 'who-knows' })).status).toBe(
      404,
    );
  });

  it('lists models where Cursor looks for them', async () => {
    for (const baseURL of [`${gateway.url}/cursor`, `${gateway.url}/cursor/v1`]) {
      const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 });
      const list = await client.models.list();
      expect(list.data.map((model) => model.id)).toContain('my-chat');
    }
  });

  it("answers the preflight of Cursor's window, and of nobody else", async () => {
    const preflight = (origin: string) =>
      fetch(`${gateway.url}/cursor/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
    const cursor = await preflight('vscode-file://vscode-app');
    expect(cursor.status).toBe(204);
    expect(cursor.headers.get('access-control-allow-origin')).toBe('vscode-file://vscode-app');
    expect((await preflight('https://evil.example')).status).toBe(403);
  });

  it('names the field and the value when a body says nothing', async () => {
    const empty = await gateway.post('/cursor/chat/completions', { model: 'my-chat' });
    expect(empty.status).toBe(400);
    expect(await empty.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'messages' } });
    const odd = await gateway.post('/cursor/chat/completions?dialect=klingon', FAMILIES.generic('my-chat'));
    expect(odd.status).toBe(400);
  });
});
