// The wire shapes of OpenAI's Responses API. Known from OpenAI's API reference and its published client library;
// `additional_tools` and `client_metadata` from the Codex CLI. Nothing here is guessed.
import { z } from 'zod';
import type { JsonObject, JsonValue, Part, TurnRequest } from '../../core/index.ts';

export const OPENAI_RESPONSES = 'openai-responses';

/** Who can read `encrypted_content`; thoughts of any other origin are sealed by us (sealed-content.ts). */
export const OPENAI = 'openai';

export const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

// The error text of a field is what was wanted; the decoder adds where, and what was found instead.
const text = z.string({ error: 'a string' }).nullish();
const number = z.number({ error: 'a number' }).nullish();
const flag = z.boolean({ error: 'true or false' }).nullish();
const object = z.record(z.string(), z.json(), { error: 'an object' }).nullish();

/** The request fields that have one plain type; `input`, `tools` and `tool_choice` are read with finer paths. */
export const responsesOptionsSchema = z.looseObject({
  model: text,
  instructions: text,
  stream: flag,
  stream_options: object,
  max_output_tokens: number,
  temperature: number,
  top_p: number,
  top_logprobs: number,
  parallel_tool_calls: flag,
  reasoning: object,
  text: object,
  include: z.array(z.string(), { error: 'an array of strings' }).nullish(),
  store: flag,
  background: flag,
  metadata: object,
  user: text,
  prompt_cache_key: text,
  service_tier: text,
  previous_response_id: text,
  truncation: text,
  max_tool_calls: number,
  safety_identifier: text,
});

export type ResponsesOptions = z.infer<typeof responsesOptionsSchema>;

/** Fields the canon has a word for; every other one is kept in `extra`. */
export const CANONICAL_FIELDS: readonly string[] = [
  ...[
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'stream',
    'background',
  ],
  ...['max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'reasoning', 'text', 'store', 'metadata'],
  ...['user', 'prompt_cache_key', 'service_tier'],
];

/** Only the id is common to all servers. */
export const modelListSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

export type ResponsesUsage = {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens?: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
  /** Our own field: nobody counted, the numbers are a guess. */
  estimated?: boolean;
};

export type ResponseStatus = 'completed' | 'failed' | 'in_progress' | 'incomplete';

/** What this dialect kept of a request, and thereby whether the request was spoken in it at all. */
export function responsesExtra(request: TurnRequest): JsonObject | undefined {
  return request.extra?.[OPENAI_RESPONSES];
}

/** What this dialect kept of one part. */
export function partExtra(part: Part): JsonObject | undefined {
  return part.extra?.[OPENAI_RESPONSES];
}

export function wantsEncryptedReasoning(request: TurnRequest): boolean {
  const include: JsonValue | undefined = responsesExtra(request)?.include;
  return Array.isArray(include) && include.includes(ENCRYPTED_REASONING);
}
