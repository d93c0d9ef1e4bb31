// The official OpenAI client as referee: what it accepts and how it fails is what users see.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedKeyBody, readBody, type TurnsBody } from '../support/bodies.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => gateway.stop());

const readTool = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
} as const;

const runTool = {
  type: 'function',
  function: {
    name: 'bash',
    description: 'Runs a command',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
} as const;

const ask = (content: string) => [{ role: 'user' as const, content }];

describe('the openai client', () => {
  it('gets a plain answer with usage', async () => {
    const completion = await client.chat.completions.create({
      model: 'demo/demo',
      messages: ask('what is 2+2?'),
    });
    expect(completion.object).toBe('chat.completion');
    expect(completion.choices[0]?.message.content).toContain('4');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.total_tokens).toBe(
      (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
    );
  });

  it('streams with its helper and finds one id, a role and usage', async () => {
    const stream = client.chat.completions.stream({
      model: 'demo/demo',
      messages: ask('hello'),
      stream_options: { include_usage: true },
    });
    const ids = new Set<string>();
    for await (const chunk of stream) ids.add(chunk.id);
    const final = await stream.finalChatCompletion();
    expect(ids.size).toBe(1);
    expect(final.choices[0]?.message.role).toBe('assistant');
    expect(final.choices[0]?.message.content?.length).toBeGreaterThan(0);
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  it.each([true, false])(
    'gets a tool call and an answer that uses the result (stream: %s)',
    async (isStream) => {
      const messages: OpenAI.ChatCompletionMessageParam[] = ask('read package.json');
      const first = await complete(isStream, { model: 'demo/demo', messages, tools: [readTool] });
      expect(first.choices[0]?.finish_reason).toBe('tool_calls');
      const call = first.choices[0]?.message.tool_calls?.[0];
      if (call?.type !== 'function') throw new Error('no function call');
      expect(call.function.name).toBe('read_file');
      expect(JSON.parse(call.function.arguments)).toEqual({ path: 'package.json' });
      messages.push(
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '{"name":"a-very-special-package"}' },
      );
      const second = await complete(isStream, { model: 'demo/demo', messages, tools: [readTool] });
      expect(second.choices[0]?.finish_reason).toBe('stop');
      expect(second.choices[0]?.message.content).toContain('a-very-special-package');
    },
  );

  it('gets two parallel calls, each with its own index and whole arguments', async () => {
    const stream = client.chat.completions.stream({
      model: 'demo/demo',
      messages: ask('read a.txt and run ls'),
      tools: [readTool, runTool],
    });
    const final = await stream.finalChatCompletion();
    const calls = final.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual([
      ['read_file', { path: 'a.txt' }],
      ['bash', { command: 'ls' }],
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it('runs a whole tool loop with runTools', async () => {
    const read: string[] = [];
    const runner = client.chat.completions.runTools({
      model: 'demo/demo',
      stream: true,
      messages: ask('read notes.md'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'read_file',
            description: 'Reads a file',
            parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
            parse: (text: string) => JSON.parse(text) as { path: string }, // as the schema says
            function: ({ path }: { path: string }) => {
              read.push(path);
              return 'buy 17 apples';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('buy 17 apples');
    expect(read).toEqual(['notes.md']);
  });

  it('gets structured output that fits the schema', async () => {
    const completion = await client.chat.completions.parse({
      model: 'demo/demo',
      messages: ask('describe a city'),
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'city',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, population: { type: 'integer' } },
            required: ['name', 'population'],
            additionalProperties: false,
          },
        },
      },
    });
    const parsed: unknown =
      completion.choices[0]?.message.parsed ?? JSON.parse(completion.choices[0]?.message.content ?? '');
    expect(parsed).toEqual({ name: expect.any(String), population: expect.any(Number) });
  });

  it('shows reasoning when asked', async () => {
    const completion = await client.chat.completions.create({
      model: 'demo/demo',
      messages: ask('what is 3*3?'),
      reasoning_effort: 'high',
    });
    expect(completion.choices[0]?.message).toHaveProperty('reasoning_content', expect.stringMatching(/\S/));
  });

  it('keeps unicode whole across chunks', async () => {
    const stream = client.chat.completions.stream({ model: 'demo/unicode', messages: ask('go') });
    const text = (await stream.finalChatCompletion()).choices[0]?.message.content ?? '';
    expect(text).not.toContain('\uFFFD');
    expect(text).toMatch(/\p{Emoji_Presentation}/u);
  });

  it('aborts a stream, and the gateway forgets the turn', async () => {
    const stream = await client.chat.completions.create({
      model: 'demo/slow',
      messages: ask('go'),
      stream: true,
    });
    for await (const _ of stream) break;
    stream.controller.abort();
    await expect
      .poll(async () => (await readBody<TurnsBody>(gateway.admin('GET', '/api/turns'))).live)
      .toEqual([]);
  });

  it('reports an error in mid-stream', async () => {
    const stream = await client.chat.completions.create({
      model: 'demo/error-mid-stream',
      messages: ask('go'),
      stream: true,
    });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  it('lists and retrieves models', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('demo/demo');
    expect(await client.models.retrieve('demo/demo')).toMatchObject({ id: 'demo/demo', object: 'model' });
    await expect(client.models.retrieve('nope')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  async function complete(
    isStream: boolean,
    body: {
      model: string;
      messages: OpenAI.ChatCompletionMessageParam[];
      tools: OpenAI.ChatCompletionTool[];
    },
  ) {
    if (!isStream) return client.chat.completions.create(body);
    return client.chat.completions.stream(body).finalChatCompletion();
  }
});

describe('errors are raised as their own classes', () => {
  it('BadRequestError names the field', async () => {
    const call = client.chat.completions.create({ model: 'demo/demo', messages: 'hello' as never });
    await expect(call).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(call).rejects.toMatchObject({ param: 'messages', type: 'invalid_request_error' });
  });

  it('NotFoundError suggests a name', async () => {
    const call = client.chat.completions.create({ model: 'demoo', messages: ask('hi') });
    await expect(call).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(call).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('demo'),
    });
  });

  it('RateLimitError comes with Retry-After', async () => {
    const slowDown = await startTestGateway({
      config: (config) => ({ ...config, models: { limited: { targets: ['demo/error-first'] } } }),
    });
    try {
      const limited = new OpenAI({ baseURL: `${slowDown.url}/v1`, apiKey: 'any', maxRetries: 0 });
      const call = limited.chat.completions.create({ model: 'limited', messages: ask('hi') });
      await expect(call).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    } finally {
      await slowDown.stop();
    }
  });

  it('AuthenticationError when keys are required, and a created key opens the door', async () => {
    const closed = await startTestGateway({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
    });
    try {
      const baseURL = `${closed.url}/v1`;
      const stranger = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 });
      const refused = stranger.chat.completions.create({ model: 'demo/demo', messages: ask('hi') });
      await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
      const created = await readBody<CreatedKeyBody>(
        closed.admin('POST', '/api/keys', { name: 'laptop', models: ['demo/demo'] }),
      );
      const friend = new OpenAI({ baseURL, apiKey: created.secret, maxRetries: 0 });
      await friend.chat.completions.create({ model: 'demo/demo', messages: ask('hi') });
      const outside = friend.chat.completions.create({ model: 'demo/unicode', messages: ask('hi') });
      await expect(outside).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    } finally {
      await closed.stop();
    }
  });
});
