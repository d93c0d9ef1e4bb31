import { describe, expect, it } from 'vitest';
import { countingIds, foldTurn, GatewayError, type JsonObject, type TurnEvent } from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeResult } from './encode-result.ts';
import { withPosition } from './raw-position.ts';
import { openProof } from './sealed-content.ts';
import { ResponsesTurnDecoder } from './turn-decoder.ts';
import { ResponsesTurnEncoder } from './turn-encoder.ts';

function contextOf(fields: JsonObject = {}) {
  const request = decodeRequestBody({ model: 'm', input: 'Hi', ...fields });
  return { turnId: 't', request, model: 'm', nowMs: 7_900, newId: countingIds() };
}

function framesOf(text: string): JsonObject[] {
  return new SseReader().push(Buffer.from(text)).map(({ event, data }) => {
    const frame = JSON.parse(data ?? '') as JsonObject;
    expect(frame.type).toBe(event);
    return frame;
  });
}

function encode(events: TurnEvent[], fields: JsonObject = {}): JsonObject[] {
  const encoder = new ResponsesTurnEncoder(contextOf(fields));
  const frames = framesOf(events.map((event) => encoder.encode([event])).join(''));
  expect(frames.map(({ sequence_number }) => sequence_number)).toEqual(frames.map((_, index) => index));
  return frames;
}

const start: TurnEvent = { type: 'turn-start', model: 'real-model' };
const end: TurnEvent = { type: 'turn-end', reason: 'stop' };
const failure: TurnEvent = { type: 'turn-error', error: new GatewayError('rate-limited', 'Slow down.') };
const callEvents = (
  callId: string,
  argumentsText: string,
  kind: 'function' | 'custom' | 'hosted' = 'function',
): TurnEvent[] => [
  { type: 'tool-input-start', callId, name: 'f', kind },
  { type: 'tool-input-end', callId },
  {
    type: 'tool-call',
    callId,
    name: 'f',
    kind,
    argumentsText,
    executor: 'client',
    resultVia: 'next-request',
  },
];
const types = (frames: JsonObject[]) => frames.map(({ type }) => type);
const finalOf = (frames: JsonObject[]) => frames.at(-1)?.response as JsonObject; // every ending holds one

