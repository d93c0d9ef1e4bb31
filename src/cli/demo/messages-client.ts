// Speaks Anthropic Messages as a plain client would, whole and streamed. Known from Anthropic's API reference.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  parseArguments,
} from '../../core/index.ts';
import { cutStream, fieldsOf, listOf, numberOf, readUsage, textOf, toldError } from './answer-fields.ts';
import type { DemoAsk, DemoCall, DemoClient, DemoMessage, DemoReply, DemoUsage } from './demo-client.ts';

export const messagesClient: DemoClient = {
  name: 'messages',
  front: 'anthropic-messages',
  path: '/v1/messages',
  encodeRequest,
  readWhole,
  readStream,
};

const MAX_TOKENS = 4096; // the dialect insists on a number

function encodeRequest({ model, messages, tools, stream }: DemoAsk): JsonObject {
  return omitUndefined({
    model,
    max_tokens: MAX_TOKENS,
    messages: messages.map(encodeMessage),
    tools:
      tools.length > 0
        ? tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }))
        : undefined,
    stream,
  });
}

function encodeMessage(message: DemoMessage): JsonObject {
  switch (message.from) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'model':
      return { role: 'assistant', content: encodeReply(message.reply) };
    case 'tools':
      return {
        role: 'user',
        content: message.results.map(({ callId, content }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content,
        })),
      };
    default:
      return message satisfies never;
  }
}

function encodeReply({ text, calls }: DemoReply): JsonObject[] {
  const words = text === '' ? [] : [{ type: 'text', text }];
  const uses = calls.map(({ id, name, argumentsText }) => {
    const parsed = parseArguments(argumentsText);
    const input = 'input' in parsed && isJsonObject(parsed.input) ? parsed.input : {};
    return { type: 'tool_use', id, name, input };
  });
  return [...words, ...uses];
}

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
};

function readFinish(reason: JsonValue | undefined): string {
  return FINISH[textOf(reason)] ?? textOf(reason);
}

function readWhole(body: unknown): DemoReply {
  const { content, stop_reason, usage } = fieldsOf(body);
  const blocks = listOf(content).map(fieldsOf);
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id: textOf(id),
      name: textOf(name),
      argumentsText: JSON.stringify(input),
    }));
  return omitUndefined({
    text: blocks.map((block) => (block.type === 'text' ? textOf(block.text) : '')).join(''),
    reasoning: blocks.map(({ thinking }) => textOf(thinking)).join(''),
    calls,
    finish: readFinish(stop_reason),
    pieces: 1,
    usage: readCounts(usage),
  });
}

/** Cache reads and writes stand beside `input_tokens` in this dialect, not inside. */
function readCounts(usage: unknown): DemoUsage | undefined {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    fieldsOf(usage);
  const counted = readUsage(input_tokens, output_tokens);
  const cached = numberOf(cache_read_input_tokens) + numberOf(cache_creation_input_tokens);
  return counted && { ...counted, input: counted.input + cached };
}

async function readStream(frames: Parameters<DemoClient['readStream']>[0]): Promise<DemoReply> {
  const calls = new Map<number, DemoCall>();
  let counts: Partial<JsonObject> = {};
  let text = '';
  let reasoning = '';
  let finish = '';
  let pieces = 0;
  let isDone = false;
  for await (const { data } of frames) {
    if (data === undefined) continue;
    const event = fieldsOf(JSON.parse(data));
    const { content_block: block, delta } = event;
    pieces++;
    switch (event.type) {
      case 'message_start':
        counts = fieldsOf(fieldsOf(event.message).usage);
        break;
      case 'content_block_start': {
        const { type, id, name } = fieldsOf(block);
        if (type === 'tool_use')
          calls.set(numberOf(event.index), { id: textOf(id), name: textOf(name), argumentsText: '' });
        break;
      }
      case 'content_block_delta': {
        const { text: words, thinking, partial_json } = fieldsOf(delta);
        text += textOf(words);
        reasoning += textOf(thinking);
        const call = calls.get(numberOf(event.index));
        if (call)
          calls.set(numberOf(event.index), {
            ...call,
            argumentsText: call.argumentsText + textOf(partial_json),
          });
        break;
      }
      case 'message_delta':
        finish = readFinish(fieldsOf(delta).stop_reason);
        counts = { ...counts, ...fieldsOf(event.usage) };
        break;
      case 'message_stop':
        isDone = true;
        break;
      case 'error':
        throw toldError(fieldsOf(event.error).message);
    }
  }
  if (!isDone) throw cutStream('message_stop');
  const usage = readCounts(counts);
  return omitUndefined({ text, reasoning, calls: [...calls.values()], finish, pieces, usage });
}
