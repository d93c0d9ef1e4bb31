// Reads the body of a chat answer, streamed or whole, whatever its content type says, and gives event batches.
import {
  GatewayError,
  isTerminal,
  type JsonValue,
  type TurnError,
  type TurnEvent,
  type Warning,
} from '../../core/index.ts';
import { type SseFrame, SseReader } from '../../wire/sse.ts';
import type { EventBatch } from '../dialect.ts';
import { decodeCompletion } from './decode-completion.ts';
import { type ChatDecoderOptions, ChatTurnDecoder } from './turn-decoder.ts';

export interface AnswerOptions extends ChatDecoderOptions {
  readonly body: AsyncIterable<Uint8Array>;
  /** The request asked for a stream. */
  readonly isStream: boolean;
  /** The client speaks this dialect, and nothing in the answer needs translation. */
  readonly wantsRaw: boolean;
  /** The counts were our wish, not the client's: the chunk that holds only them is not forwarded. */
  readonly hidesUsage: boolean;
  readonly warnings: readonly Warning[];
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/**
 * Throws while nothing has been given yet, so that the turn may be tried again elsewhere; afterwards a failure is a
 * `turn-error` in the last batch.
 */
export async function* readAnswer(options: AnswerOptions): AsyncGenerator<EventBatch> {
  const chunks = options.body[Symbol.asyncIterator]();
  try {
    const { head, first } = await readHead(chunks);
    if (first === BRACE || first === BRACKET) yield await readWhole(head, chunks, options);
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
  for (;;) {
    const next = await chunks.next();
    if (next.done) return { head, first: undefined };
    head.push(next.value);
    const first = next.value.find((byte) => byte > 0x20 && byte < 0x7f); // past white space and a byte order mark
    if (first !== undefined) return { head, first };
  }
}

async function readWhole(
  head: Uint8Array[],
  chunks: AsyncIterator<Uint8Array>,
  options: AnswerOptions,
): Promise<EventBatch> {
  let size = 0;
  for (const chunk of head) size += chunk.length;
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
  const events = decodeCompletion(parseAnswer(raw), options);
  const error = findError(events);
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
  const reader = new SseReader();
  const decoder = new ChatTurnDecoder(options);
  const wantsRaw = options.wantsRaw && options.isStream;
  let raw: Uint8Array[] = [];
  let hasYielded = false;
  const take = (frames: readonly SseFrame[]): TurnEvent[] => {
    const events: TurnEvent[] = [];
    for (const frame of frames) {
      const stepped = frame.data === undefined ? [] : decoder.step({ event: frame.event, data: frame.data });
      for (const event of stepped) events.push(event);
      if (wantsRaw && !decoder.isDone && !isHidden(frame, options)) raw.push(frame.bytes);
      if (decoder.isDone) break;
    }
    return events;
  };
  for (;;) {
    let events: TurnEvent[];
    try {
      const chunk = head.shift() ?? (await nextChunk(chunks));
      events = chunk ? take(reader.push(chunk)) : [...take(lastFrame(reader)), ...decoder.halt()];
    } catch (thrown) {
      events = decoder.halt(GatewayError.from(thrown, 'upstream-malformed'));
    }
    // Comments that come before anything else wait: once bytes are out, the turn cannot be tried elsewhere.
    if (events.length === 0 && (raw.length === 0 || !hasYielded)) continue;
    const error = hasYielded ? undefined : findError(events);
    if (error) throw error;
    const given = hasYielded ? events : withWarnings(events, options.warnings);
    hasYielded = true;
    yield raw.length > 0 ? { events: given, raw: joinBytes(raw) } : { events: given };
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
  return reader.push(Buffer.from('\n\n')).filter(({ data }) => data?.trim() === '[DONE]' || isJson(data));
}

function isJson(data: string | undefined): boolean {
  try {
    JSON.parse(data ?? '');
    return true;
  } catch {
    return false;
  }
}

function isHidden(frame: SseFrame, options: AnswerOptions): boolean {
  if (!options.hidesUsage || !frame.data?.includes('"usage"')) return false;
  return /"choices"\s*:\s*\[\s*\]/.test(frame.data);
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return only && pieces.length === 1 ? only : Buffer.concat(pieces);
}

function findError(events: readonly TurnEvent[]): GatewayError | undefined {
  const last = events.at(-1);
  return last && isTerminal(last) && isTurnError(last) ? last.error : undefined;
}

function isTurnError(event: TurnEvent): event is TurnError {
  return event.type === 'turn-error';
}

/** What was left out of the request is told right after the start. */
function withWarnings(events: readonly TurnEvent[], warnings: readonly Warning[]): readonly TurnEvent[] {
  if (warnings.length === 0) return events;
  const at = events.findIndex((event) => event.type === 'turn-start') + 1;
  return at === 0 ? events : [...events.slice(0, at), ...warnings, ...events.slice(at)];
}
