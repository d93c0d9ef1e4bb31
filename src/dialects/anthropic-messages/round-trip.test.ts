// What we write we must be able to read, and it must mean the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  foldTurn,
  type Message,
  type Part,
  type ToolDefinition,
  type ToolResultPart,
  type TurnEvent,
  type TurnRequest,
  TurnSpans,
} from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';
import { MessagesTurnDecoder } from './turn-decoder.ts';
import { MessagesTurnEncoder } from './turn-encoder.ts';

const TOOL_NAMES = ['read', 'write-file', 'mcp__x__y'];
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `w${text}`);
const argumentsText = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(JSON.parse(JSON.stringify(value))));

const textPart = words.map((text): Part => ({ type: 'text', text }));
const userPart: fc.Arbitrary<Part> = fc.oneof(
  textPart,
  words.map((url): Part => ({ type: 'image', source: { type: 'url', url } })),
  fc.base64String({ minLength: 4, maxLength: 8 }).map((data): Part => {
    return {
      type: 'file',
      source: { type: 'base64', data, mediaType: 'application/pdf' },
      filename: 'f.pdf',
    };
  }),
);
const signedThought = words.map((text): Part => {
  return { type: 'reasoning', text, form: 'raw', signature: `s${text}`, origin: 'anthropic' };
});
const call = fc.record({
  name: fc.constantFrom(...TOOL_NAMES),
  argumentsText,
  output: words,
  isError: fc.boolean(),
});

/** Some turns of a conversation in the one form the decoder gives them. */
const rounds = fc.array(
  fc.record({
    user: fc.array(userPart, { minLength: 1, maxLength: 3 }),
    thoughts: fc.array(signedThought, { maxLength: 1 }),
    text: textPart,
    calls: fc.array(call, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
);

function conversation(generated: typeof rounds extends fc.Arbitrary<infer T> ? T : never): Message[] {
  let count = 0;
  return generated.flatMap(({ user, thoughts, text, calls }) => {
    const ids = calls.map(() => `toolu_${count++}`);
    const parts = calls.map(({ name, argumentsText: json }, index): Part => {
      return { type: 'tool-call', callId: ids[index] ?? '', name, kind: 'function', argumentsText: json };
    });
    const results = calls.map(({ output, isError }, index): ToolResultPart => {
      const content = [{ type: 'text' as const, text: output }];
      return { type: 'tool-result', callId: ids[index] ?? '', kind: 'function', content, isError };
    });
    const turn: Message[] = [
      { role: 'user', content: user },
      { role: 'assistant', content: [...thoughts, text, ...parts] },
    ];
    return results.length > 0 ? [...turn, { role: 'tool', content: results }] : turn;
  });
}

const tools: ToolDefinition[] = TOOL_NAMES.map((name) => ({
  kind: 'function',
  name,
  description: name,
  parameters: { type: 'object', properties: { a: { type: 'string' } } },
  strict: true,
}));

const requests = fc
  .record({
    system: fc.array(words, { maxLength: 3 }),
    rounds,
    last: words,
    stream: fc.boolean(),
    temperature: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    stop: fc.option(fc.array(words), { nil: undefined }),
    effort: fc.option(fc.constantFrom('low', 'high'), { nil: undefined }),
    user: fc.option(words, { nil: undefined }),
  })
  .map((generated): TurnRequest => {
    const { system, last, stream, temperature, stop, effort, user } = generated;
    const systemParts = system.map((text): Part => ({ type: 'text', text, cache: { ttl: '1h' } }));
    const messages: Message[] = [
      ...(systemParts.length > 0 ? [{ role: 'system' as const, content: systemParts }] : []),
      ...conversation(generated.rounds),
      { role: 'user', content: [{ type: 'text', text: last }] },
    ];
    return {
      model: 'm',
      messages,
      tools,
      toolChoice: { type: 'auto' },
      parallelToolCalls: false,
      sampling: {
        maxOutputTokens: 50_000,
        ...(temperature === undefined ? {} : { temperature: temperature + 0 }),
        ...(stop === undefined ? {} : { stop }),
      },
      ...(effort === undefined ? {} : { reasoning: { effort } }),
      stream,
      ...(stream ? { includeUsage: true } : {}),
      ...(user === undefined ? {} : { user }),
      extra: {
        [ANTHROPIC_MESSAGES]: {
          context_management: { edits: [] },
          ...(effort === undefined ? {} : { output_config: { effort } }),
        },
      },
    };
  });

describe('requests of the Messages dialect', () => {
  it('come back from their own encoding unchanged', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { body } = encodeRequest(request, { structuredOutput: false, adaptiveThinking: false });
        const wire = JSON.parse(JSON.stringify(body)) as typeof body;
        expect(decodeRequestBody(wire)).toEqual(JSON.parse(JSON.stringify(request)));
      }),
    );
  });
});

