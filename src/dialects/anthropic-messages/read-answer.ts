// Reads the body of an answer, streamed or whole, whatever its content type says, and gives event batches.
import { GatewayError, isJsonObject, type JsonObject, type TurnEvent } from '../../core/index.ts';
import { type SseFrame, SseReader } from '../../wire/sse.ts';
import type { EventBatch } from '../dialect.ts';
import { decodeMessage } from './decode-message.ts';
import { MessagesTurnDecoder, type TurnDecoderOptions } from './turn-decoder.ts';

export interface AnswerOptions extends TurnDecoderOptions {
  readonly body: AsyncIterable<Uint8Array>;
  /** The request asked for a stream. */
  readonly isStream: boolean;
  /** The client speaks this dialect, and nothing in the answer needs translation. */
  readonly wantsRaw: boolean;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const OPENING_BRACE = 0x7b;

/**
 * Throws while nothing has been given yet, so that the turn may be tried again elsewhere; afterwards a failure is a
 * `turn-error` in the last batch.
 */
export async function* readAnswer(options: AnswerOptions): AsyncGenerator<EventBatch> {
  const chunks = options.body[Symbol.asyncIterator]();
  try {
    const head: Uint8Array[] = [];
    let first: number | undefined;
    // Up to a byte that says which of the two it is: a JSON object begins with a brace, an event never does.
    while (first === undefined) {
      const next = await chunks.next();
      if (next.done) break;
      head.push(next.value);
      first = next.value.find((byte) => byte > 0x20 && byte < 0x7f); // past white space and a byte order mark
    }
    if (first === OPENING_BRACE) yield await readWhole(head, chunks, options);
    else yield* readStream(head, chunks, options);
  } finally {
    await chunks.return?.();
  }
}

async function readWhole(
  head: readonly Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  options: AnswerOptions,
): Promise<EventBatch> {
  const pieces = [...head];
  let size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    pieces.push(next.value);
    size += next.value.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new GatewayError(
        'upstream-malformed',
        `The upstream answered more than ${MAX_ANSWER_BYTES} bytes.`,
      );
    }
  }
  const raw = Buffer.concat(pieces);
  const events = decodeMessage(parseAnswer(raw), options);
  const error = failureOf(events);
  if (error) throw error;
  return options.wantsRaw && !options.isStream ? { events, raw } : { events };
}

function parseAnswer(raw: Buffer): JsonObject {
  const text = new TextDecoder().decode(raw); // drops a byte order mark
  let cause: unknown;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (thrown) {
    cause = thrown;
  }
  const message = `The upstream's answer is not a JSON object: ${text.trim().slice(0, 80)}`;
  throw new GatewayError('upstream-malformed', message, { cause });
}

async function* readStream(
  head: Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  options: AnswerOptions,
): AsyncGenerator<EventBatch> {
  const reader = new SseReader();
  const decoder = new MessagesTurnDecoder(options);
  const wantsRaw = options.wantsRaw && options.isStream;
  let raw: Uint8Array[] = [];
  let hasYielded = false;
  const take = (frames: readonly SseFrame[]): TurnEvent[] => {
    const events: TurnEvent[] = [];
    for (const frame of frames) {
      events.push(...decoder.step(frame));
      // A frame that failed the turn is not forwarded: the front says it in its own words.
      if (wantsRaw && !failureOf(events)) raw.push(frame.bytes);
      if (decoder.isDone) break;
    }
    return events;
  };
  for (;;) {
    let events: TurnEvent[];
    try {
      const chunk = head.shift() ?? (await nextChunk(chunks));
      // Some servers leave out the blank line after the last event.
      events = chunk ? take(reader.push(chunk)) : [...take(lastFrame(reader)), ...decoder.halt()];
    } catch (thrown) {
      events = decoder.halt(GatewayError.from(thrown, 'upstream-malformed'));
    }
    // A ping before anything else waits: once bytes are out, the turn cannot be tried elsewhere.
    if (events.length === 0 && (raw.length === 0 || !hasYielded)) continue;
    const error = hasYielded ? undefined : failureOf(events);
    if (error) throw error;
    hasYielded = true;
    yield raw.length > 0 ? { events, raw: Buffer.concat(raw) } : { events };
    raw = [];
    if (decoder.isDone) return;
  }
}

async function nextChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const next = await chunks.next();
  return next.done ? undefined : next.value;
}

/** Only a `message_stop` without its blank line is worth rescuing; anything else in the rest was cut. */
function lastFrame(reader: SseReader): SseFrame[] {
  if (!reader.hasPartialFrame) return [];
  return reader
    .push(Buffer.from('\n\n'))
    .filter(({ data }) => data && /^\{\s*"type"\s*:\s*"message_stop"\s*\}$/.test(data));
}

function failureOf(events: readonly TurnEvent[]): GatewayError | undefined {
  const last = events.at(-1);
  return last?.type === 'turn-error' ? last.error : undefined;
}
