import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, Message, Part, TurnRequest } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { chooseEncoding } from './encoding-options.ts';

const OPENAI = chooseEncoding({ baseUrl: undefined, capabilities: [] });

it('a request of this dialect is the same after a round trip over the wire', () => {
  fc.assert(
    fc.property(anyRequest(), (request) => {
      const { body } = encodeRequest(request, OPENAI);
      expect(decodeRequestBody(JSON.parse(JSON.stringify(body)) as JsonObject)).toEqual(request);
    }),
    { numRuns: 300 },
  );
});

function anyRequest(): fc.Arbitrary<TurnRequest> {
  const text = fc.string({ minLength: 1, unit: 'binary' });
  const word = fc.stringMatching(/^[a-z_]{1,12}$/);
  const optional = { requiredKeys: [] };
  const textPart = text.map((value): Part => ({ type: 'text', text: value }));
  const cached = fc
    .tuple(text, fc.constantFrom({}, { ttl: '1h' }))
    .map(([value, cache]): Part => ({ type: 'text', text: value, cache }));
  const image = fc.tuple(fc.base64String({ minLength: 4 }), fc.constantFrom('low', 'high')).map(
    ([data, detail]): Part => ({
      type: 'image',
      source: { type: 'base64', data, mediaType: 'image/png' },
      detail,
    }),
  );
  const userParts = fc.array(fc.oneof(textPart, cached, image), { minLength: 1, maxLength: 3 });
  const plain = fc
    .tuple(fc.constantFrom('system' as const, 'developer' as const, 'user' as const), userParts)
    .map(([role, content]): Message[] => [{ role, content }]);
  const tool = fc.oneof(
    fc.record(
      {
        kind: fc.constant('function' as const),
        name: word,
        description: text,
        parameters: fc.constant({ type: 'object' }),
        strict: fc.boolean(),
      },
      { requiredKeys: ['kind', 'name', 'parameters'] },
    ),
    fc.record(
      {
        kind: fc.constant('custom' as const),
        name: word,
        format: fc.record({ type: fc.constant('grammar' as const), syntax: word, definition: text }),
      },
      { requiredKeys: ['kind', 'name'] },
    ),
  );
  const round = fc
    .record({
      thought: fc.option(text, { nil: undefined }),
      said: fc.array(textPart, { maxLength: 2 }),
      calls: fc.array(
        fc.record({
          kind: fc.constantFrom('function' as const, 'custom' as const),
          name: word,
          argumentsText: fc.string(),
          answer: fc.array(textPart, { maxLength: 2 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      seed: fc.nat(),
    })
    .map(({ thought, said, calls, seed }): Message[] => {
      const id = (index: number) => `call_${seed}_${index}`;
      const reasoning: Part[] =
        thought === undefined ? [] : [{ type: 'reasoning', text: thought, form: 'raw' }];
      const made = calls.map(
        ({ kind, name, argumentsText }, index): Part => ({
          type: 'tool-call',
          callId: id(index),
          name,
          kind,
          argumentsText,
        }),
      );
      const answers = calls.map(
        ({ kind, answer }, index): Message => ({
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              callId: id(index),
              kind,
              content: answer.filter((part) => part.type === 'text'),
            },
          ],
        }),
      );
      return [{ role: 'assistant', content: [...reasoning, ...said, ...made] }, ...answers];
    });
  const sampling = fc.record(
    {
      temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0),
      topP: fc.constant(0.5),
      topK: fc.nat(),
      seed: fc.nat(),
      stop: fc.array(text, { maxLength: 2 }),
      logprobs: fc.boolean(),
      choices: fc.integer({ min: 1, max: 4 }),
    },
    optional,
  );
  return fc
    .record(
      {
        model: text,
        messages: fc
          .array(fc.oneof(plain, round), { minLength: 1, maxLength: 4 })
          .map((groups) => dedupeIds(groups.flat())),
        tools: fc.uniqueArray(tool, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
        toolChoice: fc.constantFrom(
          { type: 'auto' as const },
          { type: 'required' as const },
          { type: 'tool' as const, kind: 'function' as const, name: 'f' },
        ),
        sampling,
        reasoning: fc.constant({ effort: 'low' }),
        output: fc.constant({ type: 'json-schema' as const, name: 's', schema: { type: 'object' } }),
        stream: fc.boolean(),
        user: text,
        metadata: fc.dictionary(word, text),
        mood: fc.boolean(),
      },
      { requiredKeys: ['model', 'messages', 'tools', 'sampling', 'stream', 'mood'] },
    )
    .map(
      ({ mood, ...request }): TurnRequest => ({
        ...request,
        ...(request.stream ? { includeUsage: true } : {}),
        extra: { 'openai-chat': mood ? { modalities: ['text'] } : {} },
      }),
    );
}

/** Two rounds with the same ids would be one conversation that no client sends. */
function dedupeIds(messages: Message[]): Message[] {
  let round = 0;
  return messages.map((message) => {
    if (message.role === 'assistant') round++;
    const content = message.content.map((part) =>
      part.type === 'tool-call' || part.type === 'tool-result'
        ? { ...part, callId: `${part.callId}_${round}` }
        : part,
    );
    return { ...message, content };
  });
}
