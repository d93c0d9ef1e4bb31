// An answer, canon to server-sent events, in the order and shape Anthropic sends them: `message_start`, a ping, blocks
// one at a time, `message_delta` with the stop reason and all counts, `message_stop`. Known from its streaming guide.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type OpaqueEvent,
  type ReasoningEnd,
  type TerminalEvent,
  type ToolCall,
  type ToolInputStart,
  type TurnEnd,
  type TurnEvent,
  type TurnStart,
  type Usage,
} from '../../core/index.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { EncodeContext, TurnEncoder } from '../dialect.ts';
import { BlockSequence } from './block-sequence.ts';
import { describeAnswer } from './describe-answer.ts';
import { isCitation } from './encode-parts.ts';
import { encodeErrorEvent } from './errors.ts';
import { eventFrame, PING } from './event-frame.ts';
import { encodeStopReason, endExtra } from './finish-reason.ts';
import { unwrapBlock } from './opaque-block.ts';
import { ANTHROPIC_MESSAGES, ANTHROPIC_ORIGIN } from './schema.ts';
import { encodeUsage } from './usage.ts';

const EMPTY_TEXT = '{"type":"text","text":""}';
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

export class MessagesTurnEncoder implements TurnEncoder {
  readonly #context: EncodeContext;
  readonly #blocks = new BlockSequence();
  /** Calls of free text, whose raw input travels as the string inside `{"input": …}`. */
  readonly #customCalls = new Set<string>();
  #usage: Usage | undefined;
  #opaqueCount = 0;
  #hasRefusal = false;
  #isDone = false;

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  encode(events: readonly TurnEvent[]): string {
    let out = '';
    for (const event of events) {
      if (this.#isDone) break;
      if (event.type === 'turn-start') out += this.#start(event, events);
      else out += this.#event(event);
    }
    return out;
  }

  /** Raw bytes already hold `message_stop`; only a failure needs words of ours. */
  encodeRawEnding(terminal: TerminalEvent): string {
    if (this.#isDone || terminal.type === 'turn-end') return '';
    this.#isDone = true;
    return encodeSse(JSON.stringify(encodeErrorEvent(terminal.error)), 'error');
  }

  #event(event: Exclude<TurnEvent, TurnStart>): string {
    switch (event.type) {
      case 'text-start':
        if (event.form === 'refusal') this.#hasRefusal = true;
        return '';
      case 'text-delta':
        if (event.text === '') return '';
        return this.#prose(
          event.id,
          EMPTY_TEXT,
          `{"type":"text_delta","text":${JSON.stringify(event.text)}}`,
        );
      case 'text-end':
        return this.#citations(event.id, event.annotations ?? []) + this.#blocks.close(event.id);
      case 'reasoning-delta': {
        if (event.text === '') return '';
        const delta = `{"type":"thinking_delta","thinking":${JSON.stringify(event.text)}}`;
        return this.#prose(event.id, EMPTY_THINKING, delta);
      }
      case 'reasoning-end':
        return this.#endReasoning(event);
      case 'tool-input-start':
        return this.#startCall(event);
      case 'tool-input-delta':
        return this.#callText(event.callId, event.text);
      case 'tool-call':
        return this.#endCall(event);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'opaque':
        return this.#opaque(event);
      case 'turn-end':
        return this.#end(event);
      case 'turn-error':
        return this.encodeRawEnding(event);
      case 'reasoning-start':
      case 'tool-input-end': // a whole call follows at once; a cut one is closed at the end
      case 'media-start': // this dialect's models make neither sound nor pictures, and its clients read none
      case 'media-delta':
      case 'media-end':
      case 'tool-progress':
      case 'tool-result':
      case 'approval-request':
      case 'approval-response':
      case 'awaiting-results':
      case 'warning':
        return '';
      default:
        return event satisfies never;
    }
  }

  /** Counts that arrive together with the start are told at once; later ones in `message_delta`. */
  #start(start: TurnStart, batch: readonly TurnEvent[]): string {
    const known = batch.find((event) => event.type === 'usage');
    const message = {
      ...describeAnswer(start, this.#context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(known?.usage),
    };
    return eventFrame('message_start', `"message":${JSON.stringify(message)}`) + PING;
  }

