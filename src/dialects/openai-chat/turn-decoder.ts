// A chat answer, wire to canon, chunk by chunk. Known from OpenAI's reference and from many servers that speak the
// dialect with an accent: DeepSeek, Moonshot, Mistral, OpenRouter, vLLM, SGLang, Ollama, Groq, Azure, GLM.
// Every accent that is understood is listed in docs/protocols/openai-chat.md.
import {
  GatewayError,
  type IdSource,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type TurnEnd,
  type TurnEvent,
  TurnSpans,
  type TurnStart,
  type Usage,
} from '../../core/index.ts';
import type { TurnDecoder } from '../dialect.ts';
import { decodeErrorObject } from './errors.ts';
import { decodeFinishReason, findFinishProblem } from './finish-reason.ts';
import { readReasoningDetails, readReasoningText } from './reasoning.ts';
import { OPENAI_CHAT } from './schema.ts';
import { StreamedCalls } from './streamed-calls.ts';
import type { ToolOrigin } from './tool-names.ts';
import { decodeUsage } from './usage.ts';

/** One server-sent event of a chat stream. */
export interface ChatFrame {
  readonly event?: string | undefined;
  readonly data: string;
}

export interface ChatDecoderOptions {
  readonly newId: IdSource;
  /** Tools that were renamed or lowered when the request was encoded. */
  readonly toolOrigins?: ReadonlyMap<string, ToolOrigin>;
}

const DONE = '[DONE]';
/** A server that invents field names without end must not fill the memory. */
const MAX_DRIFT_FIELDS = 100;

const CHUNK_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'error'],
  ...['service_tier', 'system_fingerprint', 'obfuscation', 'x_groq'],
]);
const CHOICE_FIELDS: ReadonlySet<string> = new Set([
  ...['index', 'delta', 'message', 'finish_reason', 'logprobs', 'usage', 'stop_reason', 'matched_stop'],
]);
const CALL_FIELDS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'custom']);

export class ChatTurnDecoder implements TurnDecoder<ChatFrame> {
  readonly #spans = new TurnSpans();
  readonly #calls: StreamedCalls;
  readonly #drift = new Set<string>();
  readonly #early: TurnEvent[] = [];
  #hasStarted = false;
  #hasContent = false;
  #hasRefusal = false;
  #finishedCalls = 0;
  #finishWord: string | undefined;
  #stopSequence: string | undefined;
  #usage: Usage | undefined;
  #audio: JsonObject | undefined;
  #isDone = false;

