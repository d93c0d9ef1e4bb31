import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  foldTurn,
  type JsonObject,
  type TurnEvent,
} from '../../core/index.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeResult } from './encode-result.ts';
import { MessagesTurnDecoder, type TurnDecoderOptions } from './turn-decoder.ts';

type Options = Omit<TurnDecoderOptions, 'newId'>;

function decode(events: readonly JsonObject[], options: Options = {}): TurnEvent[] {
  const decoder = new MessagesTurnDecoder({ newId: countingIds(), ...options });
  const decoded = events.flatMap((event) => decoder.step({ event: undefined, data: JSON.stringify(event) }));
  const all = [...decoded, ...decoder.halt()];
  expect(findGrammarProblem(all)).toBeUndefined();
  expect(decoder.isDone).toBe(true);
  return all;
}

const start = { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3 } } };
const stop = { type: 'message_stop' };
const ended = (stop_reason: string, usage: JsonObject = { output_tokens: 2 }) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  stop,
];
const block = (index: number, content_block: JsonObject, ...deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
const use = (name: string, input: JsonObject = {}, id = 'toolu_a') => ({ type: 'tool_use', id, name, input });
const callsOf = (events: readonly TurnEvent[]) => events.filter((event) => event.type === 'tool-call');
const errorOf = (events: readonly TurnEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'turn-error' ? last.error : undefined;
};

describe('reading a Messages stream', () => {
  it('starts a call with its name, then gives its text as it comes (case 24)', () => {
    const events = decode([
      start,
      ...block(4, use('read'), json(''), json('{"p": '), json('1}')),
      ...ended('tool_use'),
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      'turn-start',
      'usage',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'turn-end',
    ]);
    expect(callsOf(events)).toEqual([
      expect.objectContaining({ argumentsText: '{"p": 1}', input: { p: 1 } }),
    ]);
  });

  it('delivers an input once, whether the start, the deltas or both bring it (case 25)', () => {
    const input = { a: 1 };
    for (const deltas of [[], [json('{"a":1}')]]) {
      const events = decode([start, ...block(0, use('f', input), ...deltas), ...ended('tool_use')]);
      expect(callsOf(events)).toEqual([expect.objectContaining({ argumentsText: '{"a":1}' })]);
    }
  });

  it('gives names and free text back as the client knows them (case 9)', () => {
    const toolOrigins = new Map([
      ['alias', { name: 'a.very.long/name', namespace: 'ns', isLowered: false }],
      ['patch', { name: 'patch', isLowered: true }],
    ]);
    const events = decode(
      [
        start,
        ...block(0, use('alias'), json('{}')),
        ...block(1, use('patch', {}, 'toolu_b'), json('{"inp'), json('ut":"*** \\"x\\"\\n"}')),
        ...ended('tool_use'),
      ],
      { toolOrigins },
    );
    expect(callsOf(events)).toEqual([
      expect.objectContaining({ name: 'a.very.long/name', namespace: 'ns', kind: 'function' }),
      expect.objectContaining({ name: 'patch', kind: 'custom', argumentsText: '*** "x"\n' }),
    ]);
  });

  it('makes text of the forced answer tool, and the turn a finished one', () => {
    const events = decode(
      [start, ...block(0, use('json_output'), json('{"a":'), json('1}')), ...ended('tool_use')],
      { usesJsonTool: true },
    );
    const result = foldTurn(events);
    expect(result.content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect(result.finishReason).toBe('stop');
  });

  it('adds cache reads and writes to the input, from both places that tell them (case 27)', () => {
    const message = { usage: { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 } };
    const events = decode([
      { type: 'message_start', message },
      ...block(0, { type: 'text', text: 'x' }),
      ...ended('end_turn', { input_tokens: 0, cache_creation_input_tokens: 7, output_tokens: 5 }),
    ]);
    expect(events.at(-1)).toMatchObject({
      usage: {
        inputTokens: 117,
        outputTokens: 5,
        totalTokens: 122,
        cacheReadTokens: 100,
        cacheWriteTokens: 7,
      },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop-sequence'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context-full'],
    ['something_new', 'other'],
  ])('understands the stop reason %s as %s (case 27)', (word, reason) => {
    expect(decode([start, ...ended(word)]).at(-1)).toMatchObject({
      type: 'turn-end',
      reason,
      rawReason: word,
    });
  });

  it('finishes an answer whose imitation of the API forgets the stop reason, by what it holds', () => {
    const text = decode([start, ...block(0, { type: 'text', text: 'x' }), stop]);
    expect(text.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    const call = decode([start, ...block(0, use('f')), stop]);
    expect(call.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' });
  });

  it('takes nothing for an answer that has neither content nor a stop reason', () => {
    expect(errorOf(decode([start, stop]))).toMatchObject({ code: 'upstream-malformed' });
    expect(errorOf(decode([]))).toMatchObject({ message: expect.stringContaining('empty') });
    expect(errorOf(decode([start, ...block(0, { type: 'text', text: 'x' })]))).toMatchObject({
      message: expect.stringContaining('cut before `message_stop`'),
    });
  });

  it('quotes no more than a little of a frame that is not JSON', () => {
    const decoder = new MessagesTurnDecoder({ newId: countingIds() });
    const events = decoder.step({ event: 'x', data: `<html>${'secret '.repeat(100)}` });
    expect(errorOf(events)?.message.length).toBeLessThan(150);
  });

  it('does not take a call for whole that the output limit cut', () => {
    const cut = decode([start, ...block(0, use('f'), json('{"a":"b')), ...ended('max_tokens')]);
    expect(callsOf(cut)).toEqual([]);
    const whole = decode([start, ...block(0, use('f'), json('{"a":"b"}')), ...ended('max_tokens')]);
    expect(callsOf(whole)).toHaveLength(1);
    const broken = decode([start, ...block(0, use('f'), json('{"a":"b')), ...ended('tool_use')]);
    expect(callsOf(broken)).toEqual([expect.objectContaining({ inputProblem: expect.any(String) })]);
  });

  it('ignores pings and [DONE], and keeps what it does not know', () => {
    const decoder = new MessagesTurnDecoder({ newId: countingIds() });
    expect(decoder.step({ event: 'ping', data: '{"type": "ping"}' })).toEqual([]);
    expect(decoder.step({ event: undefined, data: '[DONE]' })).toEqual([]);
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'shiny_delta' } };
    const events = decode([start, { type: 'shiny' }, { ...delta }, ...ended('end_turn')]);
    expect(events.filter(({ type }) => type === 'opaque')).toHaveLength(2);
  });
});

describe('reading and writing a whole message', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'x', citations: [{ type: 'char_location', cited_text: 'c' }] },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1, null] } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 1,
      cache_read_input_tokens: 2,
      output_tokens: 4,
      service_tier: 'standard',
    },
    container: { id: 'c' },
  };
  const request = { model: 'm', messages: [], tools: [], sampling: {}, stream: false };
  const context = { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };

  it('gives back the message it read, block for block', () => {
    const events = decodeMessage(message, { newId: countingIds() });
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(encodeResult(foldTurn(events), context)).toEqual(message);
  });

  it('reads an error body as an error, and other JSON as no answer', () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'slow' } };
    expect(errorOf(decodeMessage(error, { newId: countingIds() }))).toMatchObject({ code: 'rate-limited' });
    expect(errorOf(decodeMessage({ ok: true }, { newId: countingIds() }))).toMatchObject({
      code: 'upstream-malformed',
    });
  });

  it('writes calls of any kind with an object for input', () => {
    const call = (kind: 'function' | 'custom', argumentsText: string) => ({
      type: 'tool-call' as const,
      callId: 'a',
      name: 'f',
      kind,
      argumentsText,
    });
    const result = {
      content: [
        call('custom', 'raw'),
        call('function', ''),
        call('function', '{"x'),
        { type: 'refusal' as const, text: 'no' },
      ],
      finishReason: 'tool-calls' as const,
      warnings: [],
      opaque: [],
    };
    expect(encodeResult(result, context)).toMatchObject({
      content: [
        { input: { input: 'raw' } },
        { input: {} },
        { input: { input: '{"x' } },
        { type: 'text', text: 'no' },
      ],
    });
  });
});
