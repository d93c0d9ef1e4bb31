import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  GatewayError,
  type JsonObject,
  type TurnEvent,
} from '../../core/index.ts';
import { ChatTurnDecoder } from './turn-decoder.ts';

type Frame = JsonObject | string;

function decode(frames: readonly Frame[]): TurnEvent[] {
  const decoder = new ChatTurnDecoder({ newId: countingIds() });
  const events = frames.flatMap((frame) =>
    decoder.step({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
  );
  events.push(...decoder.halt());
  expect(findGrammarProblem(events)).toBeUndefined();
  expect(decoder.isDone).toBe(true);
  return events;
}

function delta(value: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return {
    id: 'c1',
    created: 5,
    model: 'm',
    choices: [{ index: 0, delta: value, finish_reason: finish, ...more }],
  };
}

function calls(...items: JsonObject[]): JsonObject {
  return delta({ tool_calls: items });
}

const finish = (word: string) => delta({}, word);
const text = (value: string) => delta({ content: value });

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

describe('a plain answer', () => {
  it('starts with what the first chunk says about itself and ends with the finish word', () => {
    const events = decode([
      delta({ role: 'assistant', content: '' }),
      text('Hel'),
      text('lo'),
      finish('stop'),
      '[DONE]',
    ]);
    expect(events).toEqual([
      { type: 'turn-start', responseId: 'c1', model: 'm', createdAtMs: 5000 },
      { type: 'text-start', id: 'p0' },
      { type: 'text-delta', id: 'p0', text: 'Hel' },
      { type: 'text-delta', id: 'p0', text: 'lo' },
      { type: 'text-end', id: 'p0' },
      { type: 'turn-end', reason: 'stop' },
    ]);
  });

  it('holds the end back for a usage chunk after the finish', () => {
    const decoder = new ChatTurnDecoder({ newId: countingIds() });
    decoder.step({ data: JSON.stringify(text('x')) });
    expect(decoder.step({ data: JSON.stringify(finish('stop')) }).map(({ type }) => type)).toEqual([
      'text-end',
    ]);
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    expect(decoder.step({ data: JSON.stringify({ id: 'c1', choices: [], usage }) })).toEqual([]);
    expect(decoder.step({ data: '[DONE]' })).toEqual([
      { type: 'turn-end', reason: 'stop', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } },
    ]);
  });

  it.each([
    ['on the finish chunk', { ...finish('stop'), usage: { prompt_tokens: 1, completion_tokens: 2 } }],
    [
      'inside the choice (Moonshot)',
      delta({}, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ],
    ['under x_groq', { ...finish('stop'), x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }],
  ])('reads usage %s', (_where, last) => {
    expect(end(decode([text('x'), last])).usage).toMatchObject({
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
    });
  });

  it('ends well without [DONE] once there was a finish', () => {
    expect(end(decode([text('x'), finish('stop')])).reason).toBe('stop');
  });

  it('ends well when the connection breaks after the finish, but not when the client left', () => {
    const decoders = [0, 1].map(() => new ChatTurnDecoder({ newId: countingIds() }));
    for (const decoder of decoders) decoder.step({ data: JSON.stringify(delta({ content: 'x' }, 'stop')) });
    const [broken, cancelled] = decoders;
    expect(broken?.halt(new GatewayError('upstream-unavailable', 'cut')).at(-1)?.type).toBe('turn-end');
    expect(cancelled?.halt(new GatewayError('cancelled', 'left')).at(-1)?.type).toBe('turn-error');
  });

  it('ends well on [DONE] without a finish when there was an answer', () => {
    expect(end(decode([text('x'), '[DONE]'])).reason).toBe('stop');
  });

  it('ignores a leading chunk without choices and takes the name from the next one (Azure)', () => {
    const lead = { id: '', model: '', choices: [], prompt_filter_results: [{}] };
    const events = decode([lead, text('x'), finish('stop')]);
    expect(events[0]).toMatchObject({ type: 'turn-start', responseId: 'c1', model: 'm' });
  });

  it('does not turn further choices into events', () => {
    const other = { id: 'c1', choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] };
    const events = decode([text('yes'), other, finish('stop'), '[DONE]']);
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(1);
  });

  it('carries logprobs with the text they score', () => {
    const scores = { content: [{ token: 'x', logprob: -0.1 }], refusal: null };
    const events = decode([delta({ content: 'x' }, null, { logprobs: scores }), finish('stop')]);
    expect(events.find(({ type }) => type === 'text-delta')).toMatchObject({ logprobs: scores });
  });

  it('ends a text with its annotations', () => {
    const note = { type: 'url_citation', url_citation: { url: 'https://example.test' } };
    const events = decode([text('x'), delta({ annotations: [note] }), finish('stop')]);
    expect(events.find(({ type }) => type === 'text-end')).toEqual({
      type: 'text-end',
      id: 'p0',
      annotations: [note],
    });
  });

  it('streams sound and keeps its id for the end', () => {
    const events = decode([
      delta({ audio: { id: 'a1', transcript: 'Hi' } }),
      delta({ audio: { data: 'AAAA' } }),
      delta({ audio: { expires_at: 9 } }),
      finish('stop'),
    ]);
    expect(events.filter(({ type }) => type === 'media-delta')).toEqual([
      { type: 'media-delta', id: 'audio-0', transcript: 'Hi' },
      { type: 'media-delta', id: 'audio-0', data: 'AAAA' },
    ]);
    expect(end(events).extra).toEqual({ 'openai-chat': { audio: { id: 'a1', expires_at: 9 } } });
  });
});

describe('reasoning', () => {
  const reasoningOf = (frames: Frame[]) => decode(frames).filter(({ type }) => type.startsWith('reasoning'));

  it.each(['reasoning_content', 'reasoning'])('is read from %s', (field) => {
    expect(reasoningOf([delta({ [field]: 'hm' }), text('x'), finish('stop')])).toEqual([
      { type: 'reasoning-start', id: 'p0', form: 'raw' },
      { type: 'reasoning-delta', id: 'p0', text: 'hm' },
      { type: 'reasoning-end', id: 'p0' },
    ]);
  });

  it('is counted once when a server repeats it in several fields', () => {
    const details = [{ type: 'reasoning.text', text: 'hm' }];
    const frame = delta({ reasoning: 'hm', reasoning_content: 'hm', reasoning_details: details });
    expect(reasoningOf([frame, text('x'), finish('stop')])).toHaveLength(3);
  });

  it('keeps the proofs in reasoning_details', () => {
    const events = reasoningOf([
      delta({ reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'sig' }] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'blob' }] }),
      finish('stop'),
    ]);
    expect(events.filter(({ type }) => type === 'reasoning-end')).toEqual([
      { type: 'reasoning-end', id: 'p0', signature: 'sig', origin: 'openai-chat' },
      { type: 'reasoning-end', id: 'p1', encrypted: 'blob', origin: 'openai-chat' },
    ]);
  });

  it('is read from a list of content parts (Mistral)', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'x' },
    ];
    expect(decode([delta({ content }), finish('stop')]).map(({ type }) => type)).toEqual([
      'turn-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'turn-end',
    ]);
  });
});