  constructor(options: ChatDecoderOptions) {
    this.#calls = new StreamedCalls(this.#spans, options.toolOrigins ?? new Map(), options.newId);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  step(frame: ChatFrame): TurnEvent[] {
    const data = frame.data.trim();
    if (this.#isDone || data === '') return [];
    if (data === DONE) return this.#guard((out) => this.#finalise(out));
    let chunk: JsonValue;
    try {
      chunk = JSON.parse(data) as JsonValue;
    } catch {
      return this.#fail(malformed('The upstream sent an event that is not JSON', data), []);
    }
    if (!isJsonObject(chunk)) {
      return this.#fail(malformed('The upstream sent an event that is not a JSON object', data), []);
    }
    const isError = frame.event === 'error' && !Array.isArray(chunk.choices) && !chunk.error;
    return this.stepChunk(isError ? { error: chunk } : chunk);
  }

  /** A chunk that is already parsed. */
  stepChunk(chunk: JsonObject): TurnEvent[] {
    if (this.#isDone) return [];
    return this.#guard((out) => this.#chunk(chunk, out));
  }

  halt(cause?: GatewayError): TurnEvent[] {
    if (this.#isDone) return [];
    // After the finish word only the end mark and the counts were missing: the answer itself is whole.
    const isWhole = this.#finishWord !== undefined && cause?.code !== 'cancelled';
    if (isWhole) return this.#guard((out) => this.#finalise(out));
    return this.#fail(cause ?? this.#cutError(), []);
  }

  #guard(work: (out: TurnEvent[]) => void): TurnEvent[] {
    const out: TurnEvent[] = [];
    try {
      work(out);
    } catch (thrown) {
      return this.#fail(GatewayError.from(thrown), out);
    }
    return out;
  }

  #fail(error: GatewayError, out: TurnEvent[]): TurnEvent[] {
    this.#isDone = true;
    this.#spans.abort(out);
    out.push(omitUndefined({ type: 'turn-error' as const, error, usage: this.#usage }));
    return out;
  }

  #cutError(): GatewayError {
    return new GatewayError(
      'upstream-malformed',
      this.#hasContent
        ? 'The upstream stream was cut: it ended before the answer did.'
        : 'The upstream stream was empty: it ended without any answer.',
    );
  }

  #chunk(chunk: JsonObject, out: TurnEvent[]): void {
    if (chunk.error !== undefined && chunk.error !== null) throw decodeErrorObject(chunk.error);
    const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
    this.#usage = decodeUsage(chunk.usage) ?? decodeUsage(groq) ?? this.#usage;
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    // Azure begins with a chunk that has filter results and neither choices nor a proper id: wait for the next.
    if (!this.#hasStarted && (choices.length > 0 || nonEmpty(chunk.id) !== undefined))
      this.#start(chunk, out);
    for (const choice of choices) {
      // Further choices (n > 1) reach clients of this dialect as raw bytes; the corridor carries the first.
      if (isJsonObject(choice) && (choice.index ?? 0) === 0) this.#choice(choice, out);
    }
    for (const key in chunk) {
      if (!CHUNK_FIELDS.has(key)) this.#noteDrift(`chunk.${key}`, chunk[key], out);
    }
  }

  #start(chunk: JsonObject, out: TurnEvent[]): void {
    this.#hasStarted = true;
    const created = chunk.created;
    const kept = omitUndefined({
      service_tier: nonEmpty(chunk.service_tier),
      system_fingerprint: nonEmpty(chunk.system_fingerprint),
    });
    const start: TurnStart = omitUndefined({
      type: 'turn-start' as const,
      responseId: nonEmpty(chunk.id),
      model: nonEmpty(chunk.model),
      createdAtMs: typeof created === 'number' && created > 0 ? Math.floor(created) * 1000 : undefined,
      extra: Object.keys(kept).length > 0 ? { [OPENAI_CHAT]: kept as JsonObject } : undefined, // strings only
    });
    out.push(start, ...this.#early);
  }

  #choice(choice: JsonObject, out: TurnEvent[]): void {
    // Moonshot puts the counts inside the choice.
    this.#usage = decodeUsage(choice.usage) ?? this.#usage;
    const delta = choice.delta ?? choice.message;
    if (isJsonObject(delta)) this.#delta(delta, choice.logprobs, out);
    for (const key in choice) {
      if (!CHOICE_FIELDS.has(key)) this.#noteDrift(`choice.${key}`, choice[key], out);
    }
    const word = nonEmpty(choice.finish_reason);
    if (word !== undefined && this.#finishWord === undefined) this.#finish(word, choice, out);
  }

  #delta(delta: JsonObject, logprobs: JsonValue | undefined, out: TurnEvent[]): void {
    this.#reasoning(delta, out);
    for (const key in delta) {
      const value = delta[key];
      if (value === undefined || value === null) continue;
      switch (key) {
        case 'role':
        case 'reasoning':
        case 'reasoning_content':
        case 'reasoning_details':
          break;
        case 'content':
          this.#content(value, logprobs, out);
          break;
        case 'refusal':
          if (typeof value === 'string' && value !== '') this.#refusal(value, out);
          break;
        case 'tool_calls':
          for (const call of Array.isArray(value) ? value : [value]) this.#callDelta(call, out);
          break;
        case 'function_call':
          if (isJsonObject(value)) this.#calls.legacyDelta(value, out);
          this.#hasContent ||= this.#calls.hasAny;
          break;
        case 'audio':
          if (isJsonObject(value)) this.#audioDelta(value, out);
          break;
        case 'annotations':
          // Ends the text they belong to; text that follows opens a new span.
          if (Array.isArray(value) && value.length > 0) this.#spans.endText(value, out);
          break;
        default:
          this.#noteDrift(`delta.${key}`, value, out);
      }
    }
  }

  #callDelta(call: JsonValue, out: TurnEvent[]): void {
    if (!isJsonObject(call)) return;
    this.#calls.delta(call, out);
    this.#hasContent ||= this.#calls.hasAny;
    for (const key in call) if (!CALL_FIELDS.has(key)) this.#noteDrift(`tool_call.${key}`, call[key], out);
  }

  #content(value: JsonValue, logprobs: JsonValue | undefined, out: TurnEvent[]): void {
    if (typeof value === 'string') {
      const scores = hasScores(logprobs) ? logprobs : undefined;
      if (value === '' && scores === undefined) return;
      this.#hasContent = true;
      this.#spans.text(value, out, scores === undefined ? undefined : { logprobs: scores });
      return;
    }
    if (!Array.isArray(value)) return;
    // Mistral's thinking models send a list of parts instead of a string.
    for (const part of value) {
      if (!isJsonObject(part)) continue;
      if (typeof part.text === 'string') this.#content(part.text, undefined, out);
      else if (Array.isArray(part.thinking)) {
        for (const piece of part.thinking)
          if (isJsonObject(piece)) this.#thought(nonEmpty(piece.text) ?? '', out);
      } else this.#noteDrift(`content.${String(part.type)}`, part, out);
    }
  }

