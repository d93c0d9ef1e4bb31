// A whole (non-streamed) answer, wire to canon: told to the stream decoder as the stream that would have brought it.
import { isJsonObject, type JsonObject, type JsonValue, type TurnEvent } from '../../core/index.ts';
import { MessagesTurnDecoder, type TurnDecoderOptions } from './turn-decoder.ts';

/** The last event is always terminal; an error body becomes a `turn-error`. */
export function decodeMessage(message: JsonValue, options: TurnDecoderOptions): TurnEvent[] {
  const decoder = new MessagesTurnDecoder(options);
  const events = streamOf(message).flatMap((event) => decoder.stepEvent(event));
  return [...events, ...decoder.halt()];
}

function streamOf(message: JsonValue): JsonObject[] {
  if (!isJsonObject(message)) return [];
  if (message.type === 'error') return [message];
  const {
    content,
    stop_reason,
    stop_sequence,
    usage,
    id,
    model,
    type: _type,
    role: _role,
    ...rest
  } = message;
  // Something else that happens to be JSON must not pass for an empty answer.
  if (!Array.isArray(content)) return [];
  const blocks = content.filter(isJsonObject).flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ]);
  return [
    { type: 'message_start', message: { id: id ?? null, model: model ?? null, usage: usage ?? null } },
    ...blocks,
    {
      type: 'message_delta',
      delta: { ...rest, stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null },
    },
    { type: 'message_stop' },
  ];
}
