// A Responses answer, wire to canon, event by event. Known from OpenAI's reference and from servers that leave out
// some of its events (LiteLLM, OmniRoute, Copilot and others; every case is listed in docs/protocols).
// Nothing is guessed: an event that is not understood is reported once per type and otherwise ignored.
import {
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type TurnEnd,
  type TurnEvent,
  type Usage,
} from '../../core/index.ts';
import type { TurnDecoder } from '../dialect.ts';
import { decodeOutputItem } from './decode-output-item.ts';
import { decodeStreamError } from './errors.ts';
import { cutReason, wholeReason } from './finish-reason.ts';
import { ItemSpans, type ItemSpansOptions, type ItemState, type ProseKind } from './item-spans.ts';
import { withPosition } from './raw-position.ts';
import { OPENAI_RESPONSES } from './schema.ts';
import { decodeUsage } from './usage.ts';

/** One server-sent event of a Responses stream. */
export interface ResponsesFrame {
  readonly event?: string | undefined;
  readonly data: string;
}

export interface ResponsesDecoderOptions extends ItemSpansOptions {
  /** Put the upstream's own response object on `turn-end`: a front that forwards raw frames may want to store it. */
  readonly keepsResponse?: boolean;
}

/** A server that invents event types without end must not fill the memory. */
const MAX_DRIFT_TYPES = 100;

/** The end of a paragraph, which the item repeats, and the progress of tools that the server runs. */
const SILENT =
  /^response\.(?:reasoning_summary_part\.done$|(?:web_search_call|file_search_call|code_interpreter_call|code_interpreter_call_code|mcp_call|mcp_call_arguments|mcp_list_tools|image_generation_call)\.)/;

export class ResponsesTurnDecoder implements TurnDecoder<ResponsesFrame> {
  readonly #options: ResponsesDecoderOptions;
  readonly #spans: ItemSpans;
  readonly #drift = new Set<string>();
  #hasStarted = false;
  #isDone = false;
  #usage: Usage | undefined;
  #responseId: string | undefined;
  #lastSequence = -1;

