import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  type GatewayError,
  type JsonObject,
  type TurnEvent,
} from '../../core/index.ts';
import { decodeCompletion } from './decode-completion.ts';

function end(events: readonly TurnEvent[]) {
  const last = events.at(-1);
  if (last?.type !== 'turn-end') throw new Error(`not an end: ${JSON.stringify(last)}`);
  return last;
}

function error(events: readonly TurnEvent[]): GatewayError {
  const last = events.at(-1);
  if (last?.type !== 'turn-error') throw new Error(`not an error: ${JSON.stringify(last)}`);
  return last.error;
}

function toolCalls(events: readonly TurnEvent[]) {
  return events
    .filter((event) => event.type === 'tool-call')
    .map(({ callId, name, kind, argumentsText }) => ({ callId, name, kind, argumentsText }));
}

describe('a whole completion', () => {
  const complete = (message: JsonObject, finish_reason: string | null, more: JsonObject = {}) =>
    decodeCompletion(
      { id: 'c1', choices: [{ index: 0, message, finish_reason }], ...more },
      { newId: countingIds() },
    );

  it('gives the same events as a stream', () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      annotations: [],
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'a', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    };
    const events = complete(message, 'tool_calls', { usage: { prompt_tokens: 1, completion_tokens: 1 } });
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(toolCalls(events).map(({ callId, name }) => [callId, name])).toEqual([
      ['a', 'f'],
      ['call_1', 'g'],
    ]);
    expect(end(events)).toMatchObject({ reason: 'tool-calls', usage: { totalTokens: 2 } });
  });

  it('with nothing in it but a finish is an empty answer, without one it is an error', () => {
    expect(end(complete({ content: null }, 'stop')).reason).toBe('stop');
    expect(error(complete({ content: null }, null)).code).toBe('upstream-malformed');
  });

  it.each([[[]], ['text'], [{}], [{ choices: [] }], [{ detail: 'no' }]])('%j is not one', (body) => {
    expect(error(decodeCompletion(body, { newId: countingIds() })).code).toBe('upstream-malformed');
  });

  it('may be an error with status 200', () => {
    const body = [{ error: { message: 'quota', code: 'insufficient_quota' } }];
    expect(error(decodeCompletion(body, { newId: countingIds() })).code).toBe('quota-exceeded');
  });
});
