// A Responses stream, canon to wire. Order and fields of the events from OpenAI's reference.
// A turn that fails ends with `response.failed`, never with a bare `error` event: Codex, the Agents SDK and OpenAI's
// own accumulator all read the response object, and only some of them know `error`.
import {
  isJsonObject,
  type JsonObject,
  type MediaStart,
  type TerminalEvent,
  type TurnEnd,
  type TurnError,
  type TurnEvent,
  type Usage,
} from '../../core/index.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { EncodeContext, TurnEncoder } from '../dialect.ts';
import { CallItems } from './call-items.ts';
import { completeUsage } from './complete-usage.ts';
import { encodeStreamError } from './errors.ts';
import { encodeIncompleteReason } from './finish-reason.ts';
import { FrameWriter } from './frame-writer.ts';
import { MessageItems } from './message-items.ts';
import { OutputList } from './output-list.ts';
import { imageItem, messageItem } from './output-shapes.ts';
import { positionOf } from './raw-position.ts';
import { ReasoningItems } from './reasoning-items.ts';
import { ResponseBuilder, type ResponseState } from './response-object.ts';
import { OPENAI_RESPONSES, wantsEncryptedReasoning } from './schema.ts';

/** Later than any number that an upstream has used; only for a failure that came with no position at all. */
const AFTER_EVERYTHING = 2_147_483_647;

