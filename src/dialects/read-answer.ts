// Reads the body of an upstream's HTTP answer, streamed or whole, whatever its content type says, into event batches.
// Shared by every dialect that streams server-sent events; what differs comes as parameters.
import { GatewayError, type JsonValue, type TurnEvent, type Warning } from '../core/index.ts';
import { type SseFrame, SseReader } from '../wire/sse.ts';
import type { EventBatch, TurnDecoder } from './dialect.ts';

/** One server-sent event as decoders see it. */
export interface EventFrame {
  readonly event?: string | undefined;
  readonly data: string;
}

export interface AnswerOptions {
  readonly body: AsyncIterable<Uint8Array>;
  /** The request asked for a stream. */
  readonly isStream: boolean;
  /** The client speaks this dialect, and nothing in the answer needs translation. */
  readonly wantsRaw: boolean;
  readonly decoder: TurnDecoder<EventFrame>;
  /** Decodes an answer that came in one piece. */
  readonly decodeWhole: (answer: JsonValue) => readonly TurnEvent[];
  /** False for frames that the front writes itself, such as an end mark. All are forwarded unless told. */
  readonly isForwarded?: (frame: SseFrame) => boolean;
  /** Some servers leave out the blank line after the last event; true when this rest is a whole one. */
  readonly isWholeRest: (data: string) => boolean;
  /** True while what has come so far is worth nothing to a client: the turn can then still be tried elsewhere. */
  readonly isOnlyAnnounced?: () => boolean;
  /** What was left out of the request; told right after the start. */
  readonly warnings?: readonly Warning[];
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
  const events = options.decodeWhole(parseAnswer(raw));
  const error = failureOf(events);
  if (error) throw error;
  const batch = { events: withWarnings(events, options.warnings) };
  return options.wantsRaw && !options.isStream ? { ...batch, raw } : batch;
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
  const { decoder } = options;
  const reader = new SseReader();
  const wantsRaw = options.wantsRaw && options.isStream;
  let events: TurnEvent[] = [];
  let raw: Uint8Array[] = [];
  let hasYielded = false;
  const take = (frames: readonly SseFrame[]) => {
    for (const frame of frames) {
      if (decoder.isDone) return;
      const stepped = frame.data === undefined ? [] : decoder.step({ event: frame.event, data: frame.data });
      for (const event of stepped) events.push(event);
      // A frame that failed the turn is not forwarded: the front says it in its own words.
      if (wantsRaw && !failureOf(stepped) && options.isForwarded?.(frame) !== false) raw.push(frame.bytes);
    }
  };
  for (;;) {
    try {
      const chunk = head.shift() ?? (await nextChunk(chunks));
      if (chunk) take(reader.push(chunk));
      else {
        take(lastFrame(reader, options));
        events.push(...decoder.halt());
      }
    } catch (thrown) {
      events.push(...decoder.halt(GatewayError.from(thrown, 'upstream-malformed')));
    }
    if (!hasYielded) {
      // Comments and announcements wait for the first word: once bytes are out, nothing can be tried elsewhere.
      if (!decoder.isDone && (events.length === 0 || options.isOnlyAnnounced?.() === true)) continue;
      const error = failureOf(events);
      if (error) throw error;
      events = [...withWarnings(events, options.warnings)];
    }
    if (events.length === 0 && raw.length === 0) continue;
    hasYielded = true;
    yield raw.length > 0 ? { events, raw: joinBytes(raw) } : { events };
    events = [];
    raw = [];
    if (decoder.isDone) return;
  }
}

async function nextChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const next = await chunks.next();
  return next.done ? undefined : next.value;
}

/** Half an event is not read: the stream was cut there. */
function lastFrame(reader: SseReader, { isWholeRest }: AnswerOptions): SseFrame[] {
  if (!reader.hasPartialFrame) return [];
  return reader.push(Buffer.from('\n\n')).filter(({ data }) => data !== undefined && isWholeRest(data));
}

/** For dialects whose every event is JSON. */
export function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return only && pieces.length === 1 ? only : Buffer.concat(pieces);
}

function failureOf(events: readonly TurnEvent[]): GatewayError | undefined {
  const last = events.at(-1);
  return last?.type === 'turn-error' ? last.error : undefined;
}

function withWarnings(events: readonly TurnEvent[], warnings: readonly Warning[] = []): readonly TurnEvent[] {
  if (warnings.length === 0) return events;
  const at = events.findIndex((event) => event.type === 'turn-start') + 1;
  return at === 0 ? events : [...events.slice(0, at), ...warnings, ...events.slice(at)];
}
