// A chat request, wire to canon. Known from OpenAI's reference and from what published clients were seen to send.
// Accepted beyond the reference: flat tools, Anthropic's words in `tool_choice`, OpenRouter's `reasoning`, top_k, min_p.
import {
  isJsonObject,
  type JsonObject,
  type OutputFormat,
  omitUndefined,
  type ReasoningOptions,
  type SamplingOptions,
  type TurnRequest,
} from '../../core/index.ts';
import { expectObject, optionalBoolean, optionalString, restOf, wrongType } from '../../wire/expect-field.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontRequest } from '../dialect.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeLegacyChoice, decodeLegacyFunctions, decodeToolChoice, decodeTools } from './decode-tools.ts';
import { type ChatOptions, chatOptionsSchema, KNOWN_REQUEST_FIELDS, OPENAI_CHAT } from './schema.ts';

export function decodeRequest(request: FrontRequest): TurnRequest {
  const body = parseJsonBody(request.body);
  // OpenCode names its session in both headers.
  const session = request.headers['x-session-id'] ?? request.headers['x-session-affinity'];
  return decodeRequestBody(body, session);
}

export function decodeRequestBody(body: JsonObject, session?: string): TurnRequest {
  const messages = decodeMessages(body.messages);
  const options = parseOptions(body);
  const isLegacy = body.functions !== undefined && body.functions !== null;
  const tools = [...decodeTools(body.tools), ...decodeLegacyFunctions(body.functions)];
  const includeUsage = optionalBoolean(options.stream_options?.include_usage, 'stream_options.include_usage');
  return omitUndefined({
    // Without a name the router takes its default.
    model: options.model ?? '',
    messages,
    tools,
    toolChoice: decodeToolChoice(body.tool_choice) ?? decodeLegacyChoice(body.function_call),
    // A client that reads `function_call` has room for one call only.
    parallelToolCalls: options.parallel_tool_calls ?? (isLegacy ? false : undefined),
    sampling: decodeSampling(options),
    reasoning: decodeReasoning(options),
    output: decodeOutput(options),
    verbosity: options.verbosity ?? undefined,
    stream: options.stream ?? false,
    includeUsage,
    promptCacheKey: options.prompt_cache_key ?? undefined,
    user: options.user ?? undefined,
    serviceTier: options.service_tier ?? undefined,
    store: options.store ?? undefined,
    metadata: options.metadata ?? undefined,
    session,
    extra: { [OPENAI_CHAT]: keepExtra(body, isLegacy) },
  });
}

function parseOptions(body: JsonObject): ChatOptions {
  const parsed = chatOptionsSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? 'body');
  throw wrongType(key, issue?.path.length === 1 ? issue.message : 'valid JSON', body[key]);
}

function decodeSampling(options: ChatOptions): SamplingOptions {
  return omitUndefined({
    temperature: options.temperature ?? undefined,
    topP: options.top_p ?? undefined,
    topK: options.top_k ?? undefined,
    minP: options.min_p ?? undefined,
    seed: options.seed ?? undefined,
    stop: typeof options.stop === 'string' ? [options.stop] : (options.stop ?? undefined),
    maxOutputTokens: options.max_completion_tokens ?? options.max_tokens ?? undefined,
    presencePenalty: options.presence_penalty ?? undefined,
    frequencyPenalty: options.frequency_penalty ?? undefined,
    logitBias: options.logit_bias ?? undefined,
    logprobs: options.logprobs ?? undefined,
    topLogprobs: options.top_logprobs ?? undefined,
    choices: options.n ?? undefined,
  });
}

function decodeReasoning(options: ChatOptions): ReasoningOptions | undefined {
  const nested = options.reasoning ?? {};
  const budget = nested.max_tokens;
  if (budget !== undefined && budget !== null && typeof budget !== 'number') {
    throw wrongType('reasoning.max_tokens', 'a number', budget);
  }
  const reasoning = omitUndefined({
    effort: options.reasoning_effort ?? optionalString(nested.effort, 'reasoning.effort'),
    budgetTokens: budget ?? undefined,
    enabled: optionalBoolean(nested.enabled, 'reasoning.enabled'),
    summary: optionalString(nested.summary, 'reasoning.summary'),
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function decodeOutput(options: ChatOptions): OutputFormat | undefined {
  const format = options.response_format;
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json' };
  if (format.type !== 'json_schema') {
    if (typeof format.type === 'string') return undefined;
    throw wrongType('response_format.type', 'a string', format.type);
  }
  const path = 'response_format.json_schema';
  const declared = expectObject(format.json_schema, path);
  return omitUndefined({
    type: 'json-schema' as const,
    name: optionalString(declared.name, `${path}.name`),
    description: optionalString(declared.description, `${path}.description`),
    schema: expectObject(declared.schema, `${path}.schema`),
    strict: optionalBoolean(declared.strict, `${path}.strict`),
  });
}

const CANONICAL_FORMATS: readonly unknown[] = ['text', 'json_object', 'json_schema'];

/**
 * What the canon has no word for, and which of two spellings the client used: `max_tokens` or
 * `max_completion_tokens`, `reasoning_effort` or `reasoning`, `tools` or `functions`. Always present, perhaps
 * empty: it also says that the request was spoken in this dialect.
 */
function keepExtra(body: JsonObject, isLegacy: boolean): JsonObject {
  const extra: JsonObject = restOf(body, [...KNOWN_REQUEST_FIELDS]) ?? {};
  for (const field of ['max_tokens', 'max_completion_tokens', 'reasoning'] as const) {
    const value = body[field];
    if (value !== undefined && value !== null) extra[field] = value;
  }
  if (isLegacy) extra.functions = true;
  if (isJsonObject(body.stream_options)) {
    const rest = restOf(body.stream_options, ['include_usage']);
    if (rest) extra.stream_options = rest;
  }
  if (isJsonObject(body.response_format) && !CANONICAL_FORMATS.includes(body.response_format.type)) {
    extra.response_format = body.response_format;
  }
  return extra;
}
