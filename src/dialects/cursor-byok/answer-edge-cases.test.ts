// What real upstreams answer, followed through their decoders to the chunks Cursor reads. Numbers are rows of
// docs/protocols/cursor-byok.md.
import { describe, expect, it } from 'vitest';
import { countingIds, foldTurn, isJsonObject, type JsonObject, type TurnEvent } from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { openaiChatFront } from '../openai-chat/index.ts';
import { ChatTurnDecoder } from '../openai-chat/turn-decoder.ts';
import { openaiResponsesFront } from '../openai-responses/index.ts';
import { ResponsesTurnDecoder } from '../openai-responses/turn-decoder.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { type ReadAnswer, readChunks } from './fixtures/read-chunks.ts';
import { createCursorByokFront } from './front.ts';

const front = createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront });
const request = front.decodeRequest(
  makeRequest({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
);
const context = (): EncodeContext => ({ turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() });

function fromResponses(...frames: JsonObject[]): TurnEvent[] {
  const decoder = new ResponsesTurnDecoder({ newId: countingIds(), originOf: () => undefined });
  const events = frames.flatMap((frame, sequence_number) =>
    decoder.step({ event: String(frame.type), data: JSON.stringify({ sequence_number, ...frame }) }),
  );
  return [...events, ...decoder.halt()];
}

function fromChat(...frames: (JsonObject | '[DONE]')[]): TurnEvent[] {
  const decoder = new ChatTurnDecoder({ newId: countingIds() });
  const events = frames.flatMap((frame) =>
    decoder.step({ event: undefined, data: frame === '[DONE]' ? frame : JSON.stringify(frame) }),
  );
  return [...events, ...decoder.halt()];
}

function read(events: readonly TurnEvent[]): ReadAnswer {
  const answer = readChunks(front.createEncoder(context()).encode(events));
  expect(answer.choices.every((index) => index === 0)).toBe(true);
  return answer;
}

const created = { type: 'response.created', response: { id: 'resp_1', model: 'gpt', status: 'in_progress' } };
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const completed = (output: JsonObject[] = []) => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'gpt', status: 'completed', output, usage },
});
const callItem = (id: string, args = '') => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'Read',
  arguments: args,
});
const added = (output_index: number, item: JsonObject) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: JsonObject) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const argsDelta = (output_index: number, id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  item_id: `fc_${id}`,
  delta,
});
const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
const words = (delta: string) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  item_id: 'msg_1',
  delta,
});

describe('an answer of a Responses upstream', () => {
  it('57: text and then a call are both streamed, and the end of the text is no finish', () => {
    const seen = read(
      fromResponses(
        created,
        added(0, message),
        words('Let me see.'),
        done(0, { ...message, content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }] }),
        added(1, callItem('call_1')),
        argsDelta(1, 'call_1', '{}'),
        done(1, callItem('call_1', '{}')),
        completed(),
      ),
    );
    expect(seen).toMatchObject({ content: 'Let me see.', finish: ['tool_calls'], calls: [{ text: '{}' }] });
  });

  it('58 and 59: two calls at output 1 and 3 are indexes 0 and 1, with one finish at the end', () => {
    const seen = read(
      fromResponses(
        created,
        added(1, callItem('call_1')),
        argsDelta(1, 'call_1', '{"a":1}'),
        done(1, callItem('call_1', '{"a":1}')),
        added(3, callItem('call_2')),
        argsDelta(3, 'call_2', '{"a":2}'),
        done(3, callItem('call_2', '{"a":2}')),
        completed(),
      ),
    );
    expect(seen.calls).toEqual([
      { index: 0, id: 'call_1', name: 'Read', text: '{"a":1}' },
      { index: 1, id: 'call_2', name: 'Read', text: '{"a":2}' },
    ]);
    expect(seen.finish).toEqual(['tool_calls']);
  });

  it('60: arguments that come only at the end are sent once', () => {
    const seen = read(
      fromResponses(
        created,
        added(0, callItem('call_1')),
        {
          type: 'response.function_call_arguments.done',
          output_index: 0,
          item_id: 'fc_call_1',
          arguments: '{"a":1}',
        },
        done(0, callItem('call_1', '{"a":1}')),
        completed([callItem('call_1', '{"a":1}')]),
      ),
    );
    expect(seen.calls).toMatchObject([{ text: '{"a":1}' }]);
  });

  it('61: a call that is only in the final response is sent, and finishes the turn', () => {
    const seen = read(fromResponses(created, completed([callItem('call_1', '{}')])));
    expect(seen).toMatchObject({ calls: [{ id: 'call_1', text: '{}' }], finish: ['tool_calls'] });
  });

  it('63: a custom call streams its raw input in a function envelope', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'ApplyPatch', input: '' };
    const input = (delta: string) => ({
      type: 'response.custom_tool_call_input.delta',
      output_index: 0,
      item_id: 'ctc_1',
      delta,
    });
    const whole = { ...item, input: '*** Begin "x"\n' };
    const seen = read(
      fromResponses(
        created,
        added(0, item),
        input('*** Begin'),
        input(' "x"\n'),
        done(0, whole),
        completed([whole]),
      ),
    );
    expect(seen.calls).toEqual([{ index: 0, id: 'call_1', name: 'ApplyPatch', text: '*** Begin "x"\n' }]);
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('64: an answer cut by %s finishes with %s and usage, also without text', (reason, finish) => {
    const response = {
      id: 'resp_1',
      status: 'incomplete',
      incomplete_details: { reason },
      output: [],
      usage,
    };
    const seen = read(fromResponses(created, { type: 'response.incomplete', response }));
    expect(seen).toMatchObject({ finish: [finish], usage: { prompt_tokens: 10 } });
  });

  it('66: a failure after the first byte is an error frame, and no finish', () => {
    const error = { code: 'rate_limit_exceeded', message: 'slow down' };
    const response = { id: 'resp_1', status: 'failed', error };
    const seen = read(
      fromResponses(created, added(0, message), words('a'), { type: 'response.failed', response }),
    );
    expect(seen.error).toMatchObject({ type: 'rate_limit_error' });
    expect(seen.finish).toEqual([]);
    expect(seen.frames.at(-1)).toBe('[DONE]');
  });

  it('67 and 68: summary parts and raw thoughts are all reasoning of the one choice', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] };
    const summary = (summary_index: number, delta: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      summary_index,
      delta,
    });
    const raw = {
      type: 'response.reasoning_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      content_index: 0,
      delta: 'three',
    };
    const seen = read(
      fromResponses(created, added(0, item), summary(0, 'one'), summary(1, 'two'), raw, completed()),
    );
    for (const thought of ['one', 'two', 'three']) expect(seen.thought).toContain(thought);
    expect(seen.content).toBe('');
  });

  it('69 and 70: several messages and calls are one choice when not streamed', () => {
    const part = (text: string) => ({ type: 'output_text', text, annotations: [] });
    const output = [
      { ...message, content: [part('a'), part('b')] },
      { ...message, id: 'msg_2', content: [part('c')] },
      callItem('call_1', '{}'),
    ];
    const answer = front.encodeResult(foldTurn(fromResponses(created, completed(output))), context());
    expect(answer).toMatchObject({
      choices: [{ message: { content: 'abc', tool_calls: [{ id: 'call_1' }] }, finish_reason: 'tool_calls' }],
    });
    expect((answer as JsonObject).choices).toHaveLength(1);
  });

  it('71: cached and reasoning tokens are reported, and absent ones stay absent', () => {
    const seen = read(fromResponses(created, completed([{ ...message, content: [] }])));
    expect(seen.usage).toMatchObject({
      prompt_tokens: 10,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
    expect(seen.usage).not.toHaveProperty('estimated');
  });

  it('ends a stream that was cut with an error', () => {
    const seen = read(fromResponses(created, added(0, message), words('a')));
    expect(seen.error).toBeDefined();
    expect(seen.finish).toEqual([]);
  });
});