  /** Spans that stay empty make no block. */
  #prose(id: string, emptyBlock: string, delta: string): string {
    const opening = this.#blocks.isOpen(id) ? '' : this.#blocks.open(id, emptyBlock);
    return opening + this.#blocks.write(id, delta);
  }

  #citations(id: string, annotations: readonly JsonValue[]): string {
    let out = '';
    for (const citation of annotations.filter(isCitation)) {
      out += this.#blocks.write(id, JSON.stringify({ type: 'citations_delta', citation }));
    }
    return out;
  }

  /** Another vendor's proof means nothing here; its thought is shown unsigned and recognised as such when it returns. */
  #endReasoning(event: ReasoningEnd): string {
    const { id, signature, encrypted } = event;
    let out = '';
    if (event.origin === ANTHROPIC_ORIGIN && signature) {
      const delta = `{"type":"signature_delta","signature":${JSON.stringify(signature)}}`;
      out += this.#prose(id, EMPTY_THINKING, delta);
    } else if (event.origin === ANTHROPIC_ORIGIN && encrypted !== undefined && !this.#blocks.isOpen(id)) {
      out += this.#blocks.open(id, JSON.stringify({ type: 'redacted_thinking', data: encrypted }));
    }
    return out + this.#blocks.close(id);
  }

  #startCall(event: ToolInputStart): string {
    // Hosted calls run elsewhere: a client that saw one would try to run it.
    if (event.kind === 'hosted') return '';
    const block = { type: 'tool_use', id: event.callId, name: event.name, input: {} };
    const opening = this.#blocks.open(callKey(event.callId), JSON.stringify(block));
    if (event.kind !== 'custom') return opening;
    this.#customCalls.add(event.callId);
    return opening + this.#inputDelta(event.callId, '{"input":"');
  }

  #callText(callId: string, text: string): string {
    if (text === '') return '';
    // The inside of a JSON string; halves of a surrogate pair are escaped apart and meet again when parsed.
    const escaped = this.#customCalls.has(callId) ? JSON.stringify(text).slice(1, -1) : text;
    return this.#inputDelta(callId, escaped);
  }

  #endCall(event: ToolCall): string {
    const tail = this.#customCalls.has(event.callId) ? this.#inputDelta(event.callId, '"}') : '';
    return tail + this.#blocks.close(callKey(event.callId));
  }

  #inputDelta(callId: string, json: string): string {
    const delta = `{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`;
    return this.#blocks.write(callKey(callId), delta);
  }

  #opaque(event: OpaqueEvent): string {
    if (event.dialect !== ANTHROPIC_MESSAGES || !isJsonObject(event.value)) return '';
    const opaque = unwrapBlock(event.dialect, event.value);
    if (!opaque) return forwardEvent(event.value);
    const { input, ...head } = opaque.block;
    const key = `opaque ${this.#opaqueCount++}`;
    if (input === undefined) return this.#blocks.open(key, JSON.stringify(head)) + this.#blocks.close(key);
    const delta = JSON.stringify({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
    const opening = this.#blocks.open(key, JSON.stringify({ ...head, input: {} }));
    return opening + this.#blocks.write(key, delta) + this.#blocks.close(key);
  }

  #end(end: TurnEnd): string {
    this.#isDone = true;
    const { usage: usageRest, stop_reason: _reason, context_management, ...others } = endExtra(end) ?? {};
    const delta: JsonObject = {
      ...others,
      stop_reason: encodeStopReason(end, this.#hasRefusal),
      stop_sequence: end.stopSequence ?? null,
    };
    const usage = encodeUsage(end.usage ?? this.#usage, isJsonObject(usageRest) ? usageRest : undefined);
    const managed =
      context_management === undefined ? '' : `,"context_management":${JSON.stringify(context_management)}`;
    return (
      this.#blocks.closeAll() +
      eventFrame(
        'message_delta',
        `"delta":${JSON.stringify(delta)},"usage":${JSON.stringify(usage)}${managed}`,
      ) +
      eventFrame('message_stop')
    );
  }
}

function callKey(callId: string): string {
  return `call ${callId}`;
}

/** An event this version does not know. One that speaks of a block is left out: the indexes here are our own. */
function forwardEvent(event: JsonObject): string {
  if (typeof event.type !== 'string' || !/^\w+$/.test(event.type) || 'index' in event) return '';
  return encodeSse(JSON.stringify(event), event.type);
}