  constructor(options: ResponsesDecoderOptions) {
    this.#options = options;
    this.#spans = new ItemSpans(options);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** True while the server has only announced the answer: such a turn may still be tried elsewhere. */
  get isOnlyAnnounced(): boolean {
    return !this.#isDone && !this.#spans.hasItems && this.#drift.size === 0;
  }

  step(frame: ResponsesFrame): TurnEvent[] {
    const data = frame.data.trim();
    // This dialect has no [DONE], but proxies that serve both of OpenAI's dialects add it.
    if (this.#isDone || data === '' || data === '[DONE]') return [];
    let event: JsonValue;
    try {
      event = JSON.parse(data) as JsonValue;
    } catch {
      return this.#fail(malformed('The upstream sent an event that is not JSON', data), []);
    }
    if (!isJsonObject(event)) {
      return this.#fail(malformed('The upstream sent an event that is not a JSON object', data), []);
    }
    const isNamed = event.type !== undefined || frame.event === undefined;
    return this.stepEvent(isNamed ? event : { ...event, type: frame.event ?? null });
  }

  /** An event that is already parsed. */
  stepEvent(event: JsonObject): TurnEvent[] {
    if (this.#isDone) return [];
    const out: TurnEvent[] = [];
    try {
      this.#event(event, out);
    } catch (thrown) {
      return this.#fail(GatewayError.from(thrown), out);
    }
    return out;
  }

  halt(cause?: GatewayError): TurnEvent[] {
    return this.#isDone ? [] : this.#fail(cause ?? this.#cutError(), []);
  }

  #fail(error: GatewayError, out: TurnEvent[]): TurnEvent[] {
    this.#isDone = true;
    this.#spans.abort(out);
    const placed = withPosition(error, { responseId: this.#responseId, sequenceNumber: this.#lastSequence });
    out.push(omitUndefined({ type: 'turn-error' as const, error: placed, usage: this.#usage }));
    return out;
  }

  #cutError(): GatewayError {
    return new GatewayError(
      'upstream-malformed',
      this.#spans.hasItems
        ? 'The upstream stream was cut: it ended before the answer did.'
        : 'The upstream stream was empty: it ended without any answer.',
    );
  }

  #event(event: JsonObject, out: TurnEvent[]): void {
    if (typeof event.sequence_number === 'number') this.#lastSequence = event.sequence_number;
    const { type } = event;
    if (type === 'error') throw decodeStreamError(isJsonObject(event.error) ? event.error : event);
    if (type === undefined && event.error) throw decodeStreamError(event.error);
    switch (type) {
      case 'keepalive':
        return;
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#start(event.response, out);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#terminal(
          isJsonObject(event.response) ? event.response : {},
          type.slice('response.'.length),
          out,
        );
        return;
      default:
        this.#start(undefined, out);
        if (!this.#body(event, out) && !SILENT.test(String(type))) this.#noteDrift(event, out);
    }
  }

  #start(response: JsonValue | undefined, out: TurnEvent[]): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { id, model, created_at } = isJsonObject(response) ? response : ({} as JsonObject); // nothing known yet
    this.#responseId = typeof id === 'string' ? id : undefined;
    out.push(
      omitUndefined({
        type: 'turn-start' as const,
        responseId: this.#responseId,
        model: typeof model === 'string' && model !== '' ? model : undefined,
        createdAtMs: typeof created_at === 'number' ? Math.round(created_at * 1000) : undefined,
      }),
    );
  }

  /** False when the event is not one of those that carry the answer. */
  #body(event: JsonObject, out: TurnEvent[]): boolean {
    switch (event.type) {
      case 'response.output_item.added':
        if (isJsonObject(event.item)) this.#addItem(event.item, event.output_index, out);
        return true;
      case 'response.output_item.done':
        if (isJsonObject(event.item)) this.#finishItem(event.item, event.output_index, out);
        return true;
      case 'response.content_part.added':
      case 'response.content_part.done':
      case 'response.reasoning_part.added': // vLLM's name for the parts of a thought
      case 'response.reasoning_part.done':
        this.#contentPart(event, out);
        return true;
      case 'response.output_text.delta':
        this.#delta(event, 'text', event.content_index, out);
        return true;
      case 'response.refusal.delta':
        this.#delta(event, 'refusal', event.content_index, out);
        return true;
      case 'response.reasoning_text.delta':
        this.#delta(event, 'raw', event.content_index, out);
        return true;
      case 'response.reasoning_summary_text.delta':
        this.#delta(event, 'summary', event.summary_index, out);
        return true;
      case 'response.output_text.done':
        this.#whole(event, 'text', event.content_index, event.text, out);
        return true;
      case 'response.refusal.done':
        this.#whole(event, 'refusal', event.content_index, event.refusal, out);
        return true;
      case 'response.reasoning_text.done':
        this.#whole(event, 'raw', event.content_index, event.text, out);
        return true;
      case 'response.reasoning_summary_text.done':
        this.#whole(event, 'summary', event.summary_index, event.text, out);
        return true;
      case 'response.reasoning_summary_part.added':
        this.#spans.open(this.#part(event, 'summary', event.summary_index), out);
        return true;
      case 'response.output_text.annotation.added':
        if (event.annotation !== undefined) {
          this.#part(event, 'text', event.content_index).annotations.push(event.annotation);
        }
        return true;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#withCall(event, (item) => this.#spans.appendInput(item, event.delta, out));
        return true;
      case 'response.function_call_arguments.done':
        this.#withCall(event, (item) => this.#spans.appendInputRest(item, event.arguments, out));
        return true;
      case 'response.custom_tool_call_input.done':
        this.#withCall(event, (item) => this.#spans.appendInputRest(item, event.input, out));
        return true;
      default:
        return false;
    }
  }

  #addItem(wire: JsonObject, index: JsonValue | undefined, out: TurnEvent[]): void {
    if (this.#spans.find(index, wire.id)) return;
    const item = this.#spans.add(String(wire.type), index, wire.id);
    if (wire.type !== 'function_call' && wire.type !== 'custom_tool_call') return;
    this.#spans.startCall(item, wire, out);
    // Some servers put the whole call into its first event.
    this.#spans.appendInputRest(item, wire.type === 'function_call' ? wire.arguments : wire.input, out);
  }

  #finishItem(wire: JsonObject, index: JsonValue | undefined, out: TurnEvent[]): void {
    const item = this.#spans.find(index, wire.id) ?? this.#spans.add(String(wire.type), index, wire.id);
    if (!item.isDone) decodeOutputItem(item, wire, this.#spans, out);
  }

  #contentPart(event: JsonObject, out: TurnEvent[]): void {
    const wire = isJsonObject(event.part) ? event.part : {};
    const kind = proseKindOf(wire.type);
    if (!kind) return;
    const part = this.#part(event, kind, event.content_index);
    const isAdded =
      event.type !== 'response.content_part.done' && event.type !== 'response.reasoning_part.done';
    if (isAdded) this.#spans.open(part, out);
    this.#spans.sayRest(part, kind === 'refusal' ? wire.refusal : wire.text, undefined, out);
    // A thought stays open until its item is done: the proof comes with the item.
    if (isAdded || kind === 'raw') return;
    if (Array.isArray(wire.annotations) && wire.annotations.length > part.annotations.length) {
      part.annotations.splice(0, part.annotations.length, ...wire.annotations);
    }
    this.#spans.closePart(part, out);
  }

  #delta(event: JsonObject, kind: ProseKind, index: JsonValue | undefined, out: TurnEvent[]): void {
    if (typeof event.delta !== 'string') return;
    const { logprobs } = event;
    const hasLogprobs = Array.isArray(logprobs) && logprobs.length > 0;
    this.#spans.say(this.#part(event, kind, index), event.delta, hasLogprobs ? logprobs : undefined, out);
  }

  #whole(
    event: JsonObject,
    kind: ProseKind,
    index: JsonValue | undefined,
    text: JsonValue | undefined,
    out: TurnEvent[],
  ): void {
    const { logprobs } = event;
    const hasLogprobs = Array.isArray(logprobs) && logprobs.length > 0;
    this.#spans.sayRest(this.#part(event, kind, index), text, hasLogprobs ? logprobs : undefined, out);
  }

