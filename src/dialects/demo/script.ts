import {
  type CallHead,
  type FinishReason,
  type GatewayError,
  type IdSource,
  omitUndefined,
} from '../../core/index.ts';
import type { Answer } from './decide-answer.ts';
import type { PlannedCall } from './plan-call.ts';
import { splitTokens } from './tokenizer.ts';

/** One thing a model does on its way through an answer. Scripts are lazy, so that long ones need no memory. */
export type Piece =
  | { readonly type: 'reasoning' | 'text' | 'refusal'; readonly text: string }
  | { readonly type: 'call-start'; readonly head: CallHead }
  | { readonly type: 'call-delta'; readonly callId: string; readonly text: string }
  | { readonly type: 'call-end'; readonly callId: string }
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'error'; readonly error: GatewayError }
  | { readonly type: 'finish'; readonly reason: FinishReason };

export type Script = Iterable<Piece>;

/** How argument text is cut into deltas. */
export type Cut = (text: string) => Iterable<string>;

const MAX_DELTA = 12;

export interface ScriptOptions {
  readonly newId: IdSource;
  readonly withReasoning: boolean;
  readonly cutArguments?: Cut;
}

export function* scriptAnswer(answer: Answer, options: ScriptOptions): Generator<Piece> {
  if (options.withReasoning) yield* say('reasoning', answer.plan);
  if (answer.text !== '') yield* say('text', answer.text);
  yield* scriptCalls(answer.calls, options);
}

export function* say(
  type: 'reasoning' | 'text' | 'refusal',
  text: string,
  cut: Cut = cutWords,
): Generator<Piece> {
  for (const delta of cut(text)) yield { type, text: delta };
}

/** All calls open first and then take turns, as models do that call in parallel. */
export function* scriptCalls(
  calls: readonly PlannedCall[],
  options: Pick<ScriptOptions, 'newId' | 'cutArguments'>,
): Generator<Piece> {
  const cut = options.cutArguments ?? cutArguments;
  const running: { callId: string; deltas: Iterator<string> }[] = [];
  for (const { tool, argumentsText } of calls) {
    const callId = options.newId('call_');
    const { name, kind, namespace } = tool;
    yield { type: 'call-start', head: omitUndefined({ callId, name, kind, namespace }) };
    running.push({ callId, deltas: cut(argumentsText)[Symbol.iterator]() });
  }
  while (running.length > 0) {
    for (const run of [...running]) {
      const next = run.deltas.next();
      if (!next.done) {
        yield { type: 'call-delta', callId: run.callId, text: next.value };
      } else {
        running.splice(running.indexOf(run), 1);
        yield { type: 'call-end', callId: run.callId };
      }
    }
  }
}

/** Whole words with the blanks before them. */
export function* cutWords(text: string): Generator<string> {
  let word = '';
  for (const token of splitTokens(text)) {
    if (word !== '' && /^\s/.test(token)) {
      yield word;
      word = '';
    }
    word += token;
  }
  if (word !== '') yield word;
}

/** Deltas of about four to twelve characters, made of whole tokens. */
export function* cutArguments(text: string): Generator<string> {
  let delta = '';
  let index = 0;
  for (const token of splitTokens(text)) {
    const target = 4 + ((index * 5) % 9);
    if (delta !== '' && (delta.length >= target || delta.length + token.length > MAX_DELTA)) {
      yield delta;
      delta = '';
      index++;
    }
    delta += token;
  }
  if (delta !== '') yield delta;
}

/** The finest cut that still leaves every delta valid UTF-16. */
export function cutCodePoints(text: string): Iterable<string> {
  return text;
}

/** Pieces of a fixed size, moved by one where they would end inside a surrogate pair. */
export function cutEvery(size: number): Cut {
  return function* cut(text) {
    for (let start = 0; start < text.length; ) {
      let end = Math.min(text.length, start + size);
      if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length) end++;
      yield text.slice(start, end);
      start = end;
    }
  };
}
