import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  foldTurn,
  isTerminal,
  omitUndefined,
  type TurnEvent,
  type TurnRequest,
  TurnSpans,
} from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { decodeResponse } from './decode-response.ts';
import { encodeResult } from './encode-result.ts';
import { ResponsesTurnDecoder } from './turn-decoder.ts';
import { ResponsesTurnEncoder } from './turn-encoder.ts';

const request: TurnRequest = {
  model: 'm',
  messages: [],
  tools: [],
  sampling: {},
  stream: true,
  extra: { 'openai-responses': { include: ['reasoning.encrypted_content'] } },
};
const context = () => ({ turnId: 't', request, model: 'm', nowMs: 5_000, newId: countingIds() });
const options = () => ({ newId: countingIds(), originOf: () => undefined });

const someText = fc.string({ minLength: 1, unit: 'binary' });
const anyOp = fc.oneof(
  fc.record({
    op: fc.constantFrom('text' as const, 'refusal' as const, 'summary' as const, 'raw' as const),
    text: someText,
  }),
  fc.record({ op: fc.constant('annotate' as const), url: fc.webUrl() }),
  fc.record({ op: fc.constant('proof' as const), text: someText, isOpenai: fc.boolean() }),
  fc.record({
    op: fc.constant('call' as const),
    name: fc.stringMatching(/^[a-z_]{1,10}$/),
    namespace: fc.option(fc.constant('group'), { nil: undefined }),
    isCustom: fc.boolean(),
    text: someText,
  }),
  fc.record({ op: fc.constant('arguments' as const), which: fc.nat(5), text: someText }),
);

/** A grammatical turn, as any upstream might tell it. */
const anyTurn: fc.Arbitrary<TurnEvent[]> = fc
  .record({ ops: fc.array(anyOp, { minLength: 1, maxLength: 12 }), isCut: fc.boolean(), tokens: fc.nat() })
  .map(({ ops, isCut, tokens }) => {
    const spans = new TurnSpans();
    const out: TurnEvent[] = [{ type: 'turn-start', model: 'm' }];
    let calls = 0;
    let hasRefusal = false;
    for (const op of ops) {
      if (op.op === 'text') spans.text(op.text, out);
      else if (op.op === 'refusal') {
        hasRefusal = true;
        spans.text(op.text, out, { form: 'refusal' });
      } else if (op.op === 'summary' || op.op === 'raw') spans.reasoning(op.text, out, op.op);
      else if (op.op === 'annotate') spans.endText([{ type: 'url_citation', url: op.url }], out);
      else if (op.op === 'proof') {
        const proof = op.isOpenai
          ? { encrypted: op.text, origin: 'openai' }
          : { signature: op.text, origin: 'anthropic' };
        spans.endReasoning(proof, out, 'redacted');
      } else if (op.op === 'call') {
        const head = {
          callId: `call_${calls}`,
          name: op.name,
          kind: op.isCustom ? ('custom' as const) : ('function' as const),
          namespace: op.namespace,
          itemId: `${op.isCustom ? 'ctc' : 'fc'}_${calls++}`,
        };
        spans.startTool(omitUndefined(head), out);
        spans.tools.append(head.callId, op.text, out);
      } else if (op.op === 'arguments' && calls > 0)
        spans.tools.append(`call_${op.which % calls}`, op.text, out);
    }
    if (isCut) spans.abort(out);
    else spans.complete(out);
    const whole = calls > 0 ? 'tool-calls' : hasRefusal ? 'refusal' : 'stop';
    const usage = { inputTokens: tokens, outputTokens: 1, totalTokens: tokens + 1 };
    out.push({
      type: 'turn-end',
      reason: isCut ? 'length' : whole,
      usage: { ...usage, cacheReadTokens: 0, reasoningTokens: 0 },
    });
    return out;
  });

