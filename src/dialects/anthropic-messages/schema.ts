// The wire shapes of Anthropic's Messages API. Known from Anthropic's API reference and streaming guide, and from what
// published clients were seen to send. Guessed: nothing; blocks and events that are not listed here are kept as they came.
import { z } from 'zod';
import type { JsonObject, JsonValue, TurnRequest } from '../../core/index.ts';

export const ANTHROPIC_MESSAGES = 'anthropic-messages';

/** Whose signatures and hidden thoughts these are; see `ReasoningPart.origin`. */
export const ANTHROPIC_ORIGIN = 'anthropic';

export const DEFAULT_VERSION = '2023-06-01';

// The error text of a field is what was wanted; the decoder adds where, and what was found instead.
const text = z.string({ error: 'a string' }).nullish();
const number = z.number({ error: 'a number' }).nullish();
const wholeNumber = z
  .int({ error: 'a whole number' })
  .min(0, { error: 'a whole number, not negative' })
  .nullish();
const object = z.record(z.string(), z.json(), { error: 'an object' }).nullish();

/** Every request field the canon has a word for; system, messages and tools are decoded apart. Loose: others are kept. */
export const messagesOptionsSchema = z.looseObject({
  model: text,
  max_tokens: wholeNumber,
  stream: z.boolean({ error: 'true or false' }).nullish(),
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: z.array(z.string(), { error: 'an array of strings' }).nullish(),
  metadata: object,
  thinking: object,
  output_config: object,
  output_format: object,
  service_tier: text,
});

export type MessagesOptions = z.infer<typeof messagesOptionsSchema>;

/** Fields that are decoded into the canon; every other one is kept in `extra`. */
export const KNOWN_REQUEST_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(messagesOptionsSchema.shape),
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thread',
]);

export const modelListSchema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })),
  has_more: z.boolean().nullish(),
  last_id: z.string().nullish(),
});

/** `input_tokens` leaves out what the cache gave or took; the canon's totals include both. */
export type MessagesUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  /** Our own field: nobody counted, the numbers are a guess. */
  estimated?: boolean;
  [key: string]: JsonValue;
};

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

export type ErrorBody = {
  type: 'error';
  error: { type: string; message: string; details?: JsonObject };
  request_id: string | null;
};

/** A whole answer as we send it. */
export type MessagesAnswer = {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: JsonObject[];
  stop_reason: string | null;
  stop_sequence: string | null;
  usage: MessagesUsage;
  [key: string]: JsonValue;
};

/** What this dialect kept of a request, and thereby whether the request was spoken in it at all. */
export function messagesExtra(request: TurnRequest): JsonObject | undefined {
  return request.extra?.[ANTHROPIC_MESSAGES];
}
