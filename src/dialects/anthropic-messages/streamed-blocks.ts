// The content blocks of one streamed answer, wire to canon. A block may bring its content with its start, in deltas, or
// (imitations do) both; it is delivered once.
import {
  GatewayError,
  type IdSource,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_ARGUMENT_CHARACTERS,
  parseArguments,
  type TurnEvent,
  type TurnSpans,
} from '../../core/index.ts';
import { JSON_OUTPUT_TOOL } from './encode-tools.ts';
import { restoreRawText } from './lowered-tool.ts';
import { wrapBlock } from './opaque-block.ts';
import { ANTHROPIC_MESSAGES, ANTHROPIC_ORIGIN } from './schema.ts';
import type { ToolOrigin } from './tool-names.ts';

type Block =
  | { readonly type: 'text'; readonly citations: JsonValue[] }
  | { readonly type: 'thinking'; signature: string; hasText: boolean }
  | { readonly type: 'tool'; readonly callId: string; readonly isLowered: boolean; readonly text: BlockText }
  | { readonly type: 'json-answer'; readonly text: BlockText }
  /** Said all it had to say with its start. */
  | { readonly type: 'complete' }
  | { readonly type: 'opaque'; readonly index: number; readonly value: JsonObject; readonly text: BlockText };

/** Text that came with the start counts only if no delta brings it again. */
interface BlockText {
  readonly initial: string;
  pieces: string[];
  length: number;
}

export interface StreamedBlocksOptions {
  readonly newId: IdSource;
  readonly toolOrigins?: ReadonlyMap<string, ToolOrigin>;
  readonly usesJsonTool?: boolean;
}

export class StreamedBlocks {
  readonly #spans: TurnSpans;
  readonly #options: StreamedBlocksOptions;
  readonly #open = new Map<number, Block>();
  readonly #usedCallIds = new Set<string>();
  /** Stopped, but whether it is whole or was cut is known only when the next block or the stop reason comes. */
  #stoppedCall: Extract<Block, { type: 'tool' }> | undefined;
  hasContent = false;
  hasCalls = false;
  hasJsonAnswer = false;

  constructor(spans: TurnSpans, options: StreamedBlocksOptions) {
    this.#spans = spans;
    this.#options = options;
  }

  apply(event: JsonObject, out: TurnEvent[]): void {
    const index = typeof event.index === 'number' ? event.index : Math.max(0, this.#open.size - 1);
    const body = event.type === 'content_block_start' ? event.content_block : event.delta;
    if (event.type === 'content_block_stop') this.#stop(index, out);
    else if (!isJsonObject(body)) out.push({ type: 'opaque', dialect: ANTHROPIC_MESSAGES, value: event });
    else if (event.type === 'content_block_start') this.#start(index, body, out);
    else this.#delta(index, body, event, out);
  }

  /** The answer is over. A call that the output limit cut off is no call. */
  finish(wasCut: boolean, out: TurnEvent[]): void {
    for (const index of [...this.#open.keys()]) this.#stop(index, out);
    const call = this.#stoppedCall;
    if (wasCut && call && !isWhole(call.text)) this.#spans.tools.abortAll(out);
    else this.#finishCall(out);
    this.#stoppedCall = undefined;
  }

  #start(index: number, block: JsonObject, out: TurnEvent[]): void {
    this.#stop(index, out); // a start without the stop before it
    this.#finishCall(out);
    this.hasContent = true;
    const opened = this.#openBlock(index, block, out);
    this.#open.set(index, opened);
  }

  #openBlock(index: number, block: JsonObject, out: TurnEvent[]): Block {
    switch (block.type) {
      case 'text': {
        this.#spans.closeProse(out);
        if (typeof block.text === 'string' && block.text !== '') this.#spans.text(block.text, out);
        return { type: 'text', citations: Array.isArray(block.citations) ? [...block.citations] : [] };
      }
      case 'thinking': {
        this.#spans.closeProse(out);
        const text = textOf(block.thinking);
        if (text !== '') this.#spans.reasoning(text, out);
        return { type: 'thinking', signature: textOf(block.signature), hasText: text !== '' };
      }
      case 'redacted_thinking':
        this.#spans.closeProse(out);
        this.#spans.endReasoning(
          { encrypted: textOf(block.data), origin: ANTHROPIC_ORIGIN },
          out,
          'redacted',
        );
        return { type: 'complete' };
      case 'tool_use':
        return this.#openCall(block, out);
      default:
        this.#spans.closeProse(out);
        return { type: 'opaque', index, value: block, text: newText('') };
    }
  }

