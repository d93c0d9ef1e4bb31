import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  countingIds,
  type FinishReason,
  findGrammarProblem,
  type JsonObject,
  omitUndefined,
  type TurnEvent,
  TurnSpans,
  type Usage,
} from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { ChatTurnDecoder } from './turn-decoder.ts';
import { ChatTurnEncoder } from './turn-encoder.ts';

type Op =
  | { readonly op: 'text' | 'refusal' | 'reasoning'; readonly text: string }
  | { readonly op: 'call'; readonly name: string; readonly isCustom: boolean; readonly text: string }
  | { readonly op: 'arguments'; readonly which: number; readonly text: string };

const someText = fc.string({ minLength: 1, unit: 'binary' });
const anyOp: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ op: fc.constantFrom('text' as const, 'reasoning' as const), text: someText }),
  fc.record({
    op: fc.constant('call' as const),
    name: fc.stringMatching(/^[a-z_]{1,10}$/),
    isCustom: fc.boolean(),
    text: someText,
  }),
  fc.record({ op: fc.constant('arguments' as const), which: fc.nat(5), text: someText }),
);
const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    input: fc.nat(),
    output: fc.nat(),
    cached: fc.option(fc.nat(), { nil: undefined }),
    thought: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ input, output, cached, thought }) =>
    omitUndefined({
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      cacheReadTokens: cached,
      reasoningTokens: thought,
    }),
  );

/** A grammatical turn, as an upstream of this dialect would tell it. */
const anyTurn: fc.Arbitrary<TurnEvent[]> = fc
  .record({
    ops: fc.array(anyOp, { minLength: 1, maxLength: 12 }),
    usage: fc.option(anyUsage, { nil: undefined }),
    isCut: fc.boolean(),
  })
  .map(({ ops, usage, isCut }) => {
    const spans = new TurnSpans();
    const out: TurnEvent[] = [
      { type: 'turn-start', responseId: 'chatcmpl-x', model: 'm', createdAtMs: 1000 },
    ];
    let calls = 0;
    for (const op of ops) {
      if (op.op === 'text') spans.text(op.text, out);
      else if (op.op === 'reasoning') spans.reasoning(op.text, out);
      else if (op.op === 'call') {
        const callId = `call_${calls++}`;
        spans.startTool({ callId, name: op.name, kind: op.isCustom ? 'custom' : 'function' }, out);
        spans.tools.append(callId, op.text, out);
      } else if (op.op === 'arguments' && calls > 0)
        spans.tools.append(`call_${op.which % calls}`, op.text, out);
    }
    spans.complete(out);
    const reason: FinishReason = calls > 0 ? 'tool-calls' : isCut ? 'length' : 'stop';
    out.push(omitUndefined({ type: 'turn-end' as const, reason, usage }));
    return out;
  });

function encode(events: readonly TurnEvent[]): Buffer {
  const request = { model: 'm', messages: [], tools: [], sampling: {}, stream: true, includeUsage: true };
  const encoder = new ChatTurnEncoder({ turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() });
  return Buffer.from(events.map((event) => encoder.encode([event])).join(''));
}

function decode(chunks: readonly Uint8Array[]): TurnEvent[] {
  const reader = new SseReader();
  const decoder = new ChatTurnDecoder({ newId: countingIds() });
  const frames = chunks.flatMap((chunk) => reader.push(chunk));
  const events = frames.flatMap(({ event, data }) =>
    data === undefined ? [] : decoder.step({ event, data }),
  );
  return [...events, ...decoder.halt()];
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

it('gives back the turn it encoded', () => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      expect(findGrammarProblem(turn)).toBeUndefined();
      expect(decode([encode(turn)])).toEqual(turn);
    }),
    { numRuns: 300 },
  );
});

it('gives the same events however the bytes are cut', () => {
  fc.assert(
    fc.property(anyTurn, fc.array(fc.nat(), { maxLength: 20 }), (turn, places) => {
      expect(decode(cutAt(encode(turn), places))).toEqual(turn);
    }),
  );
});

it('keeps the grammar when the stream is cut anywhere, and never calls it a success', () => {
  fc.assert(
    fc.property(anyTurn, fc.nat(), (turn, place) => {
      const bytes = encode(turn);
      const arrived = bytes.subarray(0, place % bytes.length);
      const events = decode([arrived]);
      expect(findGrammarProblem(events)).toBeUndefined();
      const whole = arrived.subarray(0, arrived.lastIndexOf('\n\n') + 1).toString();
      const hasFinish = whole.includes('"finish_reason":"');
      expect(events.at(-1)?.type).toBe(hasFinish ? 'turn-end' : 'turn-error');
    }),
  );
});

it('keeps the grammar whatever a server sends', () => {
  const field = fc.constantFrom(
    'role',
    'content',
    'refusal',
    'reasoning',
    'reasoning_details',
    'tool_calls',
    'function_call',
    'audio',
    'annotations',
    'mood',
  );
  const call = fc.record(
    {
      index: fc.oneof(fc.nat(2), fc.jsonValue()),
      id: fc.constantFrom('a', 'b', '', null),
      type: fc.constantFrom('function', 'custom'),
      function: fc.record(
        { name: fc.constantFrom('f', 'g', '', null), arguments: fc.oneof(fc.string(), fc.jsonValue()) },
        { requiredKeys: [] },
      ),
      custom: fc.record({ name: fc.constant('p'), input: fc.string() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const delta = fc.oneof(
    fc.dictionary(field, fc.oneof(fc.string(), fc.jsonValue())),
    fc.record({ tool_calls: fc.array(call, { maxLength: 3 }) }),
    fc.record({ content: fc.string() }),
  );
  const chunk = fc.record(
    {
      id: fc.constantFrom('c', '', null),
      choices: fc.array(
        fc.record(
          {
            index: fc.constantFrom(0, 0, 0, 1),
            delta,
            finish_reason: fc.constantFrom(
              null,
              null,
              null,
              null,
              'stop',
              'tool_calls',
              'length',
              'error',
              'odd',
            ),
          },
          { requiredKeys: ['delta'] },
        ),
        { maxLength: 2 },
      ),
      usage: fc.jsonValue(),
    },
    { requiredKeys: ['choices'] },
  );
  const frame = fc.oneof(
    { weight: 12, arbitrary: chunk.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom('[DONE]', '{"half', '', '{"error":{"message":"x"}}') },
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 10 }), (frames) => {
      const decoder = new ChatTurnDecoder({ newId: countingIds() });
      const events = [...frames.flatMap((data) => decoder.step({ data })), ...decoder.halt()];
      expect(findGrammarProblem(events), JSON.stringify(events)).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

it('survives a mutated byte in a good stream', () => {
  fc.assert(
    fc.property(anyTurn, fc.nat(), fc.integer({ min: 0, max: 255 }), (turn, place, byte) => {
      const bytes = encode(turn);
      bytes[place % bytes.length] = byte;
      expect(findGrammarProblem(decode([bytes]))).toBeUndefined();
    }),
  );
});

it('leaves no trace of a hostile key', () => {
  const decoder = new ChatTurnDecoder({ newId: countingIds() });
  const chunk =
    '{"id":"c","choices":[{"delta":{"__proto__":{"polluted":1},"content":"x"},"finish_reason":"stop"}]}';
  decoder.step({ data: chunk });
  decoder.halt();
  expect(({} as JsonObject).polluted).toBeUndefined();
});
