// The fields beside the conversation and the tools. Each shape keeps its own, takes the other dialects' words for the
// same wish, and sets the rest aside: strict servers answer 400 to fields that leak from another dialect.
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import { KNOWN_REQUEST_FIELDS } from '../openai-chat/schema.ts';

export interface NormalisedOptions {
  readonly options: JsonObject;
  /** Fields that the chosen shape has no place for, as they came. */
  readonly setAside: JsonObject;
}

/** Handled with the conversation and the tools. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['messages', 'input', 'instructions', 'system', 'tools', 'functions', 'tool_choice', 'function_call'],
  'parallel_tool_calls',
]);

export function normaliseChatOptions(body: JsonObject): NormalisedOptions {
  const { passed, setAside } = split(body, (key) => KNOWN_REQUEST_FIELDS.has(key));
  const text = objectOr(body.text);
  const options = givenOnly({
    ...passed,
    stream_options: isJsonObject(body.stream_options) ? body.stream_options : undefined,
    max_completion_tokens:
      body.max_completion_tokens ?? (isGiven(body.max_tokens) ? undefined : body.max_output_tokens),
    stop: nonEmpty(body.stop) ?? nonEmpty(body.stop_sequences),
    reasoning: isJsonObject(body.reasoning) ? body.reasoning : readThinking(body.thinking),
    verbosity: body.verbosity ?? text.verbosity,
    response_format: nestFormat(body.response_format ?? text.format),
    user: body.user ?? objectOr(body.metadata).user_id,
  });
  return { options, setAside };
}

/** Chat words that Responses has another place for, or none. */
const CHAT_ONLY: ReadonlySet<string> = new Set([
  ...['max_tokens', 'max_completion_tokens', 'reasoning_effort', 'verbosity', 'response_format', 'stop'],
  ...['stop_sequences', 'seed', 'n', 'logprobs', 'logit_bias', 'presence_penalty', 'frequency_penalty'],
  ...['top_k', 'min_p', 'thinking', 'prediction', 'modalities', 'audio'],
]);

/** This gateway gave out no ids that these could name, and answers within the request. */
const UNKEEPABLE: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background']);

export function normaliseResponsesOptions(body: JsonObject): NormalisedOptions {
  const { passed, setAside } = split(body, (key) => !CHAT_ONLY.has(key) && !UNKEEPABLE.has(key));
  const reasoning = merge(body.reasoning, { effort: body.reasoning_effort });
  const text = merge(body.text, { verbosity: body.verbosity, format: flattenFormat(body.response_format) });
  const { include_usage: _usage, ...streamOptions } = objectOr(body.stream_options);
  const options = givenOnly({
    ...passed,
    instructions: typeof body.instructions === 'string' ? body.instructions : undefined,
    max_output_tokens: body.max_output_tokens ?? body.max_completion_tokens ?? body.max_tokens,
    reasoning,
    text,
    // `include_usage` is a chat word and refused by Responses servers; other options are theirs.
    stream_options: Object.keys(streamOptions).length > 0 ? streamOptions : undefined,
    user: body.user ?? objectOr(body.metadata).user_id,
  });
  return { options, setAside };
}

function split(
  body: JsonObject,
  isPassed: (key: string) => boolean,
): { passed: JsonObject; setAside: JsonObject } {
  const entries = Object.entries(body).filter(([key, value]) => !ELSEWHERE.has(key) && value !== null);
  return {
    passed: Object.fromEntries(entries.filter(([key]) => isPassed(key))),
    setAside: Object.fromEntries(entries.filter(([key]) => !isPassed(key))),
  };
}

/** What the body says itself wins over the other dialect's word for it. */
function merge(
  value: JsonValue | undefined,
  other: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject | undefined {
  const merged = { ...givenOnly(other), ...givenOnly(objectOr(value)) };
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** Anthropic's switch for thinking. */
function readThinking(value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value.type === 'disabled') return { enabled: false };
  const budget = typeof value.budget_tokens === 'number' ? value.budget_tokens : undefined;
  return omitUndefined({ enabled: true, max_tokens: budget });
}

/** Responses' flat `text.format` as chat's `response_format`. */
function nestFormat(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value)) return value ?? undefined;
  if (value.type !== 'json_schema' || isJsonObject(value.json_schema)) return value;
  const { type, json_schema: _empty, ...json_schema } = value;
  return { type, json_schema };
}

function flattenFormat(value: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.json_schema)) return value ?? undefined;
  return { type: value.type ?? 'json_schema', ...value.json_schema };
}

function nonEmpty(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) && value.length === 0 ? undefined : (value ?? undefined);
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function givenOnly(value: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const given = Object.entries(value).filter((entry): entry is [string, JsonValue] => isGiven(entry[1]));
  return Object.fromEntries(given);
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
