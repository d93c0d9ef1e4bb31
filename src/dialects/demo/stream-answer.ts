import {
  type FinishReason,
  GatewayError,
  omitUndefined,
  type TurnEvent,
  type TurnRequest,
  TurnSpans,
  type Usage,
} from '../../core/index.ts';
import type { EventBatch } from '../dialect.ts';
import type { Piece, Script } from './script.ts';
import { StopSequences } from './stop-sequences.ts';
import { countTokens, takeTokens } from './tokenizer.ts';

/** Waits; returns early, without an error, when the signal fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface StreamOptions {
  readonly request: TurnRequest;
  readonly responseId: string;
  readonly inputTokens: number;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  readonly eventsPerBatch: number;
}

/** So many batches may pass before other work of the process gets its turn. */
const BATCHES_PER_BREATH = 32;

/** Plays a script as events: counts tokens, obeys limits and stop strings, and ends the turn exactly once. */
export async function* streamAnswer(script: Script, options: StreamOptions): AsyncGenerator<EventBatch> {
  const { signal, sleep } = options;
  const player = new ScriptPlayer(options);
  let batches = 0;
  try {
    for (const piece of script) {
      if (signal.aborted) player.fail(cancelled());
      else if (piece.type !== 'pause') player.play(piece);
      if (player.isDone) break;
      if (piece.type !== 'pause' && player.size < options.eventsPerBatch) continue;
      if (player.size > 0) yield player.take();
      if (piece.type === 'pause') await sleep(piece.ms, signal);
      else if (++batches % BATCHES_PER_BREATH === 0) await sleep(0, signal);
    }
    if (signal.aborted) player.fail(cancelled());
    player.finish();
  } catch (error) {
    // The first batch may be out already, so even a bug has to end the turn in the stream.
    player.fail(GatewayError.from(error));
  }
  yield player.take();
}

function cancelled(): GatewayError {
  return new GatewayError('cancelled', 'The turn was cancelled.');
}

class ScriptPlayer {
  #events: TurnEvent[];
  #isDone = false;
  #reason: FinishReason | undefined;
  #hasCalls = false;
  #outputTokens = 0;
  #reasoningTokens = 0;
  readonly #inputTokens: number;
  readonly #limit: number;
  readonly #spans = new TurnSpans();
  readonly #stops: StopSequences;

  constructor(options: StreamOptions) {
    const { request, responseId, inputTokens } = options;
    this.#events = [{ type: 'turn-start', responseId, model: request.model }];
    this.#inputTokens = inputTokens;
    this.#limit = request.sampling.maxOutputTokens ?? Number.POSITIVE_INFINITY;
    this.#stops = new StopSequences(request.sampling.stop);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get size(): number {
    return this.#events.length;
  }

  take(): EventBatch {
    const events = this.#events;
    this.#events = [];
    return { events };
  }

  play(piece: Exclude<Piece, { type: 'pause' }>): void {
    switch (piece.type) {
      case 'text':
        this.#sayText(piece.text);
        return;
      case 'reasoning':
      case 'refusal':
        this.#sayAside(piece.type, piece.text);
        return;
      case 'call-start':
        this.#releaseText();
        if (this.#spend(piece.head.name)) this.#spans.startTool(piece.head, this.#events);
        return;
      case 'call-delta': {
        const allowed = this.#allow(piece.text);
        this.#spans.tools.append(piece.callId, allowed.text, this.#events);
        if (allowed.isCut) this.#endTurn('length');
        return;
      }
      case 'call-end':
        this.#spans.tools.finish(piece.callId, this.#events);
        this.#hasCalls = true;
        return;
      case 'finish':
        this.#reason = piece.reason;
        return;
      case 'error':
        this.fail(piece.error);
        return;
      default:
        piece satisfies never;
    }
  }

  /** The script is over. */
  finish(): void {
    if (this.#isDone) return;
    this.#releaseText();
    this.#endTurn(this.#reason ?? (this.#hasCalls ? 'tool-calls' : 'stop'));
  }

  fail(error: GatewayError): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#spans.abort(this.#events);
    this.#events.push({ type: 'turn-error', error, usage: this.#usage() });
  }

  #sayText(text: string): void {
    const allowed = this.#allow(text);
    const { text: shown, met } = this.#stops.push(allowed.text);
    if (shown !== '') this.#spans.text(shown, this.#events);
    if (met !== undefined) {
      this.#endTurn('stop-sequence', met);
    } else if (allowed.isCut) {
      this.#releaseText();
      this.#endTurn('length');
    }
  }

  #sayAside(type: 'reasoning' | 'refusal', text: string): void {
    const allowed = this.#allow(text);
    if (type === 'reasoning') {
      this.#reasoningTokens += countTokens(allowed.text);
      if (allowed.text !== '') this.#spans.reasoning(allowed.text, this.#events);
    } else if (allowed.text !== '') {
      this.#spans.text(allowed.text, this.#events, { form: 'refusal' });
    }
    if (allowed.isCut) this.#endTurn('length');
  }

  #releaseText(): void {
    const held = this.#stops.flush();
    if (held !== '') this.#spans.text(held, this.#events);
  }

  /** As much of a text as the output limit leaves room for. */
  #allow(text: string): { readonly text: string; readonly isCut: boolean } {
    const taken = takeTokens(text, this.#limit - this.#outputTokens);
    this.#outputTokens += taken.tokens;
    return { text: taken.text, isCut: taken.text.length < text.length };
  }

  #spend(text: string): boolean {
    const { isCut } = this.#allow(text);
    if (isCut) this.#endTurn('length');
    return !isCut;
  }

  #endTurn(reason: FinishReason, stopSequence?: string): void {
    this.#isDone = true;
    // A call whose arguments were cut is no call; complete ones have been closed already.
    this.#spans.abort(this.#events);
    const usage = this.#usage();
    this.#events.push({ type: 'usage', usage });
    this.#events.push(omitUndefined({ type: 'turn-end' as const, reason, stopSequence, usage }));
  }

  #usage(): Usage {
    return omitUndefined({
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      totalTokens: this.#inputTokens + this.#outputTokens,
      reasoningTokens: this.#reasoningTokens > 0 ? this.#reasoningTokens : undefined,
    });
  }
}
