// One or two bodies a dialect that use as much of it as a request can hold, so that mutations reach every decoder.
// Fields as the vendors' references spell them.
import type { JsonObject } from '../../src/core/index.ts';

const SCHEMA: JsonObject = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const GRAMMAR: JsonObject = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };

const chat: JsonObject = {
  model: '',
  stream: true,
  stream_options: { include_usage: true },
  messages: [
    { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'no' }],
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } },
        { id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'raw' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'found' }] },
    { role: 'tool', tool_call_id: 'call_2', content: 'done' },
    { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } },
    { role: 'function', name: 'find', content: 'old style' },
    { role: 'user', content: 'Go on' },
  ],
  tools: [
    { type: 'function', function: { name: 'find', description: 'Finds', parameters: SCHEMA, strict: true } },
    { type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar: GRAMMAR } } },
  ],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'find' } }] },
  },
  parallel_tool_calls: true,
  temperature: 0.5,
  top_p: 1,
  seed: 7,
  stop: ['END'],
  max_completion_tokens: 100,
  presence_penalty: 0,
  frequency_penalty: 0,
  logit_bias: { '50256': -100 },
  logprobs: true,
  top_logprobs: 2,
  reasoning_effort: 'low',
  verbosity: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA, strict: true } },
  prediction: { type: 'content', content: 'guess' },
  metadata: { a: 'b' },
  user: 'u',
  store: false,
  service_tier: 'auto',
  prompt_cache_key: 'k',
};

const responses: JsonObject = {
  model: '',
  stream: true,
  instructions: 'Be brief.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'AAAA',
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"q":"x"}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'found' }] },
    { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_2', name: 'patch', input: 'raw' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [
        { type: 'output_text', text: 'so', annotations: [] },
        { type: 'refusal', refusal: 'no' },
      ],
    },
    { role: 'user', content: 'Go on' },
  ],
  tools: [
    { type: 'function', name: 'find', description: 'Finds', parameters: SCHEMA, strict: false },
    { type: 'custom', name: 'patch', format: GRAMMAR },
    { type: 'web_search', search_context_size: 'low' },
    { type: 'namespace', name: 'repo', tools: [{ type: 'function', name: 'log', parameters: SCHEMA }] },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] },
  parallel_tool_calls: false,
  reasoning: { effort: 'low', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema: SCHEMA, strict: true } },
  include: ['reasoning.encrypted_content'],
  max_output_tokens: 100,
  temperature: 0.5,
  top_p: 1,
  store: false,
  metadata: { a: 'b' },
  prompt_cache_key: 'k',
  service_tier: 'auto',
  truncation: 'disabled',
};

const messages: JsonObject = {
  model: '',
  stream: true,
  max_tokens: 4096,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' }, title: 'A' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'AAAA' },
        { type: 'redacted_thinking', data: 'AAAA' },
        { type: 'text', text: 'so', citations: [] },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] },
        { type: 'tool_use', id: 'toolu_1', name: 'find', input: { q: 'x' } },
        { type: 'tool_use', id: 'toolu_2', name: 'bash', input: { command: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'found' }] },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'denied', is_error: true },
        { type: 'text', text: 'Go on' },
      ],
    },
  ],
  tools: [
    { name: 'find', description: 'Finds', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
  stop_sequences: ['END'],
  temperature: 1,
  top_p: 1,
  top_k: 5,
  metadata: { user_id: 'u' },
  service_tier: 'auto',
};

/** Cursor's servers post any of the three to one path, and mixtures. */
export const RICH_BODIES: Readonly<Record<string, readonly JsonObject[]>> = {
  'openai-chat': [chat],
  'openai-responses': [responses],
  'anthropic-messages': [messages],
  'cursor-byok': [chat, responses, messages, { ...responses, messages: [], tools: chat.tools ?? [] }],
};
