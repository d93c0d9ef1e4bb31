// Speaks OpenAI Chat Completions as a plain client would, whole and streamed. Known from OpenAI's API reference.
import { GatewayError, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import type { DemoCall, DemoClient, DemoConversation, DemoReply, DemoTarget } from './demo-client.ts';

export const chatWhole: DemoClient = {
  name: 'chat completions, in one piece',
  front: 'openai-chat',
  start: (target) => converse(target, false),
};

export const chatStreamed: DemoClient = {
  name: 'chat completions, streamed',
  front: 'openai-chat',
  start: (target) => converse(target, true),
};

function converse(target: DemoTarget, stream: boolean): DemoConversation {
  const messages: JsonObject[] = [];
  const turn = async (): Promise<DemoReply> => {
    const response = await post(target, {
      model: target.model,
      messages,
      stream,
      tools: encodeTools(target),
    });
    const reply = stream ? await readStream(response) : readWhole(await response.json());
    messages.push(encodeReply(reply));
    return reply;
  };
  return {
    say: (text) => {
      messages.push({ role: 'user', content: text });
      return turn();
    },
    answer: (results) => {
      for (const { callId, content } of results)
        messages.push({ role: 'tool', tool_call_id: callId, content });
      return turn();
    },
  };
}

async function post({ url, fetch, signal }: DemoTarget, body: JsonObject): Promise<Response> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  const text = (await response.text()).slice(0, 500);
  throw new GatewayError('internal', `The gateway answered status ${response.status}: ${text}`);
}

function encodeTools({ tools }: DemoTarget): JsonValue {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: { ...parameters } as JsonObject }, // written by us, plain JSON
  }));
}

function encodeReply({ text, calls }: DemoReply): JsonObject {
  if (calls.length === 0) return { role: 'assistant', content: text };
  const toolCalls = calls.map(({ id, name, argumentsText }) => ({
    id,
    type: 'function',
    function: { name, arguments: argumentsText },
  }));
  return { role: 'assistant', content: text || null, tool_calls: toolCalls };
}

function readWhole(body: unknown): DemoReply {
  const choice = firstChoice(body);
  const message = isJsonObject(choice?.message) ? choice.message : undefined;
  const calls = (Array.isArray(message?.tool_calls) ? message.tool_calls : []).map(readCall);
  return { text: asText(message?.content), calls, finish: asText(choice?.finish_reason), pieces: 1 };
}

function readCall(call: JsonValue): DemoCall {
  const { id, function: fn } = isJsonObject(call) ? call : {};
  const { name, arguments: argumentsText } = isJsonObject(fn) ? fn : {};
  return { id: asText(id), name: asText(name), argumentsText: asText(argumentsText) };
}

async function readStream(response: Response): Promise<DemoReply> {
  const calls: { id: string; name: string; argumentsText: string }[] = [];
  let text = '';
  let finish = '';
  let pieces = 0;
  let isDone = false;
  for await (const data of sseData(response)) {
    if (data === '[DONE]') {
      isDone = true;
      continue;
    }
    const chunk: unknown = JSON.parse(data);
    if (isJsonObject(chunk) && isJsonObject(chunk.error)) {
      throw new GatewayError('internal', `The stream ended with an error: ${asText(chunk.error.message)}`);
    }
    const choice = firstChoice(chunk);
    const delta = isJsonObject(choice?.delta) ? choice.delta : undefined;
    pieces++;
    text += asText(delta?.content);
    finish = asText(choice?.finish_reason) || finish;
    for (const part of Array.isArray(delta?.tool_calls) ? delta.tool_calls : []) {
      const index = isJsonObject(part) && typeof part.index === 'number' ? part.index : 0;
      const piece = readCall(part);
      const call = calls[index] ?? { id: '', name: '', argumentsText: '' };
      calls[index] = {
        id: call.id || piece.id,
        name: call.name || piece.name,
        argumentsText: call.argumentsText + piece.argumentsText,
      };
    }
  }
  if (!isDone) throw new GatewayError('internal', 'The stream ended without [DONE].');
  return { text, calls, finish, pieces };
}

async function* sseData(response: Response): AsyncIterable<string> {
  const reader = new SseReader();
  for await (const chunk of response.body ?? []) {
    for (const { data } of reader.push(chunk)) if (data !== undefined) yield data;
  }
}

function firstChoice(body: unknown): JsonObject | undefined {
  const choice = isJsonObject(body) && Array.isArray(body.choices) ? body.choices[0] : undefined;
  return isJsonObject(choice) ? choice : undefined;
}

function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