/** Span ids are each side's own business, and so is what the dialect adds in `extra`. */
function normalise(events: readonly TurnEvent[]): unknown[] {
  const ids = new Map<string, string>();
  return events.map((event) => {
    const {
      extra: _extra,
      responseId: _id,
      createdAtMs: _at,
      rawReason: _raw,
      ...rest
    } = event as TurnEvent & {
      extra?: unknown;
      responseId?: unknown;
      createdAtMs?: unknown;
      rawReason?: unknown;
    };
    if (!('id' in rest)) return rest;
    if (!ids.has(rest.id)) ids.set(rest.id, `span${ids.size}`);
    return { ...rest, id: ids.get(rest.id) };
  });
}

function encode(events: readonly TurnEvent[]): Buffer {
  const encoder = new ResponsesTurnEncoder(context());
  return Buffer.from(events.map((event) => encoder.encode([event])).join(''));
}

function decode(chunks: readonly Uint8Array[]): TurnEvent[] {
  const reader = new SseReader();
  const decoder = new ResponsesTurnDecoder(options());
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

describe('a streamed turn', () => {
  it('is given back as it was encoded', () => {
    fc.assert(
      fc.property(anyTurn, (turn) => {
        expect(findGrammarProblem(turn)).toBeUndefined();
        expect(normalise(decode([encode(turn)]))).toEqual(normalise(turn));
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same events however the bytes are cut', () => {
    fc.assert(
      fc.property(anyTurn, fc.array(fc.nat(), { maxLength: 20 }), (turn, places) => {
        const bytes = encode(turn);
        expect(decode(cutAt(bytes, places))).toEqual(decode([bytes]));
      }),
    );
  });

  it('keeps the grammar when it is cut anywhere, and is never a success then', () => {
    fc.assert(
      fc.property(anyTurn, fc.nat(), (turn, place) => {
        const bytes = encode(turn);
        const events = decode([bytes.subarray(0, place % bytes.length)]);
        expect(findGrammarProblem(events)).toBeUndefined();
        expect(events.at(-1)?.type).toBe('turn-error');
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the grammar when frames are dropped, doubled, swapped or altered', () => {
    const change = fc.record({
      kind: fc.constantFrom('drop', 'double', 'swap', 'alter'),
      at: fc.nat(),
      key: fc.constantFrom(
        'output_index',
        'item_id',
        'content_index',
        'type',
        'delta',
        'item',
        'part',
        'response',
      ),
      value: fc.oneof(
        fc.nat(3),
        fc.constant(null),
        fc.constant('response.output_item.done'),
        fc.string(),
        fc.json().map((text) => JSON.parse(text)),
      ),
    });
    fc.assert(
      fc.property(anyTurn, fc.array(change, { minLength: 1, maxLength: 6 }), (turn, changes) => {
        const frames = encode(turn)
          .toString()
          .split('\n\n')
          .filter((frame) => frame !== '')
          .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)));
        for (const { kind, at, key, value } of changes) {
          const index = at % frames.length;
          if (kind === 'drop' && frames.length > 1) frames.splice(index, 1);
          else if (kind === 'double') frames.splice(index, 0, frames[index]);
          else if (kind === 'swap') frames.push(...frames.splice(index, 1));
          else frames[index] = { ...frames[index], [key]: value };
        }
        const decoder = new ResponsesTurnDecoder(options());
        const events = frames.flatMap((frame) => decoder.step({ data: JSON.stringify(frame) }));
        events.push(...decoder.halt());
        expect(findGrammarProblem(events)).toBeUndefined();
        expect(events.filter(isTerminal)).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a whole answer', () => {
  it('holds the same as its stream', () => {
    fc.assert(
      fc.property(anyTurn, (turn) => {
        const whole = encodeResult(foldTurn(turn), context());
        const again = foldTurn(decodeResponse(JSON.parse(JSON.stringify(whole)), options()));
        const streamed = foldTurn(decode([encode(turn)]));
        const bare = (result: typeof again) =>
          result.content.map((part) => ({ ...part, id: undefined, extra: undefined }));
        expect(bare(again)).toEqual(bare(streamed));
        expect(again.finishReason).toBe(streamed.finishReason);
        expect(again.usage).toEqual(streamed.usage);
      }),
      { numRuns: 200 },
    );
  });
});
