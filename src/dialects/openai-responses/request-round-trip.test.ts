import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const text = fc.string({ minLength: 1, unit: 'binary' });
const name = fc.stringMatching(/^[a-zA-Z_-]{1,12}$/);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const id = (prefix: string) =>
  optional(fc.stringMatching(/^[a-z0-9]{4}$/).map((tail) => `${prefix}_${tail}`));
const status = optional(fc.constantFrom('completed', 'incomplete'));
const record = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(shape).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const inputPart = fc.oneof(
  record({ type: fc.constant('input_text'), text }),
  record({
    type: fc.constant('input_image'),
    image_url: fc.oneof(
      fc.webUrl(),
      fc.base64String().map((data) => `data:image/png;base64,${data}`),
    ),
    detail: fc.constantFrom('auto', 'low', 'high', 'original'),
  }),
  record({ type: fc.constant('input_image'), file_id: fc.constant('file_1'), detail: fc.constant('auto') }),
  record({
    type: fc.constant('input_file'),
    filename: fc.constant('a.pdf'),
    file_data: fc.base64String().map((data) => `data:application/pdf;base64,${data}`),
  }),
  record({ type: fc.constant('input_file'), file_url: fc.webUrl() }),
  record({ type: fc.constant('input_hologram'), beam: fc.nat() }),
);
const outputPart = fc.oneof(
  record({
    type: fc.constant('output_text'),
    text,
    annotations: fc.array(record({ type: fc.constant('url_citation'), url: fc.webUrl() }), { maxLength: 2 }),
  }),
  record({ type: fc.constant('refusal'), refusal: text }),
);
const thought = (type: string) => fc.array(record({ type: fc.constant(type), text }), { maxLength: 3 });

const item = fc.oneof(
  record({
    type: optional(fc.constant('message')),
    role: fc.constantFrom('user', 'system', 'developer'),
    id: id('msg'),
    content: fc.oneof(fc.string(), fc.array(inputPart, { maxLength: 3 })),
  }),
  record({
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    id: id('msg'),
    status,
    phase: optional(fc.constant('commentary')),
    content: fc.oneof(fc.string(), fc.array(outputPart, { maxLength: 3 })),
  }),
  record({
    type: fc.constant('reasoning'),
    id: id('rs'),
    summary: thought('summary_text'),
    content: optional(thought('reasoning_text')),
    encrypted_content: optional(text),
  }),
  record({
    type: fc.constant('function_call'),
    id: id('fc'),
    call_id: name,
    name,
    namespace: optional(name),
    arguments: fc.string(),
    status,
  }),
  record({ type: fc.constant('custom_tool_call'), id: id('ctc'), call_id: name, name, input: fc.string() }),
  record({
    type: fc.constant('function_call_output'),
    id: id('fc'),
    call_id: name,
    output: fc.oneof(fc.string(), fc.array(inputPart, { maxLength: 2 })),
  }),
  record({ type: fc.constant('custom_tool_call_output'), call_id: name, output: fc.string() }),
  record({ type: fc.constant('item_reference'), id: fc.constant('msg_1') }),
  record({ type: fc.constant('web_search_call'), id: fc.constant('ws_1'), status, action: fc.jsonValue() }),
  record({ type: fc.constant('local_shell_call_output'), id: fc.constant('l_1'), output: fc.string() }),
);

const flatTool = fc.oneof(
  record({
    type: fc.constant('function'),
    name,
    description: optional(text),
    parameters: fc.constant({ type: 'object', properties: {} }),
    strict: optional(fc.boolean()),
    defer_loading: optional(fc.boolean()),
  }),
  record({
    type: fc.constant('custom'),
    name,
    format: optional(
      fc.oneof(
        fc.constant({ type: 'text' }),
        record({ type: fc.constant('grammar'), syntax: fc.constant('lark'), definition: text }),
      ),
    ),
  }),
);
const tools = fc.uniqueArray(
  fc.oneof(
    flatTool,
    record({ type: fc.constant('web_search'), name: fc.constant('web_search') }),
    record({
      type: fc.constant('namespace'),
      name,
      description: text,
      tools: fc.uniqueArray(flatTool, { minLength: 1, maxLength: 3, selector: (tool) => tool.name }),
    }),
  ),
  { maxLength: 4, selector: (tool) => tool.name },
);

const body = record({
  model: name,
  instructions: optional(text),
  input: fc.oneof(
    text,
    fc.array(item, { maxLength: 8 }).map((items) => [{ role: 'user', content: 'Hi' }, ...items]),
  ),
  tools: optional(tools),
  tool_choice: optional(
    fc.oneof(
      fc.constantFrom('auto', 'none', 'required'),
      record({ type: fc.constantFrom('function', 'custom'), name }),
      record({ type: fc.constant('mcp'), server_label: name }),
    ),
  ),
  stream: fc.boolean(),
  parallel_tool_calls: optional(fc.boolean()),
  temperature: optional(fc.constantFrom(0, 0.5, 2)),
  max_output_tokens: optional(fc.nat()),
  top_logprobs: optional(fc.nat(20)),
  reasoning: optional(
    record({ effort: optional(fc.constant('low')), context: optional(fc.constant('all_turns')) }),
  ),
  text: optional(
    fc.constantFrom(
      { verbosity: 'low' },
      { format: { type: 'json_object' } },
      { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
    ),
  ),
  include: optional(fc.constant(['reasoning.encrypted_content'])),
  store: optional(fc.boolean()),
  metadata: optional(fc.dictionary(name, text, { maxKeys: 2 })),
  truncation: optional(fc.constant('auto')),
  previous_response_id: optional(fc.constant('resp_1')),
  client_metadata: optional(fc.constant({ a: 'b' })),
});

it('encodes a request of this dialect back to what decodes the same', () => {
  fc.assert(
    fc.property(body, (wire) => {
      const request = decodeRequestBody(wire);
      const encoded = JSON.parse(JSON.stringify(encodeRequest(request).body));
      expect(decodeRequestBody(encoded)).toEqual(request);
    }),
    { numRuns: 500 },
  );
});

it('never fails on a request of this dialect that it accepted', () => {
  fc.assert(
    fc.property(body, (wire) => {
      expect(encodeRequest(decodeRequestBody(wire)).warnings).toEqual([]);
    }),
  );
});