export class ResponsesTurnEncoder implements TurnEncoder {
  readonly #context: EncodeContext;
  readonly #frames = new FrameWriter();
  readonly #output = new OutputList(this.#frames);
  readonly #response: ResponseBuilder;
  readonly #messages: MessageItems;
  readonly #thoughts: ReasoningItems;
  readonly #calls: CallItems;
  readonly #media = new Map<string, { start: MediaStart; data: string[]; transcript: string[] }>();
  #model: string | undefined;
  #usage: Usage | undefined;
  #hasBegun = false;
  #finalResponse: JsonObject | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    const { newId, request } = context;
    this.#response = new ResponseBuilder(context);
    this.#messages = new MessageItems(this.#frames, this.#output, newId);
    this.#thoughts = new ReasoningItems(this.#frames, this.#output, newId, wantsEncryptedReasoning(request));
    this.#calls = new CallItems(this.#frames, this.#output, newId, request.tools);
  }

  /** The response object as the client has seen it, ids included: ours, or the upstream's where its bytes passed. */
  finishedBody(end: TurnEnd): JsonObject | undefined {
    if (this.#finalResponse) return this.#finalResponse;
    const forwarded = end.extra?.[OPENAI_RESPONSES]?.response;
    return isJsonObject(forwarded) ? forwarded : undefined;
  }

  encode(events: readonly TurnEvent[]): string {
    for (const event of events) {
      if (this.#finalResponse) break;
      this.#event(event);
    }
    return this.#frames.take();
  }

  encodeRawEnding(terminal: TerminalEvent): string {
    // A good end was already forwarded: `response.completed` is a frame like the others. This dialect has no [DONE].
    if (terminal.type === 'turn-end') return '';
    const position = positionOf(terminal.error);
    const sequence_number = position ? position.sequenceNumber + 1 : AFTER_EVERYTHING;
    const builder = position?.responseId
      ? new ResponseBuilder(this.#context, position.responseId)
      : this.#response;
    const response = builder.build(failedState(terminal, []));
    return encodeSse(
      JSON.stringify({ type: 'response.failed', response, sequence_number }),
      'response.failed',
    );
  }

  #event(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        this.#model = event.model;
        this.#begin();
        return;
      case 'text-start':
        this.#begin();
        this.#thoughts.leave();
        this.#messages.start(event);
        return;
      case 'text-delta':
        this.#messages.delta(event);
        return;
      case 'text-end':
        this.#messages.end(event);
        return;
      case 'reasoning-start':
        this.#begin();
        this.#messages.leave();
        this.#thoughts.start(event);
        return;
      case 'reasoning-delta':
        this.#thoughts.delta(event);
        return;
      case 'reasoning-end':
        this.#thoughts.end(event);
        return;
      case 'tool-input-start':
        this.#leaveProse();
        this.#calls.start(event);
        return;
      case 'tool-input-delta':
        this.#thoughts.leave();
        this.#calls.delta(event);
        return;
      case 'tool-call':
        this.#leaveProse();
        this.#calls.finish(event);
        return;
      case 'tool-result':
        this.#leaveProse();
        this.#calls.result(event.result);
        return;
      case 'media-start':
        this.#media.set(event.id, { start: event, data: [], transcript: [] });
        return;
      case 'media-delta': {
        const media = this.#media.get(event.id);
        if (event.data !== undefined) media?.data.push(event.data);
        if (event.transcript !== undefined) media?.transcript.push(event.transcript);
        return;
      }
      case 'media-end':
        this.#leaveProse();
        this.#endMedia(event.id, event.extra?.[OPENAI_RESPONSES]?.item);
        return;
      case 'opaque':
        this.#keepItem(event);
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'turn-end':
        this.#end(event);
        return;
      case 'turn-error':
        this.#fail(event);
        return;
      case 'tool-input-end':
      case 'tool-progress':
      case 'approval-request':
      case 'approval-response':
      case 'awaiting-results':
      case 'warning':
        return;
      default:
        event satisfies never;
    }
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response = this.#response.build({ status: 'in_progress', output: [], model: this.#model });
    this.#frames.event('response.created', { response });
    this.#frames.event('response.in_progress', { response });
  }

  #leaveProse(): void {
    this.#begin();
    this.#messages.leave();
    this.#thoughts.leave();
  }

  #endMedia(id: string, kept: unknown): void {
    const media = this.#media.get(id);
    if (!media) return;
    this.#media.delete(id);
    const { newId } = this.#context;
    const data = media.data.join('');
    if (media.start.kind === 'image') {
      const rest = isJsonObject(kept) ? kept : undefined;
      const item = imageItem(newId('ig_'), data, rest);
      this.#output.addWhole(item, { ...item, status: 'in_progress', result: null });
    } else if (media.start.kind === 'audio') {
      const part = { type: 'output_audio', data, transcript: media.transcript.join('') };
      this.#output.addWhole(messageItem(newId('msg_'), 'completed', [part]));
    }
  }

  #keepItem(event: Extract<TurnEvent, { type: 'opaque' }>): void {
    if (event.dialect !== OPENAI_RESPONSES || !isJsonObject(event.value)) return;
    const { type, item } = event.value;
    if (type !== 'response.output_item.done' || !isJsonObject(item)) return;
    this.#leaveProse();
    this.#output.addWhole(item);
  }

  #end(event: TurnEnd): void {
    this.#leaveProse();
    this.#calls.leaveServerCalls();
    const incompleteReason = encodeIncompleteReason(event.reason);
    const status = incompleteReason === undefined ? 'completed' : 'incomplete';
    const output = this.#output.items();
    this.#finish({
      status,
      output,
      model: this.#model,
      usage: completeUsage(event.usage ?? this.#usage, this.#context.request, output),
      incompleteReason,
      serviceTier: event.extra?.[OPENAI_RESPONSES]?.service_tier,
    });
  }

  #fail(event: TurnError): void {
    this.#begin();
    const { usage = this.#usage } = event;
    this.#finish({ ...failedState(event, this.#output.items()), model: this.#model, usage });
  }

  #finish(state: ResponseState): void {
    const response = this.#response.build(state);
    this.#frames.event(`response.${state.status}`, { response });
    this.#finalResponse = response;
  }
}

function failedState(event: TurnError, output: readonly JsonObject[]): ResponseState {
  return { status: 'failed', output, usage: event.usage, error: encodeStreamError(event.error) };
}
