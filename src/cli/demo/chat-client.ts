// Speaks OpenAI Chat Completions as a plain client would, whole and streamed. Known from OpenAI's API reference;
// `reasoning_content` from DeepSeek's, whose word most servers use.
import { type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import { cutStream, fieldsOf, listOf, numberOf, readUsage, textOf, toldError } from './answer-fields.ts';
import type { DemoAsk, DemoCall, DemoClient, DemoMessage, DemoReply, DemoUsage } from './demo-client.ts';

export const chatClient: DemoClient = {
  name: 'chat completions',
  front: 'openai-chat',
  path: '/v1/chat/completions',
  encodeRequest,
  readWhole,
  readStream,
};

function encodeRequest({ model, messages, tools, stream }: DemoAsk): JsonObject {
  return omitUndefined({
    model,
    messages: messages.flatMap(encodeMessage),
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: { ...tool } })) : undefined,
    stream,
    stream_options: stream ? { include_usage: true } : undefined,
  });
}

function encodeMessage(message: DemoMessage): JsonObject[] {
  switch (message.from) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'model':
      return [encodeReply(message.reply)];
    case 'tools':
      return message.results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }));
    default:
      return message satisfies never;
  }
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
  const { choices, usage } = fieldsOf(body);
  const { message, finish_reason } = fieldsOf(listOf(choices)[0]);
  const { content, reasoning_content, tool_calls } = fieldsOf(message);
  return omitUndefined({
    text: textOf(content),
    reasoning: textOf(reasoning_content),
    calls: listOf(tool_calls).map(readCall),
    finish: readFinish(finish_reason),
    pieces: 1,
    usage: readCounts(usage),
  });
}

function readCall(call: JsonValue): DemoCall {
  const { id, function: fn, custom } = fieldsOf(call);
  const { name, arguments: argumentsText, input } = fieldsOf(fn ?? custom);
  return { id: textOf(id), name: textOf(name), argumentsText: textOf(argumentsText ?? input) };
}

function readFinish(reason: JsonValue | undefined): string {
  return reason === 'tool_calls' ? 'tool-calls' : textOf(reason);
}

function readCounts(usage: JsonValue | undefined): DemoUsage | undefined {
  const { prompt_tokens, completion_tokens } = fieldsOf(usage);
  return readUsage(prompt_tokens, completion_tokens);
}

async function readStream(frames: Parameters<DemoClient['readStream']>[0]): Promise<DemoReply> {
  const calls: DemoCall[] = [];
  let text = '';
  let reasoning = '';
  let finish = '';
  let usage: DemoUsage | undefined;
  let pieces = 0;
  let isDone = false;
  for await (const { data } of frames) {
    if (data === undefined) continue;
    if (data === '[DONE]') {
      isDone = true;
      continue;
    }
    const chunk = fieldsOf(JSON.parse(data));
    if (chunk.error) throw toldError(fieldsOf(chunk.error).message);
    const { delta, finish_reason } = fieldsOf(listOf(chunk.choices)[0]);
    const { content, reasoning_content, tool_calls } = fieldsOf(delta);
    pieces++;
    text += textOf(content);
    reasoning += textOf(reasoning_content);
    finish = readFinish(finish_reason) || finish;
    usage = readCounts(chunk.usage) ?? usage;
    for (const part of listOf(tool_calls)) addPiece(calls, part);
  }
  if (!isDone) throw cutStream('[DONE]');
  return omitUndefined({ text, reasoning, calls, finish, pieces, usage });
}

function addPiece(calls: DemoCall[], part: JsonValue): void {
  const index = numberOf(fieldsOf(part).index);
  const piece = readCall(part);
  const call = calls[index];
  calls[index] = {
    id: call?.id || piece.id,
    name: call?.name || piece.name,
    argumentsText: (call?.argumentsText ?? '') + piece.argumentsText,
  };
}
