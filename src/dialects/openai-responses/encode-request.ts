// A request, canon to wire, for a server that speaks Responses. Known from OpenAI's reference.
// Guessed: which model names do not reason (they refuse `include: ["reasoning.encrypted_content"]`).
import {
  type JsonObject,
  type JsonValue,
  type Message,
  type OutputFormat,
  omitUndefined,
  type Part,
  type TurnRequest,
  type Warning,
} from '../../core/index.ts';
import { OPENAI_CHAT } from '../openai-chat/schema.ts';
import { encodeItems } from './encode-items.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { pairCalls } from './pair-calls.ts';
import { ENCRYPTED_REASONING, OPENAI_RESPONSES, responsesExtra } from './schema.ts';
import { digest, WireNames } from './wire-names.ts';

export interface EncodedRequest {
  readonly body: JsonObject;
  readonly names: WireNames;
  /** What could not be said in this dialect. */
  readonly warnings: readonly Warning[];
}

/** Set beside `previous_response_id` once the earlier turns are part of the input: the id is then only for show. */
export const INPUT_IS_COMPLETE = 'input_is_complete';

const MAX_USER_LENGTH = 64;
const LEAST_OUTPUT_TOKENS = 16;
const NOT_REASONING = /^(?:gpt-3\.5|gpt-4|chatgpt-4o|computer-use)/;

export function encodeRequest(request: TurnRequest): EncodedRequest {
  const warnings = new Map<string, Warning>();
  const warn = (code: string, message: string) => {
    warnings.set(message, { type: 'warning', code, message });
  };
  const isOwn = responsesExtra(request) !== undefined;
  const names = new WireNames(request.tools, isOwn);
  const encode = isOwn ? encodeOwn : encodeForeign;
  const body = encode(request, { isOwn, names, warn });
  return { body, names, warnings: [...warnings.values()] };
}

interface Context {
  readonly isOwn: boolean;
  readonly names: WireNames;
  readonly warn: (code: string, message: string) => void;
}

function encodeOwn(request: TurnRequest, context: Context): JsonObject {
  const { reasoning, text, tool_choice, stream_options, ...kept } = responsesExtra(request) ?? {};
  const { [INPUT_IS_COMPLETE]: isComplete, previous_response_id, ...rest } = kept;
  const instructions = request.messages.find(isInstructions);
  const input = encodeItems(
    request.messages.filter((message) => message !== instructions),
    context,
  );
  const tools = encodeTools(request.tools, context);
  const { sampling } = request;
  return omitUndefined({
    ...rest,
    previous_response_id: isComplete === true ? undefined : previous_response_id,
    stream_options: withoutIncludeUsage(stream_options),
    model: request.model,
    instructions: instructions && joinText(instructions.content),
    input: input.length > 0 ? input : undefined,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice:
      tool_choice ?? (request.toolChoice && encodeToolChoice(request.toolChoice, request.tools, context)),
    ...commonFields(request),
    top_logprobs: sampling.topLogprobs,
    max_output_tokens: sampling.maxOutputTokens,
    reasoning: mergeObjects(reasoning, encodeReasoning(request, context)),
    text: mergeObjects(text, encodeText(request)),
    user: request.user,
    metadata: request.metadata,
    store: request.store,
  }) as JsonObject; // JSON values only
}

function encodeForeign(request: TurnRequest, context: Context): JsonObject {
  warnOfLosses(request, context);
  const { instructions, rest } = splitInstructions(request.messages);
  const tools = encodeTools(request.tools, context);
  const chat = request.extra?.[OPENAI_CHAT] ?? {};
  const { toolChoice, user, model } = request;
  return omitUndefined({
    model,
    instructions,
    input: pairCalls(encodeItems(rest, context)),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice:
      tools.length > 0 && toolChoice ? encodeToolChoice(toolChoice, request.tools, context) : undefined,
    ...commonFields(request),
    parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
    max_output_tokens: leastOutput(request, context),
    reasoning: encodeReasoning(request, context),
    text: encodeText(request),
    user: user !== undefined && user.length > MAX_USER_LENGTH ? digest(user) : user,
    metadata: encodeMetadata(request, context),
    // Nothing asked us to leave a copy of the conversation with the vendor.
    store: request.store ?? false,
    include: request.store !== true && !NOT_REASONING.test(model) ? [ENCRYPTED_REASONING] : undefined,
    // OpenAI's two dialects share these.
    stream_options: withoutIncludeUsage(chat.stream_options),
    safety_identifier: chat.safety_identifier,
    prompt_cache_retention: chat.prompt_cache_retention,
  }) as JsonObject; // JSON values only
}