type Step =
  | { readonly type: 'text' | 'thought'; readonly text: string }
  | { readonly type: 'call'; readonly kind: 'function' | 'custom'; readonly text: string }
  | { readonly type: 'more'; readonly text: string; readonly which: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom('text' as const, 'thought' as const), text: words }),
    fc.record({
      type: fc.constant('call' as const),
      kind: fc.constantFrom('function' as const, 'custom' as const),
      text: fc.string({ maxLength: 6 }),
    }),
    fc.record({ type: fc.constant('more' as const), text: fc.string({ maxLength: 6 }), which: fc.nat() }),
  ),
  { maxLength: 14 },
);

/** A turn of a model that interleaves the arguments of its calls. */
function turnOf(list: readonly Step[]): TurnEvent[] {
  const out: TurnEvent[] = [{ type: 'turn-start', model: 'm' }];
  const spans = new TurnSpans();
  for (const [index, step] of list.entries()) {
    if (step.type === 'text') spans.text(step.text, out);
    else if (step.type === 'thought') {
      spans.reasoning(step.text, out);
      spans.endReasoning({ signature: 'sig', origin: 'anthropic' }, out);
    } else if (step.type === 'call') {
      const callId = `c${index}`;
      spans.startTool({ callId, name: step.kind === 'custom' ? 'patch' : 'read', kind: step.kind }, out);
      spans.tools.append(callId, step.text, out);
    } else if (step.type === 'more') {
      const open = spans.tools.openCallIds;
      const callId = open[step.which % Math.max(1, open.length)];
      if (callId !== undefined) spans.tools.append(callId, step.text, out);
    }
  }
  const hasCalls = spans.tools.openCallIds.length > 0;
  spans.complete(out);
  const usage = { inputTokens: 9, outputTokens: 3, totalTokens: 12, cacheReadTokens: 2, cacheWriteTokens: 1 };
  out.push({ type: 'turn-end', reason: hasCalls ? 'tool-calls' : 'stop', usage });
  return out;
}

describe('answers of the Messages dialect', () => {
  const request: TurnRequest = { model: 'm', messages: [], tools: [], sampling: {}, stream: true };
  const toolOrigins = new Map([['patch', { name: 'patch', isLowered: true }]]);

  it('come back from their own encoding with the same content, reason and counts', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (list, batchSize) => {
        const events = turnOf(list);
        expect(findGrammarProblem(events)).toBeUndefined();
        const context = { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };
        const encoder = new MessagesTurnEncoder(context);
        let wire = '';
        for (let at = 0; at < events.length; at += batchSize)
          wire += encoder.encode(events.slice(at, at + batchSize));
        const decoder = new MessagesTurnDecoder({ newId: countingIds(), toolOrigins });
        const again = new SseReader().push(Buffer.from(wire)).flatMap((frame) => decoder.step(frame));
        expect(findGrammarProblem(again)).toBeUndefined();
        const before = foldTurn(events);
        const after = foldTurn(again);
        expect(after.content.map(withoutId)).toEqual(before.content.map(withoutId));
        expect(after.finishReason).toBe(before.finishReason);
        expect(after.usage).toEqual(before.usage);
      }),
    );
  });
});

/** Names of spans are the decoder's own. */
function withoutId(part: Part): Part {
  return part.type === 'reasoning' ? { ...part, id: '' } : part;
}