  #openCall(block: JsonObject, out: TurnEvent[]): Block {
    const wireName = textOf(block.name);
    const isEmpty = !isJsonObject(block.input) || Object.keys(block.input).length === 0;
    const text = newText(isEmpty ? '' : JSON.stringify(block.input));
    if (this.#options.usesJsonTool && wireName === JSON_OUTPUT_TOOL) {
      this.hasJsonAnswer = true;
      this.#spans.closeProse(out);
      return { type: 'json-answer', text };
    }
    this.hasCalls = true;
    const origin = this.#options.toolOrigins?.get(wireName);
    const isLowered = origin?.isLowered ?? false;
    const callId = this.#freeCallId(textOf(block.id));
    const { name = wireName, namespace } = origin ?? {};
    const kind = isLowered ? 'custom' : 'function';
    this.#spans.startTool({ callId, name, kind, ...(namespace === undefined ? {} : { namespace }) }, out);
    return { type: 'tool', callId, isLowered, text };
  }

  #freeCallId(id: string): string {
    const callId = id !== '' && !this.#usedCallIds.has(id) ? id : this.#options.newId('toolu_');
    this.#usedCallIds.add(callId);
    return callId;
  }

  #delta(index: number, delta: JsonObject, event: JsonObject, out: TurnEvent[]): void {
    const block = this.#open.get(index) ?? this.#implied(index, delta, out);
    if (delta.type === 'text_delta' && block?.type === 'text') {
      if (textOf(delta.text) !== '') this.#spans.text(textOf(delta.text), out);
    } else if (delta.type === 'citations_delta' && block?.type === 'text') {
      if (delta.citation !== undefined) block.citations.push(delta.citation);
    } else if (delta.type === 'thinking_delta' && block?.type === 'thinking') {
      block.hasText = true;
      this.#spans.reasoning(textOf(delta.thinking), out);
    } else if (delta.type === 'signature_delta' && block?.type === 'thinking') {
      block.signature += textOf(delta.signature);
    } else if (delta.type === 'input_json_delta' && block && 'text' in block) {
      this.#appendInput(block, textOf(delta.partial_json), out);
    } else {
      out.push({ type: 'opaque', dialect: ANTHROPIC_MESSAGES, value: event });
    }
  }

  /** Text that comes without a start still is text. */
  #implied(index: number, delta: JsonObject, out: TurnEvent[]): Block | undefined {
    if (delta.type !== 'text_delta' && delta.type !== 'thinking_delta') return undefined;
    const block =
      delta.type === 'text_delta' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' };
    this.#start(index, block, out);
    return this.#open.get(index);
  }

  #appendInput(block: Extract<Block, { text: BlockText }>, text: string, out: TurnEvent[]): void {
    if (text === '') return;
    block.text.length += text.length;
    if (block.text.length > MAX_ARGUMENT_CHARACTERS) {
      throw new GatewayError('too-large', `A block's input grew past ${MAX_ARGUMENT_CHARACTERS} characters.`);
    }
    block.text.pieces.push(text);
    if (block.type === 'json-answer') this.#spans.text(text, out);
    else if (block.type === 'tool' && !block.isLowered) this.#spans.tools.append(block.callId, text, out);
  }

  #stop(index: number, out: TurnEvent[]): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    switch (block?.type) {
      case 'text':
        if (block.citations.length > 0) this.#spans.endText(block.citations, out);
        else this.#spans.closeProse(out);
        return;
      case 'thinking':
        if (block.signature !== '') {
          this.#spans.endReasoning({ signature: block.signature, origin: ANTHROPIC_ORIGIN }, out);
        } else if (block.hasText) this.#spans.closeProse(out);
        return;
      case 'json-answer':
        if (block.text.length === 0 && block.text.initial !== '') this.#spans.text(block.text.initial, out);
        this.#spans.closeProse(out);
        return;
      case 'tool':
        this.#finishCall(out);
        this.#stoppedCall = block;
        return;
      case 'opaque':
        out.push(finishOpaque(block));
        return;
      case 'complete':
      case undefined:
        return;
      default:
        block satisfies never;
    }
  }

  #finishCall(out: TurnEvent[]): void {
    const call = this.#stoppedCall;
    if (!call) return;
    this.#stoppedCall = undefined;
    const text = wholeText(call.text);
    if (call.isLowered) this.#spans.tools.append(call.callId, restoreRawText(text), out);
    else if (call.text.length === 0) this.#spans.tools.append(call.callId, text, out);
    this.#spans.tools.finish(call.callId, out);
  }
}

/** The input of a server's own call is put together here; other blocks are whole from their start. */
function finishOpaque({ index, value, text }: Extract<Block, { type: 'opaque' }>): TurnEvent {
  const parsed = text.length > 0 ? parseArguments(wholeText(text)) : undefined;
  return wrapBlock({ index, block: parsed && 'input' in parsed ? { ...value, input: parsed.input } : value });
}

function newText(initial: string): BlockText {
  return { initial, pieces: [], length: 0 };
}

function wholeText(text: BlockText): string {
  return text.length > 0 ? text.pieces.join('') : text.initial;
}

function isWhole(text: BlockText): boolean {
  const whole = wholeText(text);
  return whole.trim() !== '' && 'input' in parseArguments(whole);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