  #reasoning(delta: JsonObject, out: TurnEvent[]): void {
    const text = readReasoningText(delta);
    this.#thought(text, out);
    if (delta.reasoning_details === undefined) return;
    for (const { detail } of readReasoningDetails(delta.reasoning_details)) {
      const { form, signature, encrypted } = detail;
      // OpenRouter fills `reasoning` with the same text; it must not be counted twice.
      if (text === '' && detail.text !== '') {
        this.#hasContent = true;
        this.#spans.reasoning(detail.text, out, form);
      }
      if (signature === undefined && encrypted === undefined) continue;
      this.#hasContent = true;
      this.#spans.endReasoning(omitUndefined({ signature, encrypted, origin: OPENAI_CHAT }), out, form);
    }
  }

  #thought(text: string, out: TurnEvent[]): void {
    if (text === '') return;
    this.#hasContent = true;
    this.#spans.reasoning(text, out);
  }

  #refusal(text: string, out: TurnEvent[]): void {
    this.#hasContent = true;
    this.#hasRefusal = true;
    this.#spans.text(text, out, { form: 'refusal' });
  }

  #audioDelta(audio: JsonObject, out: TurnEvent[]): void {
    const { id, expires_at } = audio;
    if (id !== undefined || expires_at !== undefined)
      this.#audio = { ...this.#audio, ...omitUndefined({ id, expires_at }) };
    const delta = omitUndefined({ data: nonEmpty(audio.data), transcript: nonEmpty(audio.transcript) });
    if (Object.keys(delta).length === 0) return;
    this.#hasContent = true;
    this.#spans.audio(delta, out);
  }

  /** The answer is whole: everything open closes now. The end itself waits for the counts that may follow. */
  #finish(word: string, choice: JsonObject, out: TurnEvent[]): void {
    const problem = findFinishProblem(word);
    if (problem) throw problem;
    this.#finishWord = word;
    // vLLM says `stop_reason`, SGLang `matched_stop`; both may also be a token number.
    this.#stopSequence = nonEmpty(choice.stop_reason) ?? nonEmpty(choice.matched_stop);
    this.#close(isCutWord(word), out);
  }

  #close(isCut: boolean, out: TurnEvent[]): void {
    this.#spans.closeProse(out);
    this.#finishedCalls += this.#calls.finish(isCut, out);
    this.#spans.complete(out);
  }

  #finalise(out: TurnEvent[]): void {
    if (this.#finishWord === undefined) {
      // `[DONE]` without a finish word is a habit of some servers, as long as there is an answer.
      if (!this.#hasContent || this.#calls.hasIncomplete()) throw this.#cutError();
    }
    this.#close(this.#finishWord !== undefined && isCutWord(this.#finishWord), out);
    const word = this.#finishWord ?? 'stop';
    const seen = { hasCalls: this.#finishedCalls > 0, hasRefusal: this.#hasRefusal };
    const reason = decodeFinishReason(word, seen);
    const isStopped = reason === 'stop' && this.#stopSequence !== undefined;
    const end: TurnEnd = omitUndefined({
      type: 'turn-end' as const,
      reason: isStopped ? ('stop-sequence' as const) : reason,
      rawReason: word.replace('_', '-') === reason ? undefined : this.#finishWord,
      stopSequence: isStopped ? this.#stopSequence : undefined,
      usage: this.#usage,
      extra: this.#audio && { [OPENAI_CHAT]: { audio: this.#audio } },
    });
    this.#isDone = true;
    out.push(end);
  }

  /** A field nobody here knows: shown once, so that a change of a server's dialect is noticed. */
  #noteDrift(field: string, value: JsonValue | undefined, out: TurnEvent[]): void {
    if (value === undefined || value === null || this.#drift.has(field)) return;
    if (this.#drift.size >= MAX_DRIFT_FIELDS) return;
    this.#drift.add(field);
    // What comes before the start (Azure's filter results) is shown right after it.
    const target = this.#hasStarted ? out : this.#early;
    target.push({ type: 'opaque', dialect: OPENAI_CHAT, value: { field, value } });
  }
}

function isCutWord(word: string): boolean {
  return word === 'length' || word === 'max_tokens' || word === 'model_length' || word === 'content_filter';
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function hasScores(logprobs: JsonValue | undefined): boolean {
  if (!isJsonObject(logprobs)) return false;
  return Object.values(logprobs).some((list) => Array.isArray(list) && list.length > 0);
}

function malformed(what: string, data: string): GatewayError {
  const quote = data.length > 80 ? `${data.slice(0, 79)}…` : data;
  return new GatewayError('upstream-malformed', `${what}: ${quote}`);
}
