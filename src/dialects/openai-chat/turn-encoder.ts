// A chat answer, canon to server-sent events, in the order and shape OpenAI sends them: the role first, every tool
// delta with its index, one finish chunk, the counts last and alone, then `[DONE]`. Known from OpenAI's reference and
// its streams. `reasoning_content` is DeepSeek's field, which most clients read.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TerminalEvent,
  type TurnEnd,
  type TurnEvent,
  type TurnStart,
  type Usage,
} from '../../core/index.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { EncodeContext, TurnEncoder } from '../dialect.ts';
import { describeAnswer } from './describe-answer.ts';
import { encodeErrorBody } from './errors.ts';
import { encodeFinishReason } from './finish-reason.ts';
import { usesLegacyFunctions } from './schema.ts';
import { encodeUsage } from './usage.ts';

const DONE = encodeSse('[DONE]');

interface OpenCall {
  readonly index: number;
  readonly isCustom: boolean;
  hasText: boolean;
}

export class ChatTurnEncoder implements TurnEncoder {
  readonly #context: EncodeContext;
  readonly #isLegacy: boolean;
  readonly #includesUsage: boolean;
  readonly #calls = new Map<string, OpenCall>();
  readonly #refusals = new Set<string>();
  readonly #sounds = new Set<string>();
  #start: TurnStart | undefined;
  #usage: Usage | undefined;
  #head = '';
  #tail = '';
  #hasRole = false;
  #isDone = false;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#isLegacy = usesLegacyFunctions(context.request);
    this.#includesUsage = context.request.includeUsage === true;
  }

  encode(events: readonly TurnEvent[]): string {
    let out = '';
    for (const event of events) {
      if (this.#isDone) break;
      out += this.#event(event);
    }
    return out;
  }

  encodeRawEnding(terminal: TerminalEvent): string {
    if (this.#isDone) return '';
    this.#isDone = true;
    return terminal.type === 'turn-end'
      ? DONE
      : encodeSse(JSON.stringify(encodeErrorBody(terminal.error))) + DONE;
  }

  #event(event: TurnEvent): string {
    switch (event.type) {
      case 'turn-start':
        this.#start = event;
        return '';
      case 'text-start':
        if (event.form === 'refusal') this.#refusals.add(event.id);
        return '';
      case 'text-delta': {
        const field = this.#refusals.has(event.id) ? 'refusal' : 'content';
        return this.#chunk(`{"${field}":${JSON.stringify(event.text)}}`, event.logprobs);
      }
      case 'text-end':
        if (!event.annotations || event.annotations.length === 0) return '';
        return this.#chunk(`{"annotations":${JSON.stringify(event.annotations)}}`);
      case 'reasoning-delta':
        return this.#chunk(`{"reasoning_content":${JSON.stringify(event.text)}}`);
      case 'media-delta': {
        if (!this.#sounds.has(event.id)) return '';
        const { data, transcript } = event;
        return this.#chunk(JSON.stringify({ audio: { data, transcript } }));
      }
      case 'tool-input-start':
        return this.#startCall(event);
      case 'tool-input-delta':
        return this.#callText(event.callId, event.text);
      case 'tool-call': {
        // Clients parse the text they collected, and an empty one is no JSON.
        const call = this.#calls.get(event.callId);
        return call && !call.hasText && !call.isCustom ? this.#callText(event.callId, '{}') : '';
      }
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'turn-end':
        return this.#end(event);
      case 'turn-error':
        return this.encodeRawEnding(event);
      case 'media-start':
        // This dialect streams sound only; pictures have no field here.
        if (event.kind === 'audio') this.#sounds.add(event.id);
        return '';
      case 'reasoning-start':
      case 'reasoning-end':
      case 'media-end':
      case 'tool-input-end':
      case 'tool-progress':
      case 'tool-result':
      case 'approval-request':
      case 'approval-response':
      case 'awaiting-results':
      case 'warning':
      case 'opaque':
        return '';
      default:
        return event satisfies never;
    }
  }

  #startCall(event: Extract<TurnEvent, { type: 'tool-input-start' }>): string {
    // Hosted calls run elsewhere: a client that saw one would try to run it.
    if (event.kind === 'hosted') return '';
    const isCustom = event.kind === 'custom';
    const call: OpenCall = { index: this.#calls.size, isCustom, hasText: false };
    this.#calls.set(event.callId, call);
    const role = this.#role('null');
    const name = JSON.stringify(event.name);
    if (this.#isLegacy) {
      return call.index > 0 ? '' : role + this.#frame(`{"function_call":{"name":${name},"arguments":""}}`);
    }
    const inner = isCustom
      ? `"type":"custom","custom":{"name":${name},"input":""}`
      : `"type":"function","function":{"name":${name},"arguments":""}`;
    const head = `"index":${call.index},"id":${JSON.stringify(event.callId)}`;
    return role + this.#frame(`{"tool_calls":[{${head},${inner}}]}`);
  }

  #callText(callId: string, text: string): string {
    const call = this.#calls.get(callId);
    if (!call) return '';
    call.hasText = true;
    const quoted = JSON.stringify(text);
    if (this.#isLegacy) return call.index > 0 ? '' : this.#frame(`{"function_call":{"arguments":${quoted}}}`);
    const inner = call.isCustom ? `"custom":{"input":${quoted}}` : `"function":{"arguments":${quoted}}`;
    return this.#frame(`{"tool_calls":[{"index":${call.index},${inner}}]}`);
  }

  #end(event: TurnEnd): string {
    this.#isDone = true;
    const hasCalls = this.#calls.size > 0;
    const reason = encodeFinishReason(event.reason, { hasCalls, hasRefusal: this.#refusals.size > 0 });
    const word = reason === 'tool_calls' && this.#isLegacy ? 'function_call' : reason;
    const role = this.#role('""');
    const finish = `${this.#head}[{"index":0,"delta":{},"logprobs":null,"finish_reason":"${word}"}]${this.#tail}`;
    const usage = event.usage ?? this.#usage;
    if (!this.#includesUsage || !usage) return role + finish + DONE;
    return `${role}${finish}${this.#head}[],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n${DONE}`;
  }

  /** The first chunk of all says who speaks; its content is null when a call comes first. */
  #role(content: '""' | 'null'): string {
    if (this.#hasRole) return '';
    this.#hasRole = true;
    this.#buildEnvelope();
    return this.#frame(`{"role":"assistant","content":${content}}`);
  }

  #chunk(delta: string, logprobs?: JsonValue): string {
    return this.#role('""') + this.#frame(delta, logprobs);
  }

  #frame(delta: string, logprobs?: JsonValue): string {
    const scores = logprobs === undefined ? 'null' : JSON.stringify(asChoiceLogprobs(logprobs));
    return `${this.#head}[{"index":0,"delta":${delta},"logprobs":${scores},"finish_reason":null}]${this.#tail}`;
  }

  #buildEnvelope(): void {
    const { id, created, model, kept } = describeAnswer(this.#start, this.#context);
    const fields: JsonObject = { id, object: 'chat.completion.chunk', created, model, ...kept };
    this.#head = `data: ${JSON.stringify(fields).slice(0, -1)},"choices":`;
    this.#tail = this.#includesUsage ? ',"usage":null}\n\n' : '}\n\n';
  }
}

/** Scores of this dialect are an object of lists; those of others are the list itself. */
export function asChoiceLogprobs(logprobs: JsonValue): JsonValue {
  return isJsonObject(logprobs) ? logprobs : { content: logprobs, refusal: null };
}
