import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject, type JsonValue } from '../../core/index.ts';
import { openaiChatFront } from '../openai-chat/index.ts';
import { openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { createCursorByokFront } from './front.ts';
import { normaliseBody } from './normalise-body.ts';

const text = fc.constantFrom(
  '',
  'hello',
  '...',
  '*** Begin Patch',
  '{"path":"a"}',
  '[{"type":"image"}]',
  '0',
);
const id = fc.constantFrom('call_0', 'call_1', 'toolu_abcdefgh', 'fc_abcdefgh', '');
const name = fc.constantFrom('Read', 'ApplyPatch', 'Shell', '');
const junk = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

const block = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'input_text', 'output_text'), text: fc.oneof(text, junk) }),
  fc.record({ type: fc.constant('tool_use'), id, name, input: junk }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: junk, is_error: fc.boolean() }),
  fc.record({ type: fc.constant('thinking'), thinking: text }),
  fc.record({ type: fc.constantFrom('image_url', 'input_image'), image_url: fc.oneof(text, junk) }),
  fc.record({ type: fc.constantFrom('image', 'document'), source: junk }),
  fc.record({ type: fc.constant('image'), source: fc.record({ type: fc.constant('base64'), data: text }) }),
  junk,
);
const content = fc.oneof(text, fc.array(block, { maxLength: 4 }), junk);
const chatCall = fc.oneof(
  fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name, arguments: fc.oneof(text, junk) }),
  }),
  fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name, input: text }) }),
  junk,
);
const role = fc.constantFrom('system', 'developer', 'user', 'assistant');
const item = fc.oneof(
  fc.record({ role, content }),
  fc.record({ role: fc.constant('assistant'), content, tool_calls: fc.array(chatCall, { maxLength: 3 }) }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content }),
  fc.record({
    type: fc.constantFrom('function_call', 'custom_tool_call'),
    call_id: id,
    id,
    name,
    arguments: text,
  }),
  fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output: junk,
  }),
  fc.record({ type: fc.constant('reasoning'), summary: fc.constant([]) }),
  text,
);
const tool = fc.oneof(
  fc.record({ type: fc.constantFrom('function', 'custom'), name, parameters: junk, format: junk }),
  fc.record({ type: fc.constant('function'), function: fc.record({ name, parameters: junk }) }),
  fc.record({ type: fc.constant('custom'), custom: fc.record({ name }), name }),
  fc.record({ name, input_schema: fc.record({ anyOf: fc.array(junk), required: junk }) }),
  junk,
);
const list = fc.array(item, { maxLength: 8 });
const body = fc.record(
  {
    messages: fc.oneof(list, fc.constant(null)),
    input: fc.oneof(list, text),
    system: content,
    instructions: text,
    tools: fc.oneof(fc.array(tool, { maxLength: 4 }), junk),
    tool_choice: fc.oneof(
      junk,
      fc.record({ type: fc.constantFrom('tool', 'function', 'allowed_tools'), name }),
    ),
    stream_options: junk,
    reasoning: junk,
    thinking: junk,
    text: junk,
    response_format: junk,
    max_tokens: junk,
    stop_sequences: junk,
    metadata: junk,
    unknown_field: junk,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

function attempt(source: JsonObject): ReturnType<typeof normaliseBody> | undefined {
  try {
    return normaliseBody(source);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid-request') return undefined;
    throw error;
  }
}

/** A copy as the wire makes it. */
function overTheWire(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

describe('normalising any body', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(body, (source) => {
        const once = attempt(overTheWire(source));
        if (!once) return;
        const twice = normaliseBody(overTheWire(once.body));
        expect(twice.shape).toBe(once.shape);
        expect(overTheWire(twice.body)).toEqual(overTheWire(once.body));
      }),
      { numRuns: 2000 },
    );
  });

  it('throws nothing but a refusal that names the field, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.oneof(body, fc.dictionary(fc.string(), junk)) as fc.Arbitrary<JsonObject>, (source) => {
        attempt(overTheWire(source));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the neighbour dialects a body that they can read, or refuses it', () => {
    const front = createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront });
    fc.assert(
      fc.property(body, (source) => {
        try {
          expect(front.decodeRequest(makeRequest(source)).messages.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid-request' });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to the body, whatever repeats in it', () => {
    const size = 30_000;
    const calls = Array.from({ length: size }, () => ({
      id: 'call_0',
      type: 'function',
      function: { name: 'f' },
    }));
    const results = calls.map(() => ({ role: 'tool', tool_call_id: 'call_0', content: 'r' }));
    const messages = [{ role: 'assistant', tool_calls: calls }, ...results, ...results];
    const tools = calls.map(() => ({ name: 'f' }));
    const { body: written, repairs } = normaliseBody({ messages, tools });
    expect(written.messages).toHaveLength(size + 1);
    // One note for each second result and each second tool.
    expect(repairs).toHaveLength(2 * size - 1);
  });

  it('does not touch the body it was given', () => {
    fc.assert(
      fc.property(body, (source) => {
        const given = overTheWire(source);
        const before = JSON.stringify(given);
        attempt(given);
        expect(JSON.stringify(given)).toBe(before);
      }),
    );
  });

  it('always pairs every call with one result that follows its turn', () => {
    fc.assert(
      fc.property(body, (source) => {
        const once = attempt(overTheWire(source));
        if (once?.shape !== 'chat') return;
        const open = new Set<unknown>();
        const messages = once.body.messages as JsonObject[];
        expect(messages.length).toBeGreaterThan(0);
        for (const message of messages) {
          if (message.role === 'tool') {
            expect(open.delete(message.tool_call_id)).toBe(true);
            continue;
          }
          expect([...open]).toEqual([]);
          for (const call of (message.tool_calls ?? []) as JsonObject[]) open.add(call.id);
        }
        expect([...open]).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