describe('finish words', () => {
  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['end_turn', 'stop'],
    ['model_length', 'context-full'],
    ['tool_calls', 'stop'],
    ['constructor', 'other'],
  ])('%s means %s', (word, reason) => {
    expect(end(decode([text('x'), finish(word)])).reason).toBe(reason);
  });

  it('a refusal is one although the server says stop', () => {
    const events = decode([delta({ refusal: 'I cannot.' }), finish('stop')]);
    expect(end(events)).toMatchObject({ reason: 'refusal', rawReason: 'stop' });
    expect(events[1]).toEqual({ type: 'text-start', id: 'p0', form: 'refusal' });
  });

  it('names the stop sequence where the server does', () => {
    const events = decode([text('x'), delta({}, 'stop', { stop_reason: 'END' })]);
    expect(end(events)).toMatchObject({ reason: 'stop-sequence', stopSequence: 'END' });
  });

  it.each(['error', 'insufficient_system_resource', 'abort'])('%s is a failure', (word) => {
    expect(error(decode([text('x'), finish(word)])).code).toBe('upstream-unavailable');
  });
});

describe('failures', () => {
  it('a stream that just ends was cut', () => {
    const events = decode([text('x')]);
    expect(error(events)).toMatchObject({
      code: 'upstream-malformed',
      message: expect.stringContaining('cut'),
    });
  });

  it.each([[[]], [['[DONE]']], [[delta({ role: 'assistant' })]]])(
    'a stream without an answer is empty: %j',
    (frames) => {
      expect(error(decode(frames))).toMatchObject({
        code: 'upstream-malformed',
        message: expect.stringContaining('empty'),
      });
    },
  );

  it('[DONE] in the middle of arguments is a cut', () => {
    const events = decode([
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }),
      '[DONE]',
    ]);
    expect(error(events).message).toContain('cut');
    expect(toolCalls(events)).toEqual([]);
  });

  it('text that is not JSON is named, but not at length', () => {
    const problem = error(decode([text('x'), `{"broken ${'z'.repeat(500)}`]));
    expect(problem.code).toBe('upstream-malformed');
    expect(problem.message.length).toBeLessThan(160);
  });

  it('an error frame becomes the error it speaks of', () => {
    const problem = error(decode([text('x'), { error: { message: 'slow down', code: 429 } }]));
    expect(problem).toMatchObject({ code: 'rate-limited', message: expect.stringContaining('slow down') });
  });

  it('an `event: error` frame without an envelope is an error too', () => {
    const decoder = new ChatTurnDecoder({ newId: countingIds() });
    const events = decoder.step({ event: 'error', data: '{"message":"gone"}' });
    expect(error(events)).toMatchObject({ code: 'upstream-unavailable' });
  });
});

it('shows each unknown field once', () => {
  const odd = { ...delta({ content: 'x', mood: 'good' }, null, { vibe: 1 }), provider: 'P' };
  const events = decode([odd, odd, finish('stop')]);
  expect(events.filter(({ type }) => type === 'opaque')).toEqual([
    { type: 'opaque', dialect: 'openai-chat', value: { field: 'delta.mood', value: 'good' } },
    { type: 'opaque', dialect: 'openai-chat', value: { field: 'choice.vibe', value: 1 } },
    { type: 'opaque', dialect: 'openai-chat', value: { field: 'chunk.provider', value: 'P' } },
  ]);
});
