// A whole chat answer (`chat.completion`), wire to canon: the same events as if it had been streamed.
import {
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TurnEvent,
} from '../../core/index.ts';
import { type ChatDecoderOptions, ChatTurnDecoder } from './turn-decoder.ts';

/** Always ends with a terminal event; an error body or a body without any choice gives `turn-error`. */
export function decodeCompletion(value: JsonValue, options: ChatDecoderOptions): TurnEvent[] {
  const decoder = new ChatTurnDecoder(options);
  // Google's chat endpoint wraps its errors in an array.
  const body = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(body)) return decoder.halt(noAnswer('it is not a JSON object'));
  if (body.error === undefined || body.error === null) {
    if (!Array.isArray(body.choices) || body.choices.length === 0)
      return decoder.halt(noAnswer('it has no choices'));
  }
  const events = decoder.stepChunk({ ...body, choices: numberCalls(body.choices) });
  return [...events, ...decoder.step({ data: '[DONE]' })];
}

function noAnswer(why: string): GatewayError {
  return new GatewayError(
    'upstream-malformed',
    `The upstream answered 200, but not with a chat completion: ${why}.`,
  );
}

/** Calls of a whole answer carry no index; their place in the list is one. */
function numberCalls(choices: JsonValue | undefined): JsonValue[] {
  if (!Array.isArray(choices)) return [];
  return choices.map((choice): JsonValue => {
    if (!isJsonObject(choice) || !isJsonObject(choice.message)) return choice;
    const { message } = choice;
    if (!Array.isArray(message.tool_calls)) return choice;
    const tool_calls = message.tool_calls.map(
      (call, index): JsonValue => (isJsonObject(call) ? { ...call, index } : call),
    );
    const numbered: JsonObject = { ...message, tool_calls };
    return { ...choice, message: numbered };
  });
}
