// What a run tells, as interaction updates. Order and fields: what public servers send and the official SDK shows.
// Token deltas are estimates, as the protocol has no true count before the end of the turn.
import { estimateTokens, type TurnEvent, type Usage } from '../../../core/index.ts';
import type { ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import type { Outbox } from './outbox.ts';
import { textFrame, thinkingFrame, type UpdateInit, updateFrame } from './server-frames.ts';

/** Fewer tokens than this wait for more: a count behind every word would double the frames. */
const TOKENS_AT_ONCE = 16;

const MAX_PIECE_CHARACTERS = 64 * 1024;

export interface EventWriterOptions {
  readonly outbox: Outbox;
  readonly nowMs: () => number;
  /** How a call looks while its arguments are still being written; undefined when it cannot be drawn. */
  readonly drawCall: (callId: string, name: string) => ToolCall | undefined;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #partialCalls = new Map<string, ToolCall | undefined>();
  #stepStartedMs = 0;
  #thoughtStartedMs: number | undefined;
  #hasThought = false;
  #thinkingMs = 0;
  #characters = 0;
  #tokensTold = 0;
  /** What the model has said in this step. */
  #stepText = '';
  modelCallId = '';

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  get stepText(): string {
    return this.#stepText;
  }

  /** How long the model thought in this step. */
  get thinkingMs(): number {
    return this.#thinkingMs;
  }

  async startStep(step: number): Promise<void> {
    this.#stepStartedMs = this.#options.nowMs();
    this.#thinkingMs = 0;
    this.#stepText = '';
    this.#partialCalls.clear();
    await this.update({ case: 'stepStarted', value: { stepId: BigInt(step) } });
  }

  async endStep(step: number): Promise<void> {
    await this.tellTokens(1);
    const stepDurationMs = BigInt(Math.round(this.#options.nowMs() - this.#stepStartedMs));
    await this.update({ case: 'stepCompleted', value: { stepId: BigInt(step), stepDurationMs } });
    this.#stepText = '';
  }

  /** What came together leaves together: deltas of one kind that follow each other become one frame. */
  async writeEvents(events: readonly TurnEvent[]): Promise<void> {
    let text = '';
    let thought = '';
    const inputs = new Map<string, string>();
    // In this order, so that only what would overtake something that waits has to wait for a flush.
    const flush = async () => {
      if (thought !== '') await this.#writeThought(thought);
      if (text !== '') await this.#writeText(text);
      for (const [callId, delta] of inputs) await this.#writeInput(callId, delta);
      text = '';
      thought = '';
      inputs.clear();
    };
    for (const event of events) {
      switch (event.type) {
        case 'text-delta':
          if (inputs.size > 0) await flush();
          text += event.text;
          break;
        case 'reasoning-start':
          this.#thoughtStartedMs ??= this.#options.nowMs();
          break;
        case 'reasoning-delta':
          if (text !== '' || inputs.size > 0) await flush();
          thought += event.text;
          break;
        case 'reasoning-end':
          await flush();
          await this.#endThought();
          break;
        case 'tool-input-start':
          await flush();
          this.#partialCalls.set(event.callId, this.#options.drawCall(event.callId, event.name));
          await this.#writeInput(event.callId, '');
          break;
        case 'tool-input-delta':
          inputs.set(event.callId, (inputs.get(event.callId) ?? '') + event.text);
          break;
        default: // ends of spans, whole calls, counts: the frames of the round say it all
          break;
      }
    }
    await flush();
    await this.tellTokens(TOKENS_AT_ONCE);
  }

  /** Words of the server's own, for the user. */
  async notice(text: string): Promise<void> {
    await this.update({ case: 'textDelta', value: { text, isServerNotice: true } });
  }

  /** Words that were said before and that this client has not seen. */
  async repeatText(text: string): Promise<void> {
    await this.#sendText(text);
  }

  async endTurn(usage: Usage | undefined): Promise<void> {
    // The fields cannot say that a number is a guess, so a guess is not written.
    const isCounted = usage !== undefined && usage.estimated !== true;
    await this.update({ case: 'turnEnded', value: isCounted ? encodeUsage(usage) : {} });
  }

  async update(message: UpdateInit): Promise<void> {
    await this.#options.outbox.send(updateFrame(message));
  }

  async #writeText(text: string): Promise<void> {
    this.#characters += text.length;
    this.#stepText += text;
    await this.#sendText(text);
  }

  async #sendText(text: string): Promise<void> {
    for (const piece of cutText(text)) await this.#options.outbox.send(textFrame(piece));
  }

  async #writeThought(text: string): Promise<void> {
    this.#characters += text.length;
    this.#thoughtStartedMs ??= this.#options.nowMs();
    this.#hasThought = true;
    for (const piece of cutText(text)) await this.#options.outbox.send(thinkingFrame(piece));
  }

  async #endThought(): Promise<void> {
    const startedMs = this.#thoughtStartedMs;
    this.#thoughtStartedMs = undefined;
    // A thought that its vendor hides has no words, and nothing was begun that could be completed.
    if (startedMs === undefined || !this.#hasThought) return;
    this.#hasThought = false;
    const thinkingDurationMs = Math.round(this.#options.nowMs() - startedMs);
    this.#thinkingMs += thinkingDurationMs;
    await this.update({ case: 'thinkingCompleted', value: { thinkingDurationMs } });
  }

  async #writeInput(callId: string, argsTextDelta: string): Promise<void> {
    this.#characters += argsTextDelta.length;
    const toolCall = this.#partialCalls.get(callId);
    if (!toolCall) return;
    const { modelCallId } = this;
    await this.update({ case: 'partialToolCall', value: { callId, toolCall, argsTextDelta, modelCallId } });
  }

  /** How many tokens were written since the last time, by our own estimate. */
  async tellTokens(atLeast = 1): Promise<void> {
    const total = this.#characters === 0 ? 0 : estimateTokens(this.#characters);
    const tokens = total - this.#tokensTold;
    if (tokens < atLeast) return;
    this.#tokensTold = total;
    await this.update({ case: 'tokenDelta', value: { tokens } });
  }
}

/** An answer that came whole leaves in pieces of a size that clients are known to take. */
function* cutText(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + MAX_PIECE_CHARACTERS);
    // Two halves of one character must not come apart.
    const isSplit = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
    const next = isSplit ? end - 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

/** On this wire the parts of the input add up to it: what was cached is not in `input_tokens`. */
function encodeUsage(usage: Usage) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens } = usage;
  return {
    inputTokens: count(inputTokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(outputTokens),
    cacheReadTokens: count(cacheReadTokens),
    cacheWriteTokens: count(cacheWriteTokens),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens: count(reasoningTokens) }),
  };
}

function count(tokens: number): bigint {
  return BigInt(Math.max(0, Math.round(tokens)));
}
