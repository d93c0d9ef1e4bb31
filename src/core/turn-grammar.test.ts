import { describe, expect, it } from 'vitest';
import { GatewayError } from './errors.ts';
import type { TurnEvent } from './turn-event.ts';
import { findGrammarProblem, TurnGrammar } from './turn-grammar.ts';

const start: TurnEvent = { type: 'turn-start' };
const end: TurnEvent = { type: 'turn-end', reason: 'stop' };
const failure: TurnEvent = { type: 'turn-error', error: new GatewayError('internal', 'x') };
const open: TurnEvent = { type: 'text-start', id: 'a' };
const close: TurnEvent = { type: 'text-end', id: 'a' };
const input = { callId: 'c', name: 'f', kind: 'function' } as const;
const inputStart: TurnEvent = { type: 'tool-input-start', ...input };
const inputEnd: TurnEvent = { type: 'tool-input-end', callId: 'c' };
const call: TurnEvent = {
  type: 'tool-call',
  ...input,
  argumentsText: '{}',
  executor: 'client',
  resultVia: 'next-request',
};

describe('turn grammar', () => {
  it.each<[string, TurnEvent[]]>([
    ['an empty turn', [start, end]],
    ['a failure before anything was said', [failure]],
    ['a span and a call', [start, open, close, inputStart, inputEnd, call, end]],
    ['a call whose input was cut off', [start, inputStart, inputEnd, failure]],
  ])('accepts %s', (_name, events) => {
    expect(findGrammarProblem(events)).toBeUndefined();
  });

  it.each<[string, TurnEvent[], RegExp]>([
    ['a second start', [start, start, end], /second turn-start/],
    ['text before the start', [open, close, end], /before turn-start/],
    ['a turn without an end', [start, open, close], /without a terminal/],
    ['an event after the end', [start, end, open], /after the end/],
    ['a span left open', [start, open, end], /spans are open: text a/],
    ['a span left open on error', [start, inputStart, failure], /spans are open: tool-input c/],
    [
      'a delta outside its span',
      [start, { type: 'text-delta', id: 'a', text: 'x' }, end],
      /outside of text a/,
    ],
    ['a span opened twice', [start, open, close, open, close, end], /opened twice/],
    ['a span closed twice', [start, open, close, close, end], /without being open/],
    ['a call without its input', [start, call, end], /without a finished input/],
    ['a call given twice', [start, inputStart, inputEnd, call, call, end], /or twice/],
  ])('refuses %s', (_name, events, problem) => {
    expect(findGrammarProblem(events)).toMatch(problem);
  });

  it('offers the events that close what is open', () => {
    const grammar = new TurnGrammar();
    for (const event of [start, open, inputStart]) grammar.check(event);
    const closing = grammar.closingEvents();
    expect(closing).toEqual([close, inputEnd]);
    for (const event of [...closing, failure]) expect(grammar.check(event)).toBeUndefined();
  });
});