describe('an encoded stream', () => {
  it('begins, ends and names its model once, in the order of the reference', () => {
    const frames = encode([
      start,
      { type: 'text-start', id: 'x' },
      { type: 'text-delta', id: 'x', text: 'a"\n' },
      { type: 'text-end', id: 'x' },
      end,
    ]);
    expect(types(frames)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(finalOf(frames)).toMatchObject({
      id: 'resp_1',
      model: 'real-model',
      status: 'completed',
      created_at: 7,
    });
  });

  it('echoes what was asked, and null where OpenAI says null', () => {
    const response = finalOf(
      encode([start, end], {
        instructions: 'Be brief.',
        tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
        tool_choice: 'required',
        max_output_tokens: 9,
        metadata: { a: 'b' },
        previous_response_id: 'resp_0',
        store: false,
        reasoning: { effort: 'low' },
      }),
    );
    expect(response).toMatchObject({
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
      tool_choice: 'required',
      max_output_tokens: 9,
      metadata: { a: 'b' },
      previous_response_id: 'resp_0',
      store: false,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' } },
      temperature: 1,
      truncation: 'disabled',
      user: null,
      error: null,
      incomplete_details: null,
    });
  });

  it('guesses counts that nobody gave, and says so', () => {
    const usage = (events: TurnEvent[]) => finalOf(encode(events)).usage;
    expect(usage([start, ...callEvents('a', '{"x":12345}'), end])).toMatchObject({
      input_tokens: 1,
      output_tokens: 3,
      estimated: true,
    });
    const counted = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
    expect(usage([start, { type: 'usage', usage: counted }, end])).not.toHaveProperty('estimated');
  });

  it('gives a function without arguments an empty object, once', () => {
    const frames = encode([start, ...callEvents('a', ''), end]);
    expect(frames.filter(({ type }) => type === 'response.function_call_arguments.delta')).toMatchObject([
      { delta: '{}' },
    ]);
    expect(finalOf(frames).output).toMatchObject([{ type: 'function_call', arguments: '{}', call_id: 'a' }]);
  });

  it('leaves the empty text of a custom tool empty', () => {
    expect(finalOf(encode([start, ...callEvents('a', '', 'custom'), end])).output).toMatchObject([
      { type: 'custom_tool_call', input: '' },
    ]);
  });

  it('completes a bare name to its namespace when only one tool can be meant', () => {
    const group = (name: string, tool: string) => ({
      type: 'namespace',
      name,
      description: 'x',
      tools: [{ type: 'function', name: tool, parameters: {} }],
    });
    const events = [start, ...callEvents('a', '{}'), end];
    const output = (tools: JsonObject[]) => finalOf(encode(events, { tools })).output;
    expect(output([group('n', 'f')])).toMatchObject([{ name: 'f', namespace: 'n' }]);
    expect(output([group('n', 'f'), group('o', 'f')])).not.toMatchObject([{ namespace: 'n' }]);
  });

  it('never calls a cut call done', () => {
    const frames = encode([
      start,
      { type: 'tool-input-start', callId: 'a', name: 'f', kind: 'function' },
      { type: 'tool-input-delta', callId: 'a', text: '{"x' },
      { type: 'tool-input-end', callId: 'a' },
      { type: 'turn-end', reason: 'length' },
    ]);
    expect(types(frames)).not.toContain('response.output_item.done');
    expect(frames.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] },
    });
  });

  it.each<[string, TurnEvent[]]>([
    ['before anything', [failure]],
    ['after the start', [start, failure]],
    [
      'in the middle of a text',
      [start, { type: 'text-start', id: 'x' }, { type: 'text-end', id: 'x' }, failure],
    ],
  ])('fails with response.failed and never with a bare error: %s', (_name, events) => {
    const frames = encode(events);
    expect(types(frames).slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(frames.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down.' } },
    });
  });

  it('says nothing after its end', () => {
    const encoder = new ResponsesTurnEncoder(contextOf());
    encoder.encode([start, end]);
    expect(encoder.encode([end, failure])).toBe('');
  });

  it('shows encrypted thoughts only to a client that asked for them', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'reasoning-start', id: 'r', form: 'redacted' },
      { type: 'reasoning-end', id: 'r', encrypted: 'gAAA', origin: 'openai' },
      end,
    ];
    expect(finalOf(encode(events)).output).toEqual([{ id: 'rs_2', type: 'reasoning', summary: [] }]);
    const asked = encode(events, { include: ['reasoning.encrypted_content'] });
    expect(finalOf(asked).output).toMatchObject([{ encrypted_content: 'gAAA' }]);
  });

  it('keeps the id of a reasoning item of this dialect, since OpenAI verifies the two together', () => {
    const decoder = new ResponsesTurnDecoder({ newId: countingIds(), originOf: () => undefined });
    const item = { type: 'reasoning', id: 'rs_up', summary: [], encrypted_content: 'gAAA' };
    const events = decoder.stepEvent({ type: 'response.completed', response: { output: [item] } });
    const include = ['reasoning.encrypted_content'];
    expect(finalOf(encode(events, { include })).output).toEqual([item]);
    expect(encodeResult(foldTurn(events), contextOf({ include })).output).toEqual([item]);
  });

  it("packs another vendor's signature so that it comes back with the next request", () => {
    const frames = encode(
      [
        start,
        { type: 'reasoning-start', id: 'r', form: 'raw' },
        { type: 'reasoning-delta', id: 'r', text: 'Hm' },
        { type: 'reasoning-end', id: 'r', signature: 'sig', origin: 'anthropic' },
        end,
      ],
      { include: ['reasoning.encrypted_content'] },
    );
    const [item] = finalOf(frames).output as JsonObject[];
    expect(item?.content).toEqual([{ type: 'reasoning_text', text: 'Hm' }]);
    expect(openProof(String(item?.encrypted_content))).toEqual({
      text: 'Hm',
      form: 'raw',
      signature: 'sig',
      origin: 'anthropic',
    });
  });

  it('shows a call that ran elsewhere as one that nobody is to run', () => {
    const result = { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: '42' }] } as const;
    const frames = encode([
      start,
      ...callEvents('a', '{"q":1}', 'hosted'),
      { type: 'tool-result', result },
      end,
    ]);
    expect(finalOf(frames).output).toMatchObject([
      { type: 'mcp_call', name: 'f', arguments: '{"q":1}', output: '42', status: 'completed' },
    ]);
  });

  it('keeps the response object it sent, for storing', () => {
    const encoder = new ResponsesTurnEncoder(contextOf());
    expect(encoder.finishedBody(end)).toBeUndefined();
    const frames = framesOf(encoder.encode([start, ...callEvents('a', '{}'), end]));
    expect(encoder.finishedBody(end)).toEqual(finalOf(frames));
  });

  it("keeps the upstream's own object where its bytes were forwarded", () => {
    const response = { id: 'resp_up', object: 'response' };
    const forwarded = { ...end, extra: { 'openai-responses': { response } } };
    expect(new ResponsesTurnEncoder(contextOf()).finishedBody(forwarded)).toBe(response);
  });
});

