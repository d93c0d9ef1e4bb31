// A whole `response` object, wire to canon: the same events as its stream would have given.
import { GatewayError, isJsonObject, type JsonValue, type TurnEvent } from '../../core/index.ts';
import { decodeStreamError } from './errors.ts';
import { type ResponsesDecoderOptions, ResponsesTurnDecoder } from './turn-decoder.ts';

/** Throws a GatewayError for what is not an answer at all. */
export function decodeResponse(body: JsonValue, options: ResponsesDecoderOptions): TurnEvent[] {
  if (!isJsonObject(body)) {
    throw new GatewayError('upstream-malformed', 'The upstream answered with JSON that is not an object.');
  }
  // Some proxies answer an error with status 200.
  if (body.error && !Array.isArray(body.output)) throw decodeStreamError(body.error);
  if (!Array.isArray(body.output)) {
    throw new GatewayError('upstream-malformed', 'The upstream answered without an `output` list.');
  }
  const status = typeof body.status === 'string' ? body.status : 'completed';
  const decoder = new ResponsesTurnDecoder(options);
  return [
    ...decoder.stepEvent({ type: 'response.created', response: body }),
    ...decoder.stepEvent({ type: `response.${status}`, response: body }),
    // A status that does not end an answer (queued, in_progress): we never ask for background answers.
    ...decoder.halt(
      new GatewayError(
        'upstream-malformed',
        `The upstream answered with an unfinished response (${status}).`,
      ),
    ),
  ];
}
