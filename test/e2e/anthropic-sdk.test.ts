// The official Anthropic client as referee, over the demo model and over a chat upstream.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let gateway: TestGateway;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startTestGateway();
  client = new Anthropic({ baseURL: gateway.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => gateway.stop());

const readTool: Anthropic.Tool = {
  name: 'read_file',
  description: 'Reads a file',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
const runTool: Anthropic.Tool = {
  name: 'bash',
  description: 'Runs a command',
  input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
const ask = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }];

describe('the anthropic client', () => {
  it('gets a plain answer with usage', async () => {
    const message = await client.messages.create({
      model: 'demo/demo',
      max_tokens: 500,
      messages: ask('what is 2+2?'),
    });
    expect(message.type).toBe('message');
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('4') });
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
  });

  it('streams with its accumulator and finds a well-formed message', async () => {
    const stream = client.messages.stream({ model: 'demo/demo', max_tokens: 500, messages: ask('hello') });
    let text = '';
    stream.on('text', (delta) => {
      text += delta;
    });
    const message = await stream.finalMessage();
    expect(message.content).toEqual([expect.objectContaining({ type: 'text', text })]);
    expect(message.usage.input_tokens).toBeGreaterThan(0);
  });

  it('runs a tool turn: call, result, answer', async () => {
    const messages = ask('read notes.md');
    const first = await client.messages.create({
      model: 'demo/demo',
      max_tokens: 500,
      messages,
      tools: [readTool],
    });
    expect(first.stop_reason).toBe('tool_use');
    const call = first.content.find((block) => block.type === 'tool_use');
    if (call?.type !== 'tool_use') throw new Error('no call');
    expect(call.input).toEqual({ path: 'notes.md' });
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'buy 17 apples' }] },
    );
    const second = await client.messages.create({
      model: 'demo/demo',
      max_tokens: 500,
      messages,
      tools: [readTool],
    });
    expect(JSON.stringify(second.content)).toContain('buy 17 apples');
  });

  it('gets interleaved parallel calls as well-formed blocks', async () => {
    const stream = client.messages.stream({
      model: 'demo/demo',
      max_tokens: 500,
      messages: ask('read a.txt and run ls'),
      tools: [readTool, runTool],
    });
    const open = new Set<number>();
    stream.on('streamEvent', (event) => {
      if (event.type === 'content_block_start') {
        expect(open.size).toBe(0); // one block at a time
        open.add(event.index);
      } else if (event.type === 'content_block_stop') expect(open.delete(event.index)).toBe(true);
    });
    const message = await stream.finalMessage();
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_use' ? [[block.name, block.input]] : [],
    );
    expect(calls).toEqual([
      ['read_file', { path: 'a.txt' }],
      ['bash', { command: 'ls' }],
    ]);
    expect(open.size).toBe(0);
  });

  it('shows thinking when asked', async () => {
    const message = await client.messages.create({
      model: 'demo/demo',
      max_tokens: 3000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: ask('what is 3*3?'),
    });
    expect(message.content[0]?.type).toBe('thinking');
  });

  it('counts tokens and says that it guessed', async () => {
    const { data, response } = await client.messages
      .countTokens({ model: 'demo/demo', messages: ask('hello') })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-crosspoint-estimated')).toBe('true');
  });

  it('lists models', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('demo/demo');
  });

  it('gets an error in mid-stream as an error', async () => {
    const stream = client.messages.stream({
      model: 'demo/error-mid-stream',
      max_tokens: 500,
      messages: ask('go'),
    });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError);
  });

  it('gets errors as their own classes', async () => {
    const send = (body: object) => client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming); // wrong on purpose
    await expect(send({ model: 'demo/demo', messages: 'x', max_tokens: 5 })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
    await expect(send({ model: 'nope', messages: ask('x'), max_tokens: 5 })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
    const limited = send({ model: 'demo/error-first', messages: ask('x'), max_tokens: 5 });
    await expect(limited).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  });
});
