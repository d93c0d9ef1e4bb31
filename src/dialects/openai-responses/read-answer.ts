// Reads the body of a Responses answer, streamed or whole, whatever its content type says, and gives event batches.
import { GatewayError, type JsonValue, type TurnEvent } from '../../core/index.ts';
import { type SseFrame, SseReader } from '../../wire/sse.ts';
import type { EventBatch } from '../dialect.ts';
import { decodeResponse } from './decode-response.ts';
import { type ResponsesDecoderOptions, ResponsesTurnDecoder } from './turn-decoder.ts';

export interface AnswerOptions extends ResponsesDecoderOptions {
  readonly body: AsyncIterable<Uint8Array>;
  /** The request asked for a stream. */
  readonly isStream: boolean;
  /** The client speaks this dialect: its frames are attached to the batches. */
  readonly wantsRaw: boolean;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const OPENING_BRACKETS: readonly unknown[] = [0x7b, 0x5b];

/**
 * Throws while nothing has been given yet, so that the turn may be tried again elsewhere; afterwards a failure is a
 * `turn-error` in the last batch.
 */
export async function* readAnswer(options: AnswerOptions): AsyncGenerator<EventBatch> {
  const chunks = options.body[Symbol.asyncIterator]();
  try {
    const { head, first } = await readHead(chunks);
    if (OPENING_BRACKETS.includes(first)) yield await readWhole(head, chunks, options);
    else yield* readStream(head, chunks, options);
  } finally {
    await chunks.return?.();
  }
}

/** The first bytes, up to one that says which of the two it is: JSON begins with a bracket, events never do. */
async function readHead(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ head: Uint8Array[]; first: number | undefined }> {
  const head: Uint8Array[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head.push(next.value);
    const first = next.value.find((byte) => byte > 0x20 && byte < 0x7f); // past white space and a byte order mark
    if (first !== undefined) return { head, first };
  }
  return { head, first: undefined };
}

async function readWhole(
  head: Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  options: AnswerOptions,
): Promise<EventBatch> {
  let size = head.reduce((sum, chunk) => sum + chunk.length, 0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head.push(next.value);
    size += next.value.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new GatewayError(
        'upstream-malformed',
        `The upstream answered more than ${MAX_ANSWER_BYTES} bytes.`,
      );
    }
  }
  const raw = Buffer.concat(head);
  const events = decodeResponse(parseAnswer(raw), options);
  const error = findError(events);
  if (error) throw error;
  return options.wantsRaw && !options.isStream ? { events, raw } : { events };
}

function parseAnswer(raw: Buffer): JsonValue {
  const text = new TextDecoder().decode(raw); // drops a byte order mark
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    const quote = text.trim().slice(0, 80);
    throw new GatewayError('upstream-malformed', `The upstream's answer is not valid JSON: ${quote}`, {
      cause,
    });
  }
}

async function* readStream(
  head: Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  options: AnswerOptions,
): AsyncGenerator<EventBatch> {
  const reader = new SseReader();
  const decoder = new ResponsesTurnDecoder(options);
  const wantsRaw = options.wantsRaw && options.isStream;
  let events: TurnEvent[] = [];
  let raw: Uint8Array[] = [];
  let hasYielded = false;
  const take = (frames: readonly SseFrame[]) => {
    for (const frame of frames) {
      if (decoder.isDone) return;
      const stepped = frame.data === undefined ? [] : decoder.step({ event: frame.event, data: frame.data });
      for (const event of stepped) events.push(event);
      // The encoder writes the ending of a failed turn, also in place of the upstream's own.
      if (wantsRaw && !findError(stepped)) raw.push(frame.bytes);
    }
  };
  for (;;) {
    try {
      const chunk = head.shift() ?? (await nextChunk(chunks));
      if (chunk) take(reader.push(chunk));
      else {
        take(lastFrame(reader));
        events.push(...decoder.halt());
      }
    } catch (thrown) {
      events.push(...decoder.halt(GatewayError.from(thrown, 'upstream-malformed')));
    }
    // The announcement of an answer waits for its first item: a turn that fails right after it (a rate limit, an
    // overloaded server) can then still be tried elsewhere. The front's keep-alive covers the silence.
    if (!hasYielded && decoder.isOnlyAnnounced) continue;
    const error = hasYielded ? undefined : findError(events);
    if (error) throw error;
    if (events.length > 0 || raw.length > 0) {
      hasYielded = true;
      yield raw.length > 0 ? { events, raw: joinBytes(raw) } : { events };
    }
    events = [];
    raw = [];
    if (decoder.isDone) return;
  }
}

async function nextChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const next = await chunks.next();
  return next.done ? undefined : next.value;
}

/** Some servers leave out the blank line after the last event. Half an event is not read: the stream was cut there. */
function lastFrame(reader: SseReader): SseFrame[] {
  if (!reader.hasPartialFrame) return [];
  return reader.push(Buffer.from('\n\n')).filter(({ data }) => isJson(data));
}

function isJson(data: string | undefined): boolean {
  try {
    JSON.parse(data ?? '');
    return true;
  } catch {
    return false;
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return only && pieces.length === 1 ? only : Buffer.concat(pieces);
}

function findError(events: readonly TurnEvent[]): GatewayError | undefined {
  const last = events.at(-1);
  return last?.type === 'turn-error' ? last.error : undefined;
}
