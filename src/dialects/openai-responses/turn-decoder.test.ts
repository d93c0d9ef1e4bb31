import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  foldTurn,
  GatewayError,
  type JsonObject,
} from '../../core/index.ts';
import { decodeResponse } from './decode-response.ts';
import { positionOf } from './raw-position.ts';
import { type ResponsesDecoderOptions, ResponsesTurnDecoder } from './turn-decoder.ts';

const options = (more: Partial<ResponsesDecoderOptions> = {}): ResponsesDecoderOptions => ({
  newId: countingIds(),
  originOf: () => undefined,
  ...more,
});

function decode(frames: JsonObject[], more: Partial<ResponsesDecoderOptions> = {}) {
  const decoder = new ResponsesTurnDecoder(options(more));
  const events = frames.flatMap((frame) => decoder.stepEvent(frame));
  events.push(...decoder.halt());
  expect(findGrammarProblem(events)).toBeUndefined();
  return events;
}

const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' }, sequence_number: 0 };
const completed = (output: JsonObject[] = [], fields: JsonObject = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', output, ...fields },
});
const callItem = (fields: JsonObject = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'a',
  name: 'f',
  arguments: '{"x":1}',
  ...fields,
});
const message = (text: string, id = 'msg_1') => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const kinds = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('a Responses stream', () => {
  it('text and then a call are both given, and the end of the text is not the end', () => {
    const result = foldTurn(decode([created, completed([message('Look:'), callItem()])]));
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'tool-call']);
    expect(result.finishReason).toBe('tool-calls');
  });

  it('arguments that come several times are given once', () => {
    const events = decode([
      created,
      { type: 'response.output_item.added', output_index: 0, item: callItem({ arguments: '' }) },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"x"' },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      { type: 'response.output_item.done', output_index: 0, item: callItem() },
      completed([callItem()]),
    ]);
    expect(events.flatMap((event) => (event.type === 'tool-input-delta' ? [event.text] : []))).toEqual([
      '{"x"',
      ':1}',
    ]);
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
  });

  it('a final response with an empty output does not take finished items back', () => {
    const events = decode([
      created,
      { type: 'response.output_item.done', output_index: 0, item: callItem() },
      completed([]),
    ]);
    expect(foldTurn(events)).toMatchObject({ finishReason: 'tool-calls', content: [{ name: 'f' }] });
  });

  it('does not believe a finished item that contradicts its own deltas', () => {
    const events = decode([
      created,
      { type: 'response.output_item.added', output_index: 0, item: callItem({ arguments: '' }) },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"y":2}' },
      { type: 'response.output_item.done', output_index: 0, item: callItem() },
      completed(),
    ]);
    expect(foldTurn(events).content[0]).toMatchObject({ argumentsText: '{"y":2}' });
  });

  it('a call that was cut off at the limit is no call', () => {
    const events = decode([
      created,
      { type: 'response.output_item.added', output_index: 0, item: callItem({ arguments: '' }) },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"x' },
      {
        type: 'response.incomplete',
        response: {
          output: [callItem({ arguments: '{"x', status: 'incomplete' })],
          incomplete_details: null,
        },
      },
    ]);
    expect(kinds(events)).not.toContain('tool-call');
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'length' });
  });

  it('several summary paragraphs stay apart', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One' },
        { type: 'summary_text', text: 'Two' },
      ],
    };
    const { content } = foldTurn(decode([created, completed([item, message('x')])]));
    expect(content.map((part) => ('text' in part ? part.text : ''))).toEqual(['One', 'Two', 'x']);
  });

  it('a whole response with several messages and a call is one turn', () => {
    const body = {
      id: 'resp_1',
      status: 'completed',
      output: [message('A'), message('B', 'msg_2'), callItem()],
    };
    const result = foldTurn(decodeResponse(body, options()));
    expect(result.content.map((part) => ('text' in part ? part.text : part.type))).toEqual([
      'A',
      'B',
      'tool-call',
    ]);
    expect(result.finishReason).toBe('tool-calls');
  });

  it('counts are read with their parts, and absent ones stay absent', () => {
    const usage = {
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 1,
      total_tokens: 10,
    };
    expect(decode([created, completed([], { usage })]).at(-1)).toMatchObject({
      usage: { inputTokens: 9, outputTokens: 1, totalTokens: 10, cacheReadTokens: 4 },
    });
    const end = decode([created, completed([], { usage })]).at(-1);
    expect(end?.type === 'turn-end' && end.usage).not.toHaveProperty('reasoningTokens');
  });

  it('gives renamed tools their names back', () => {
    const originOf = (name: string) => (name === 'a__run' ? { name: 'run', namespace: 'a' } : undefined);
    const events = decode([created, completed([callItem({ name: 'a__run' })])], { originOf });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-call', name: 'run', namespace: 'a' }),
    );
  });

  it('makes up an id for a call without one, and for the second of two with the same', () => {
    const bare = { type: 'function_call', name: 'f', arguments: '{}' };
    const events = decode([created, completed([bare, callItem(), callItem({ id: 'fc_2' })])]);
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
    expect(ids).toEqual(['call_1', 'a', 'call_2']);
  });

  it('refuses a call without a name', () => {
    const events = decode([created, completed([callItem({ name: '' })])]);
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
  });

  it('says of an error where the stream stood, for a front that forwards raw frames', () => {
    const events = decode([created, { type: 'response.in_progress', sequence_number: 1 }]);
    const last = events.at(-1);
    expect(last?.type === 'turn-error' && positionOf(last.error)).toEqual({
      responseId: 'resp_1',
      sequenceNumber: 1,
    });
  });

  it('ends once, with the cause it is given', () => {
    const decoder = new ResponsesTurnDecoder(options());
    decoder.stepEvent(created);
    const cause = new GatewayError('cancelled', 'The turn was cancelled.');
    expect(decoder.halt(cause)).toMatchObject([{ type: 'turn-error', error: { code: 'cancelled' } }]);
    expect(decoder.halt()).toEqual([]);
    expect(decoder.stepEvent(completed())).toEqual([]);
  });

  it('reports an unknown event once per type, and never more than a hundred types', () => {
    const frames = Array.from({ length: 300 }, (_, index) => ({ type: `response.new.${index % 150}` }));
    const events = decode([created, ...frames, completed()]);
    expect(events.filter(({ type }) => type === 'opaque')).toHaveLength(100);
  });
});

describe('a whole answer that is none', () => {
  it.each([
    [
      'an error with status 200',
      { error: { message: 'boom', code: 'server_error' } },
      'upstream-unavailable',
    ],
    ['something else entirely', { ok: true }, 'upstream-malformed'],
    ['a list', [], 'upstream-malformed'],
  ])('is thrown: %s', (_name, body, code) => {
    expect(() => decodeResponse(body, options())).toThrowError(expect.objectContaining({ code }));
  });

  it.each([
    ['failed', 'rate-limited'],
    ['in_progress', 'upstream-malformed'],
    ['cancelled', 'cancelled'],
  ])('is a failed turn: status %s', (status, code) => {
    const body = { status, output: [], error: { code: 'rate_limit_exceeded', message: 'Slow down.' } };
    expect(decodeResponse(body, options()).at(-1)).toMatchObject({ type: 'turn-error', error: { code } });
  });
});