describe('the ending of a forwarded stream', () => {
  const ending = (error: GatewayError) =>
    framesOf(new ResponsesTurnEncoder(contextOf()).encodeRawEnding({ type: 'turn-error', error }))[0];

  it('is nothing when the turn ended well: there is no [DONE] in this dialect', () => {
    expect(new ResponsesTurnEncoder(contextOf()).encodeRawEnding({ type: 'turn-end', reason: 'stop' })).toBe(
      '',
    );
  });

  it('goes on counting where the upstream stopped, under its response id', () => {
    const error = new GatewayError('upstream-malformed', 'Cut.');
    expect(ending(withPosition(error, { responseId: 'resp_up', sequenceNumber: 41 }))).toMatchObject({
      type: 'response.failed',
      sequence_number: 42,
      response: { id: 'resp_up', status: 'failed', error: { code: 'server_error', message: 'Cut.' } },
    });
  });

  it('comes after everything when nobody knows where the stream stood', () => {
    expect(ending(new GatewayError('internal', 'x'))?.sequence_number).toBe(2 ** 31 - 1);
  });
});

describe('a whole answer', () => {
  it.each([
    ['stop', 'completed', null],
    ['tool-calls', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['content-filter', 'incomplete', { reason: 'content_filter' }],
  ] as const)('that ended with %s is %s', (reason, status, incomplete_details) => {
    const result = foldTurn([start, { type: 'turn-end', reason }]);
    expect(encodeResult(result, contextOf())).toMatchObject({
      object: 'response',
      status,
      incomplete_details,
    });
  });

  it('holds items, counts and the probabilities of every delta', () => {
    const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, reasoningTokens: 1 };
    const result = foldTurn([
      start,
      { type: 'text-start', id: 'x' },
      { type: 'text-delta', id: 'x', text: 'a', logprobs: [{ token: 'a' }] },
      { type: 'text-delta', id: 'x', text: 'b', logprobs: { content: [{ token: 'b' }] } },
      { type: 'text-end', id: 'x' },
      { ...end, usage },
    ]);
    expect(encodeResult(result, contextOf())).toMatchObject({
      output: [
        {
          type: 'message',
          status: 'completed',
          content: [{ type: 'output_text', text: 'ab', logprobs: [{ token: 'a' }, { token: 'b' }] }],
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 5,
      },
    });
  });
});
