// An upstream's event stream, wire to canon. Known from Anthropic's streaming guide. Accepted beyond it, from servers
// that imitate the API: input inside `content_block_start`, missing ids, `[DONE]`, counts in only one of two places.
import {
  GatewayError,
  type IdSource,
  isJsonObject,
  type JsonObject,
  omitUndefined,
  type TurnEnd,
  type TurnEvent,
  TurnSpans,
} from '../../core/index.ts';
import type { TurnDecoder } from '../dialect.ts';
import { decodeErrorEvent } from './errors.ts';
import { decodeStopReason } from './finish-reason.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';
import { StreamedBlocks } from './streamed-blocks.ts';
import type { ToolOrigin } from './tool-names.ts';
import { decodeUsage, mergeUsage, usageRest } from './usage.ts';

export interface TurnDecoderOptions {
  readonly newId: IdSource;
  readonly toolOrigins?: ReadonlyMap<string, ToolOrigin>;
  readonly usesJsonTool?: boolean;
}

export interface MessagesFrame {
  readonly event?: string | undefined;
  readonly data: string | undefined;
}

export class MessagesTurnDecoder implements TurnDecoder<MessagesFrame> {
  readonly #spans = new TurnSpans();
  readonly #blocks: StreamedBlocks;
  #isStarted = false;
  #isDone = false;
  #usage: JsonObject | undefined;
  #stopReason: string | undefined;
  #stopSequence: string | undefined;
  #endExtra: JsonObject = {};

  constructor(options: TurnDecoderOptions) {
    this.#blocks = new StreamedBlocks(this.#spans, options);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  step(frame: MessagesFrame): TurnEvent[] {
    const { data } = frame;
    if (this.#isDone || data === undefined || data === '' || data.trim() === '[DONE]') return [];
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return this.halt(malformed(`a frame is not JSON: ${data.slice(0, 80)}`));
    }
    if (!isJsonObject(event)) return this.halt(malformed(`a frame is not an object: ${data.slice(0, 80)}`));
    return this.stepEvent(typeof event.type === 'string' ? event : { ...event, type: frame.event ?? '' });
  }

  stepEvent(event: JsonObject): TurnEvent[] {
    if (this.#isDone) return [];
    const out: TurnEvent[] = [];
    try {
      this.#apply(event, out);
    } catch (thrown) {
      this.#fail(GatewayError.from(thrown, 'upstream-malformed'), out);
    }
    return out;
  }

  halt(cause?: GatewayError): TurnEvent[] {
    if (this.#isDone) return [];
    const out: TurnEvent[] = [];
    const what = this.#isStarted ? 'the stream was cut before `message_stop`' : 'the stream was empty';
    this.#fail(cause ?? malformed(what), out);
    return out;
  }

  #apply(event: JsonObject, out: TurnEvent[]): void {
    switch (event.type) {
      case 'ping':
        return;
      case 'error':
        this.#fail(decodeErrorEvent(event), out);
        return;
      case 'message_start':
        this.#start(isJsonObject(event.message) ? event.message : {}, out);
        return;
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        this.#start({}, out);
        this.#blocks.apply(event, out);
        return;
      case 'message_delta':
        this.#start({}, out);
        this.#applyMessageDelta(event);
        return;
      case 'message_stop':
        this.#start({}, out);
        this.#finish(out);
        return;
      default:
        // An event of a later version: kept, counted, and passed on to a front of this dialect.
        this.#start({}, out);
        out.push({ type: 'opaque', dialect: ANTHROPIC_MESSAGES, value: event });
    }
  }

  /** Once; an imitation that forgets `message_start` is forgiven. */
  #start(message: JsonObject, out: TurnEvent[]): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { id, model } = message;
    const start = {
      type: 'turn-start' as const,
      responseId: typeof id === 'string' && id !== '' ? id : undefined,
      model: typeof model === 'string' && model !== '' ? model : undefined,
    };
    out.push(omitUndefined(start));
    this.#usage = mergeUsage(undefined, message.usage);
    const usage = decodeUsage(this.#usage);
    if (usage) out.push({ type: 'usage', usage });
  }

  #applyMessageDelta(event: JsonObject): void {
    const { type: _type, delta, usage, ...rest } = event;
    this.#usage = mergeUsage(this.#usage, usage);
    const { stop_reason, stop_sequence, ...others } = isJsonObject(delta) ? delta : {};
    if (typeof stop_reason === 'string') this.#stopReason = stop_reason;
    if (typeof stop_sequence === 'string') this.#stopSequence = stop_sequence;
    // Container, context management, details of a stop: for a front of this dialect.
    this.#endExtra = { ...this.#endExtra, ...others, ...rest };
  }

  #finish(out: TurnEvent[]): void {
    if (this.#stopReason === undefined && !this.#blocks.hasContent) {
      this.#fail(malformed('the answer has neither content nor a stop reason'), out);
      return;
    }
    const reason = this.#finishReason();
    this.#blocks.finish(reason === 'length' || reason === 'context-full' || reason === 'refusal', out);
    this.#spans.complete(out);
    this.#isDone = true;
    const rawUsage = usageRest(this.#usage);
    const extra = omitUndefined({
      ...this.#endExtra,
      usage: rawUsage,
      stop_reason: reason === 'other' ? this.#stopReason : undefined,
    });
    out.push(
      omitUndefined({
        type: 'turn-end' as const,
        reason,
        rawReason: this.#stopReason,
        stopSequence: this.#stopSequence,
        usage: decodeUsage(this.#usage),
        extra: Object.keys(extra).length > 0 ? { [ANTHROPIC_MESSAGES]: extra } : undefined,
      }),
    );
  }

  /** The arguments of `json_output` were the answer, so a turn that made no other call did not stop for tools. */
  #finishReason(): TurnEnd['reason'] {
    const reason = this.#stopReason === undefined ? undefined : decodeStopReason(this.#stopReason);
    if (reason === undefined) return this.#blocks.hasCalls ? 'tool-calls' : 'stop';
    return reason === 'tool-calls' && this.#blocks.hasJsonAnswer && !this.#blocks.hasCalls ? 'stop' : reason;
  }

  #fail(error: GatewayError, out: TurnEvent[]): void {
    this.#isDone = true;
    this.#spans.abort(out);
    out.push(omitUndefined({ type: 'turn-error' as const, error, usage: decodeUsage(this.#usage) }));
  }
}

function malformed(what: string): GatewayError {
  return new GatewayError('upstream-malformed', `The upstream's answer is broken: ${what}.`);
}
