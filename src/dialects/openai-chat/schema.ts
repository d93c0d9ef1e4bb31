// The wire shapes of OpenAI Chat Completions. Known from OpenAI's API reference and its published client library;
// vendor fields (top_k, reasoning, cache_control …) from the servers that document them. Nothing here is guessed.
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, type TurnRequest } from '../../core/index.ts';

export const OPENAI_CHAT = 'openai-chat';

// The error text of a field is what was wanted; the decoder adds where, and what was found instead.
const text = z.string({ error: 'a string' }).nullish();
const number = z.number({ error: 'a number' }).nullish();
const flag = z.boolean({ error: 'true or false' }).nullish();
// As it came, every key included: a copying schema would lose `__proto__`.
const object = z.custom<JsonObject>(isJsonObject, { error: 'an object' }).nullish();

/**
 * Every request field the canon has a word for, messages and tools aside (those need paths deeper than a schema
 * can name well). Loose: other fields are kept.
 */
export const chatOptionsSchema = z.looseObject({
  model: text,
  stream: flag,
  stream_options: object,
  max_tokens: number,
  max_completion_tokens: number,
  temperature: number,
  top_p: number,
  top_k: number,
  min_p: number,
  seed: number,
  stop: z.union([z.string(), z.array(z.string())], { error: 'a string or an array of strings' }).nullish(),
  presence_penalty: number,
  frequency_penalty: number,
  logit_bias: object,
  logprobs: flag,
  top_logprobs: number,
  n: z.int({ error: 'a whole number' }).min(1, { error: 'a whole number of at least 1' }).nullish(),
  reasoning_effort: text,
  reasoning: object,
  verbosity: text,
  parallel_tool_calls: flag,
  response_format: object,
  prompt_cache_key: text,
  user: text,
  service_tier: text,
  store: flag,
  metadata: object,
});

export type ChatOptions = z.infer<typeof chatOptionsSchema>;

/** Fields that are decoded into the canon; every other one is kept in `extra`. */
export const KNOWN_REQUEST_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(chatOptionsSchema.shape),
  'messages',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
]);

/** A model list as servers send it. Only the id is common to all of them. */
export const modelListSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

/** One tool call inside an assistant message or a whole answer. */
export type ChatToolCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } };

export type ChatUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Our own field: nobody counted, the numbers are a guess. */
  estimated?: boolean;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number; audio_tokens?: number };
  completion_tokens_details?: {
    reasoning_tokens?: number;
    audio_tokens?: number;
    accepted_prediction_tokens?: number;
    rejected_prediction_tokens?: number;
  };
};

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

/** The answer's message as we send it. */
export type ChatAnswerMessage = {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  reasoning_content?: string;
  annotations?: JsonValue[];
  tool_calls?: ChatToolCall[];
  function_call?: { name: string; arguments: string };
  audio?: JsonObject;
};

export type ChatCompletion = {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: {
    index: number;
    message: ChatAnswerMessage;
    logprobs: JsonValue;
    finish_reason: ChatFinishReason;
  }[];
  usage?: ChatUsage;
  service_tier?: JsonValue;
  system_fingerprint?: JsonValue;
};

/** What this dialect kept of a request, and thereby whether the request was spoken in it at all. */
export function chatExtra(request: TurnRequest): JsonObject | undefined {
  return request.extra?.[OPENAI_CHAT];
}

/** A client of the time before `tools`: it sent `functions` and reads `function_call`. */
export function usesLegacyFunctions(request: TurnRequest): boolean {
  return chatExtra(request)?.functions !== undefined;
}
