import type { RouteDoc } from './router.ts';

const message = {
  type: 'object',
  properties: {
    role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { description: 'Text, or a list of parts.' },
    tool_calls: { type: 'array', items: { type: 'object' } },
    tool_call_id: { type: 'string' },
  },
  required: ['role'],
};

const chatRequest = {
  type: 'object',
  description: 'Fields not listed here are passed on to an upstream of the same dialect.',
  properties: {
    model: {
      type: 'string',
      description: 'upstream/model, a configured name, or a bare name only one upstream serves.',
    },
    messages: { type: 'array', items: message, minItems: 1 },
    tools: { type: 'array', items: { type: 'object' } },
    tool_choice: {},
    parallel_tool_calls: { type: 'boolean' },
    stream: { type: 'boolean', description: 'Answer as server-sent events that end with [DONE].' },
    stream_options: { type: 'object', properties: { include_usage: { type: 'boolean' } } },
    temperature: { type: 'number' },
    top_p: { type: 'number' },
    max_completion_tokens: { type: 'integer' },
    stop: {},
    response_format: { type: 'object' },
    reasoning_effort: { type: 'string' },
  },
  required: ['model', 'messages'],
  additionalProperties: true,
};

const chatResponse = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    object: { const: 'chat.completion' },
    created: { type: 'integer' },
    model: { type: 'string' },
    choices: { type: 'array', items: { type: 'object' } },
    usage: { type: 'object' },
  },
  required: ['id', 'object', 'created', 'model', 'choices'],
};

const modelList = {
  type: 'object',
  properties: {
    object: { const: 'list' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, object: { const: 'model' }, owned_by: { type: 'string' } },
        required: ['id', 'object'],
      },
    },
  },
  required: ['object', 'data'],
};

const listDoc: RouteDoc = {
  summary: 'The models a client can ask for, in one body for every reader',
  tag: 'models',
  auth: 'key',
  response: modelList,
};

function turnDoc(tag: string, name: string): RouteDoc {
  return {
    summary: `A turn in the ${name} dialect`,
    tag,
    auth: 'key',
    request: { type: 'object', additionalProperties: true },
    response: { type: 'object', additionalProperties: true },
  };
}

/** Short descriptions of the fronts' routes; the dialects' own documentation has every field. */
export const TURN_ROUTE_DOCS: Readonly<Record<string, RouteDoc>> = {
  '/v1/chat/completions': {
    summary: 'A turn in the OpenAI Chat Completions dialect',
    tag: 'openai-chat',
    auth: 'key',
    request: chatRequest,
    response: chatResponse,
  },
  '/v1/responses': turnDoc('openai-responses', 'OpenAI Responses'),
  '/v1/messages': turnDoc('anthropic-messages', 'Anthropic Messages'),
  '/cursor/chat/completions': turnDoc('cursor-byok', 'Cursor BYOK'),
  '/v1/models': listDoc,
  '/cursor/models': listDoc,
  '/cursor/v1/models': listDoc,
  '/v1/models/*': {
    summary: 'One model',
    tag: 'models',
    auth: 'key',
    response: modelList.properties.data.items,
  },
};