function commonFields(request: TurnRequest): JsonObject {
  return omitUndefined({
    parallel_tool_calls: request.parallelToolCalls,
    stream: request.stream || undefined,
    temperature: request.sampling.temperature,
    top_p: request.sampling.topP,
    prompt_cache_key: request.promptCacheKey,
    service_tier: request.serviceTier,
  });
}

function isInstructions(message: Message): boolean {
  return message.extra?.[OPENAI_RESPONSES]?.instructions === true;
}

/**
 * The system texts at the head become `instructions`; later ones keep their place, since it has a meaning. When
 * there is nothing else they stay in the input, which must not be empty.
 */
function splitInstructions(messages: readonly Message[]): {
  instructions: string | undefined;
  rest: readonly Message[];
} {
  const isHead = (message: Message) =>
    (message.role === 'system' || message.role === 'developer') && message.content.every(isText);
  const first = messages.findIndex((message) => !isHead(message));
  if (first <= 0) return { instructions: undefined, rest: messages };
  const instructions = joinText(messages.slice(0, first).flatMap((message) => message.content));
  return { instructions: instructions || undefined, rest: messages.slice(first) };
}

function isText(part: Part): boolean {
  return part.type === 'text';
}

function joinText(content: readonly Part[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** Budgets are Anthropic's way to say how hard to think; the steps are ours. */
function encodeReasoning({ reasoning }: TurnRequest, { isOwn }: Context): JsonObject | undefined {
  if (!reasoning) return undefined;
  const { budgetTokens, summary } = reasoning;
  let { effort } = reasoning;
  if (!isOwn && effort === undefined && budgetTokens !== undefined && reasoning.enabled !== false) {
    effort = budgetTokens <= 2048 ? 'low' : budgetTokens <= 8192 ? 'medium' : 'high';
  }
  const encoded = omitUndefined({ effort, summary });
  return Object.keys(encoded).length > 0 ? encoded : undefined;
}

function encodeText({ output, verbosity }: TurnRequest): JsonObject | undefined {
  const encoded = omitUndefined({ format: output && encodeFormat(output), verbosity });
  return Object.keys(encoded).length > 0 ? encoded : undefined;
}

export function encodeFormat(output: OutputFormat): JsonObject {
  if (output.type === 'text') return { type: 'text' };
  if (output.type === 'json') return { type: 'json_object' };
  const { name = 'response', description, schema, strict } = output;
  return omitUndefined({ type: 'json_schema', name, description, schema, strict });
}

/** `include_usage` belongs to the chat dialect and is refused here; counts come without asking. */
function withoutIncludeUsage(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { include_usage: _usage, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function mergeObjects(kept: JsonValue | undefined, encoded: JsonObject | undefined): JsonObject | undefined {
  const base = typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? kept : undefined;
  return base || encoded ? { ...base, ...encoded } : undefined;
}

/** Probes ask for a single token, which this API refuses. */
function leastOutput({ sampling }: TurnRequest, { warn }: Context): number | undefined {
  const { maxOutputTokens } = sampling;
  if (maxOutputTokens === undefined || maxOutputTokens >= LEAST_OUTPUT_TOKENS) return maxOutputTokens;
  warn(
    'option-changed',
    `The output limit was raised from ${maxOutputTokens} to ${LEAST_OUTPUT_TOKENS} tokens, the least this API takes.`,
  );
  return LEAST_OUTPUT_TOKENS;
}

/** Values must be strings of at most 512 characters. */
function encodeMetadata({ metadata }: TurnRequest, { warn }: Context): JsonObject | undefined {
  if (!metadata) return undefined;
  const kept = Object.entries(metadata).filter(
    ([, value]) => typeof value === 'string' && value.length <= 512,
  );
  if (kept.length < Object.keys(metadata).length) {
    warn('option-dropped', 'Metadata that is not short text was left out.');
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function warnOfLosses({ sampling }: TurnRequest, { warn }: Context): void {
  const lost: readonly [name: string, isSet: boolean][] = [
    ['n', (sampling.choices ?? 1) > 1],
    ['logprobs', sampling.logprobs === true],
    ['top_logprobs', sampling.topLogprobs !== undefined],
    ['presence_penalty', Boolean(sampling.presencePenalty)],
    ['frequency_penalty', Boolean(sampling.frequencyPenalty)],
    ['logit_bias', sampling.logitBias !== undefined],
    ['seed', sampling.seed !== undefined],
    ['stop', (sampling.stop?.length ?? 0) > 0],
    ['top_k', sampling.topK !== undefined],
    ['min_p', sampling.minP !== undefined],
  ];
  for (const [name, isSet] of lost) {
    if (isSet) warn('option-dropped', `The Responses API has no ${name}; it was left out.`);
  }
}