describe('an answer of a chat upstream', () => {
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'x',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const callDelta = (call: JsonObject) => chunk({ tool_calls: [call] });

  it('65: a call cut by the limit finishes with `length`, its text not repaired', () => {
    const seen = read(
      fromChat(
        callDelta({
          index: 0,
          id: 'call_1',
          type: 'function',
          function: { name: 'Read', arguments: '{"pa' },
        }),
        chunk({}, 'length'),
        '[DONE]',
      ),
    );
    expect(seen.finish).toEqual(['length']);
    expect(seen.calls).toMatchObject([{ text: '{"pa' }]);
  });

  it('72 and 75: a call whose id and name come apart, or without an id, starts when it is known', () => {
    const seen = read(
      fromChat(
        callDelta({ index: 0, id: 'call_1' }),
        callDelta({ index: 0, function: { name: 'Read', arguments: '{}' } }),
        callDelta({ index: 1, function: { name: 'LS', arguments: '{}' } }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ),
    );
    expect(seen.calls).toMatchObject([
      { id: 'call_1', name: 'Read' },
      { index: 1, name: 'LS' },
    ]);
    expect(seen.calls[1]?.id).toBeTruthy();
  });

  it('76, 77 and 81: `stop` after a call is `tool_calls`, and no arguments are `{}`', () => {
    const start = callDelta({
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'LS', arguments: '' },
    });
    expect(read(fromChat(start, chunk({}, 'stop'), '[DONE]'))).toMatchObject({
      finish: ['tool_calls'],
      calls: [{ text: '{}' }],
    });
    const legacy = chunk({ function_call: { name: 'LS', arguments: '{}' } });
    expect(read(fromChat(legacy, chunk({}, 'function_call'), '[DONE]'))).toMatchObject({
      finish: ['tool_calls'],
      calls: [{ name: 'LS', text: '{}' }],
    });
  });

  it('79: the count after the finish is reported once', () => {
    const counts = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const seen = read(
      fromChat(
        chunk({ content: 'a' }),
        chunk({}, 'stop'),
        { ...chunk({}), choices: [], usage: counts },
        '[DONE]',
      ),
    );
    expect(seen.usage).toMatchObject(counts);
    expect(seen.frames.filter((frame) => isJsonObject(frame) && frame.usage)).toHaveLength(1);
  });

  it('80: `reasoning` leaves as `reasoning_content`', () => {
    const seen = read(
      fromChat(chunk({ reasoning: 'hm' }), chunk({ content: 'a' }), chunk({}, 'stop'), '[DONE]'),
    );
    expect(seen).toMatchObject({ thought: 'hm', content: 'a' });
  });

  it('83: our own end marker comes once, whether or not the upstream sent one', () => {
    const frames = [chunk({ content: 'a' }), chunk({}, 'stop')];
    for (const events of [fromChat(...frames), fromChat(...frames, '[DONE]')]) {
      expect(read(events).frames.filter((frame) => frame === '[DONE]')).toHaveLength(1);
      expect(read(events).finish).toEqual(['stop']);
    }
  });
});
