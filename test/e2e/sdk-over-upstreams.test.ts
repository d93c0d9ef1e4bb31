// The official clients and their stream accumulators, on every front that they speak, over every kind of upstream.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let far: TestGateway;
let near: TestGateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  // The far gateway's demo model stands for a server of each kind; the near one is under test.
  far = await startTestGateway();
  const baseUrl = `${far.url}/v1`;
  near = await startTestGateway({
    upstreams: {
      chat: { kind: 'openai-chat', baseUrl },
      responses: { kind: 'openai-responses', baseUrl },
      messages: { kind: 'anthropic-messages', baseUrl },
    },
  });
  openai = new OpenAI({ baseURL: `${near.url}/v1`, apiKey: 'any', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: near.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(async () => {
  await near.stop();
  await far.stop();
});

const schema = (property: string) => ({
  type: 'object' as const,
  properties: { [property]: { type: 'string' } },
  required: [property],
});
const wish = 'read a.txt and run ls';
const expected = [
  ['read_file', { path: 'a.txt' }],
  ['bash', { command: 'ls' }],
];
const results: Record<string, string> = { read_file: 'seventeen pears', bash: 'a.txt b.txt' };

describe.each(['demo/demo', 'chat/demo/demo', 'responses/demo/demo', 'messages/demo/demo'])(
  'over %s',
  (model) => {
    it.each([true, false])(
      'chat runs a turn with two parallel calls to its end (stream: %s)',
      async (isStream) => {
        const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: wish }];
        const tools: OpenAI.ChatCompletionTool[] = [
          { type: 'function', function: { name: 'read_file', parameters: schema('path') } },
          { type: 'function', function: { name: 'bash', parameters: schema('command') } },
        ];
        const ask = () =>
          isStream
            ? openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
            : openai.chat.completions.create({ model, messages, tools });
        const calls = ((await ask()).choices[0]?.message.tool_calls ?? []).flatMap((call) =>
          call.type === 'function' ? [call] : [],
        );
        expect(calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual(
          expected,
        );
        messages.push({ role: 'assistant', content: null, tool_calls: calls });
        for (const { id, function: f } of calls) {
          messages.push({ role: 'tool', tool_call_id: id, content: results[f.name] ?? '' });
        }
        expect((await ask()).choices[0]?.message.content).toContain('seventeen pears');
      },
    );

    it.each([true, false])('Responses runs the same turn (stream: %s)', async (isStream) => {
      const tools: OpenAI.Responses.Tool[] = [
        { type: 'function', name: 'read_file', parameters: schema('path'), strict: false },
        { type: 'function', name: 'bash', parameters: schema('command'), strict: false },
      ];
      const ask = (more: { input: OpenAI.Responses.ResponseInput; previous_response_id?: string }) =>
        isStream
          ? openai.responses.stream({ model, tools, ...more }).finalResponse()
          : openai.responses.create({ model, tools, ...more });
      const first = await ask({ input: [{ role: 'user', content: wish }] });
      const calls = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(expected);
      const input = calls.map(({ call_id, name }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: results[name] ?? '',
      }));
      const second = await ask({ input, previous_response_id: first.id });
      expect(second.output_text).toContain('seventeen pears');
    });

    it.each([true, false])('Messages runs the same turn (stream: %s)', async (isStream) => {
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: wish }];
      const tools: Anthropic.Tool[] = [
        { name: 'read_file', input_schema: schema('path') },
        { name: 'bash', input_schema: schema('command') },
      ];
      const body = { model, max_tokens: 1000, messages, tools };
      const ask = () =>
        isStream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
      const first = await ask();
      const calls = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      expect(calls.map((call) => [call.name, call.input])).toEqual(expected);
      messages.push(
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: calls.map(({ id, name }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: results[name] ?? '',
          })),
        },
      );
      expect(JSON.stringify((await ask()).content)).toContain('seventeen pears');
    });
  },
);
