// Speaks OpenAI Responses as a plain client would, whole and streamed. Known from OpenAI's API reference. The history
// travels in `input`, so that nothing depends on what the server keeps.
import { GatewayError, type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import { cutStream, fieldsOf, listOf, readUsage, textOf, toldError } from './answer-fields.ts';
import type { DemoAsk, DemoClient, DemoMessage, DemoReply } from './demo-client.ts';

export const responsesClient: DemoClient = {
  name: 'responses',
  front: 'openai-responses',
  path: '/v1/responses',
  encodeRequest,
  readWhole,
  readStream,
};

function encodeRequest({ model, messages, tools, stream }: DemoAsk): JsonObject {
  return omitUndefined({
    model,
    input: messages.flatMap(encodeMessage),
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', ...tool })) : undefined,
    stream,
    store: false,
  });
}

function encodeMessage(message: DemoMessage): JsonObject[] {
  switch (message.from) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'model':
      return encodeReply(message.reply);
    case 'tools':
      return message.results.map(({ callId, content }) => ({
        type: 'function_call_output',
        call_id: callId,
        output: content,
      }));
    default:
      return message satisfies never;
  }
}

function encodeReply({ text, calls }: DemoReply): JsonObject[] {
  const words = text === '' ? [] : [{ role: 'assistant', content: text }];
  const items = calls.map(({ id, name, argumentsText }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: argumentsText,
  }));
  return [...words, ...items];
}

function readWhole(body: unknown): DemoReply {
  const { output, status, incomplete_details, usage } = fieldsOf(body);
  const items = listOf(output).map(fieldsOf);
  const calls = items
    .filter(isCall)
    .map((item) => ({ id: textOf(item.call_id), name: textOf(item.name), argumentsText: argumentsOf(item) }));
  const { input_tokens, output_tokens } = fieldsOf(usage);
  return omitUndefined({
    text: joinParts(items, 'message', ['content']),
    reasoning: joinParts(items, 'reasoning', ['summary', 'content']),
    calls,
    finish: readFinish(status, incomplete_details, calls.length > 0),
    pieces: 1,
    usage: readUsage(input_tokens, output_tokens),
  });
}

function isCall({ type }: Partial<JsonObject>): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function argumentsOf(item: Partial<JsonObject>): string {
  return textOf(item.type === 'custom_tool_call' ? item.input : item.arguments);
}

function joinParts(items: readonly Partial<JsonObject>[], type: string, lists: readonly string[]): string {
  const parts = items
    .filter((item) => item.type === type)
    .flatMap((item) => lists.flatMap((list) => listOf(item[list])));
  return parts.map((part) => textOf(fieldsOf(part).text)).join('');
}

/** The dialect has no ending of its own for tool calls: a response that holds some is simply complete. */
function readFinish(
  status: JsonValue | undefined,
  details: JsonValue | undefined,
  hasCalls: boolean,
): string {
  if (status === 'completed') return hasCalls ? 'tool-calls' : 'stop';
  const reason = textOf(fieldsOf(details).reason);
  return reason === 'max_output_tokens' ? 'length' : reason || textOf(status);
}

async function readStream(frames: Parameters<DemoClient['readStream']>[0]): Promise<DemoReply> {
  const streamed = new Map<string, string>();
  let text = '';
  let pieces = 0;
  let final: JsonValue | undefined;
  for await (const { data } of frames) {
    if (data === undefined) continue;
    const event = fieldsOf(JSON.parse(data));
    pieces++;
    switch (event.type) {
      case 'response.output_text.delta':
        text += textOf(event.delta);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta': {
        const itemId = textOf(event.item_id);
        streamed.set(itemId, (streamed.get(itemId) ?? '') + textOf(event.delta));
        break;
      }
      case 'response.completed':
      case 'response.incomplete':
        final = event.response;
        break;
      case 'response.failed':
        throw toldError(fieldsOf(fieldsOf(event.response).error).message);
      case 'error':
        throw toldError(event.message);
    }
  }
  if (final === undefined) throw cutStream('response.completed');
  const reply = readWhole(final);
  checkDeltas(text === reply.text, fieldsOf(final).output, streamed);
  return { ...reply, pieces };
}

/** The dialect says everything twice; clients differ in which they believe, so the two must agree. */
function checkDeltas(
  isSameText: boolean,
  output: JsonValue | undefined,
  streamed: ReadonlyMap<string, string>,
): void {
  const isSameCalls = listOf(output)
    .map(fieldsOf)
    .filter(isCall)
    .every((item) => argumentsOf(item) === (streamed.get(textOf(item.id)) ?? ''));
  if (!isSameText || !isSameCalls)
    throw new GatewayError('upstream-malformed', 'The deltas and the final response differ.');
}