  #part(event: JsonObject, kind: ProseKind, index: JsonValue | undefined): ReturnType<ItemSpans['part']> {
    const isThought = kind === 'summary' || kind === 'raw';
    const item =
      this.#spans.find(event.output_index, event.item_id) ??
      this.#spans.add(isThought ? 'reasoning' : 'message', event.output_index, event.item_id);
    return this.#spans.part(item, partKey(kind, index), kind);
  }

  /** A call that was never announced is not known by name; its finished item will bring everything. */
  #withCall(event: JsonObject, use: (item: ItemState) => void): void {
    const item = this.#spans.find(event.output_index, event.item_id);
    if (item) use(item);
  }

  #terminal(response: JsonObject, word: string, out: TurnEvent[]): void {
    this.#usage = decodeUsage(response.usage) ?? this.#usage;
    if (word === 'failed') throw decodeStreamError(response.error ?? undefined);
    if (word === 'cancelled') throw new GatewayError('cancelled', 'The upstream cancelled the answer.');
    this.#start(response, out);
    const isWhole = word === 'completed';
    for (const [index, wire] of (Array.isArray(response.output) ? response.output : []).entries()) {
      if (!isJsonObject(wire)) continue;
      const isCut = !isWhole && wire.status !== 'completed' && String(wire.type).endsWith('_call');
      const item =
        this.#spans.findFinal(index, wire) ?? this.#spans.add(String(wire.type), undefined, wire.id);
      if (!item.isDone && !isCut) decodeOutputItem(item, wire, this.#spans, out);
    }
    if (isWhole) this.#spans.complete(out);
    else this.#spans.abort(out);
    this.#isDone = true;
    out.push(this.#end(response, isWhole));
  }

  #end(response: JsonObject, isWhole: boolean): TurnEnd {
    const details = isJsonObject(response.incomplete_details) ? response.incomplete_details : {};
    const rawReason = typeof details.reason === 'string' ? details.reason : undefined;
    const extra = omitUndefined({
      service_tier: response.service_tier ?? undefined,
      response: this.#options.keepsResponse ? response : undefined,
    });
    return omitUndefined({
      type: 'turn-end' as const,
      reason: isWhole ? wholeReason(this.#spans) : cutReason(rawReason),
      rawReason: isWhole ? undefined : rawReason,
      usage: this.#usage,
      extra: Object.keys(extra).length > 0 ? { [OPENAI_RESPONSES]: extra } : undefined,
    });
  }

  #noteDrift(event: JsonObject, out: TurnEvent[]): void {
    const type = String(event.type);
    if (this.#drift.has(type) || this.#drift.size >= MAX_DRIFT_TYPES) return;
    this.#drift.add(type);
    out.push({ type: 'opaque', dialect: OPENAI_RESPONSES, value: event });
  }
}

function proseKindOf(type: JsonValue | undefined): ProseKind | undefined {
  if (type === 'output_text' || type === 'refusal') return type === 'refusal' ? 'refusal' : 'text';
  return type === 'reasoning_text' ? 'raw' : undefined;
}

/** Summary paragraphs and content parts are counted apart. */
function partKey(kind: ProseKind, index: JsonValue | undefined): string {
  return `${kind === 'summary' ? 's' : 'c'}${typeof index === 'number' ? index : 0}`;
}

function malformed(what: string, data: string): GatewayError {
  const shown = data.length > 80 ? `${data.slice(0, 80)}…` : data;
  return new GatewayError('upstream-malformed', `${what}: ${shown}`);
}
