import { GatewayError } from './errors.ts';
import { type Extra, isTooDeep, type JsonValue, MAX_JSON_DEPTH } from './json.ts';
import type { ToolCallKind } from './message.ts';
import type { ResultVia, ToolCall, ToolExecutor, ToolInputStart, TurnEvent } from './turn-event.ts';

/** A model that streams more than this into one call is broken; every buffer has a bound. */
export const MAX_ARGUMENT_CHARACTERS = 32 * 1024 * 1024;

export interface CallHead {
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolCallKind;
  readonly namespace?: string;
  readonly itemId?: string;
  readonly extra?: Extra;
}

interface OpenCall {
  readonly head: CallHead;
  pieces: string[];
  length: number;
}

export interface ToolInputOptions {
  readonly executor?: ToolExecutor;
  readonly resultVia?: ResultVia;
  readonly maxCharacters?: number;
}

/**
 * Assembles the argument text of the calls of one turn, several at once if the model interleaves them.
 * The text is kept as received and parsed once, at the end.
 */
export class ToolInputs {
  readonly #open = new Map<string, OpenCall>();
  readonly #executor: ToolExecutor;
  readonly #resultVia: ResultVia;
  readonly #maxCharacters: number;

  constructor(options: ToolInputOptions = {}) {
    this.#executor = options.executor ?? 'client';
    this.#resultVia = options.resultVia ?? 'next-request';
    this.#maxCharacters = options.maxCharacters ?? MAX_ARGUMENT_CHARACTERS;
  }

  get openCallIds(): readonly string[] {
    return [...this.#open.keys()];
  }

  start(head: CallHead, out: TurnEvent[]): void {
    this.#open.set(head.callId, { head, pieces: [], length: 0 });
    const event: ToolInputStart = { type: 'tool-input-start', ...head };
    out.push(event);
  }

  append(callId: string, text: string, out: TurnEvent[]): void {
    if (text === '') return;
    const call = this.#require(callId);
    call.length += text.length;
    if (call.length > this.#maxCharacters) {
      throw new GatewayError(
        'too-large',
        `The arguments of call ${callId} (${call.head.name}) grew past ${this.#maxCharacters} characters.`,
      );
    }
    call.pieces.push(text);
    out.push({ type: 'tool-input-delta', callId, text });
  }

  /** What has arrived for a call so far; for dialects that repeat the whole text at the end. */
  textSoFar(callId: string): string {
    const call = this.#require(callId);
    if (call.pieces.length > 1) call.pieces = [call.pieces.join('')];
    return call.pieces[0] ?? '';
  }

  finish(callId: string, out: TurnEvent[]): void {
    const argumentsText = this.textSoFar(callId);
    const { head } = this.#require(callId);
    this.#open.delete(callId);
    out.push({ type: 'tool-input-end', callId });
    out.push(completeCall(head, argumentsText, this.#executor, this.#resultVia));
  }

  finishAll(out: TurnEvent[]): void {
    for (const callId of this.openCallIds) this.finish(callId, out);
  }

  /** Closes the span of a call that will never be complete. No `tool-call` follows: half a call is no call. */
  abort(callId: string, out: TurnEvent[]): void {
    this.#require(callId);
    this.#open.delete(callId);
    out.push({ type: 'tool-input-end', callId });
  }

  abortAll(out: TurnEvent[]): void {
    for (const callId of this.openCallIds) this.abort(callId, out);
  }

  #require(callId: string): OpenCall {
    const call = this.#open.get(callId);
    if (!call) throw new GatewayError('internal', `No open tool call with id ${callId}.`);
    return call;
  }
}

export function completeCall(
  head: CallHead,
  argumentsText: string,
  executor: ToolExecutor = 'client',
  resultVia: ResultVia = 'next-request',
): ToolCall {
  const parsed = head.kind === 'custom' ? { input: argumentsText } : parseArguments(argumentsText);
  return { type: 'tool-call', ...head, argumentsText, ...parsed, executor, resultVia };
}

/** A call without any text is a call without arguments; several real servers send it so. */
export function parseArguments(text: string): { input: JsonValue } | { inputProblem: string } {
  if (text.trim() === '') return { input: {} };
  try {
    const input = JSON.parse(text) as JsonValue;
    return isTooDeep(input) ? { inputProblem: `nested deeper than ${MAX_JSON_DEPTH} levels` } : { input };
  } catch (error) {
    return { inputProblem: error instanceof Error ? error.message : String(error) };
  }
}
