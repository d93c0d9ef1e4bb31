// A chat request, canon to wire. What is dropped or changed for a server that cannot take it is told in `warnings`;
// the whole list of departures is in docs/protocols/openai-chat.md.
import {
  type JsonObject,
  type JsonValue,
  type OutputFormat,
  omitUndefined,
  type ReasoningOptions,
  type TurnRequest,
  type Warning,
} from '../../core/index.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeToolFields } from './encode-tools.ts';
import type { ChatEncoding } from './encoding-options.ts';
import { chatExtra } from './schema.ts';
import { ToolNames, type ToolOrigin } from './tool-names.ts';

export interface EncodedRequest {
  readonly body: JsonObject;
  /** Tools whose calls must be translated back, by the name the upstream was told. */
  readonly toolOrigins: ReadonlyMap<string, ToolOrigin>;
  readonly warnings: readonly Warning[];
}

export function encodeRequest(request: TurnRequest, encoding: ChatEncoding): EncodedRequest {
  const extra = chatExtra(request);
  const isNative = extra !== undefined;
  const warnings: Warning[] = [];
  const names = new ToolNames(request.tools, { keepsNames: isNative, lowersCustom: !encoding.customTools });
  const { functions, max_tokens, max_completion_tokens, reasoning, stream_options, ...kept } = extra ?? {};
  const body = omitUndefined({
    ...kept,
    model: request.model,
    messages: encodeMessages(request.messages, { encoding, names, isNative, warnings }),
    ...encodeToolFields(request, encoding, names),
    ...encodeSampling(request, isNative, encoding, warnings),
    ...encodeMaxTokens(request, extra, encoding),
    ...encodeReasoning(request.reasoning, reasoning, encoding),
    response_format: encodeOutput(request.output) ?? kept.response_format,
    ...encodeOpenAiFields(request, isNative || encoding.openaiFields, warnings),
    user: request.user,
    ...encodeStream(request, stream_options),
  }) as JsonObject; // built from JSON values only; the spreads hide that from the compiler
  return { body, toolOrigins: names.origins, warnings };
}

function encodeStream(request: TurnRequest, kept: JsonValue | undefined): JsonObject {
  if (!request.stream) return {};
  const rest = typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? kept : {};
  // Always with usage: the gateway wants true counts even when the client does not.
  return { stream: true, stream_options: { ...rest, include_usage: true } };
}

function encodeSampling(
  request: TurnRequest,
  isNative: boolean,
  encoding: ChatEncoding,
  warnings: Warning[],
): Record<string, JsonValue | undefined> {
  const { sampling } = request;
  // OpenAI refuses fields it does not know; these two are its rivals'.
  const takesVendorFields = isNative || !encoding.openaiFields;
  if (!takesVendorFields) noteDropped({ top_k: sampling.topK, min_p: sampling.minP }, warnings);
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: takesVendorFields ? sampling.topK : undefined,
    min_p: takesVendorFields ? sampling.minP : undefined,
    seed: sampling.seed,
    stop: sampling.stop && (sampling.stop.length > 0 || isNative) ? [...sampling.stop] : undefined,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    logit_bias: sampling.logitBias,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
    n: sampling.choices,
  };
}

/** The client's own field name is kept; two names were two limits, of which the newer one counts. */
function encodeMaxTokens(
  request: TurnRequest,
  extra: JsonObject | undefined,
  encoding: ChatEncoding,
): JsonObject {
  const limit = request.sampling.maxOutputTokens;
  if (limit === undefined) return {};
  if (extra?.max_completion_tokens !== undefined) return { max_completion_tokens: limit };
  return { [extra?.max_tokens === undefined ? encoding.maxTokensField : 'max_tokens']: limit };
}

function encodeReasoning(
  reasoning: ReasoningOptions | undefined,
  kept: JsonValue | undefined,
  encoding: ChatEncoding,
): Record<string, JsonValue | undefined> {
  if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) {
    const { effort, budgetTokens, enabled, summary } = reasoning ?? {};
    return { reasoning: omitUndefined({ ...kept, effort, max_tokens: budgetTokens, enabled, summary }) };
  }
  if (!reasoning) return {};
  return { reasoning_effort: reasoning.effort ?? effortFor(reasoning, encoding) };
}

/** This dialect has words only. The steps are the ones other translators of Anthropic's budgets use. */
function effortFor(reasoning: ReasoningOptions, encoding: ChatEncoding): string | undefined {
  // Servers that do not know `none` refuse it; to think although asked not to is the smaller harm.
  if (reasoning.enabled === false) return encoding.openaiFields ? 'none' : undefined;
  const budget = reasoning.budgetTokens;
  if (budget === undefined) return undefined;
  if (budget <= 2048) return 'low';
  return budget <= 8192 ? 'medium' : 'high';
}

function encodeOutput(output: OutputFormat | undefined): JsonObject | undefined {
  if (!output) return undefined;
  switch (output.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name = 'response', description, schema, strict } = output;
      return { type: 'json_schema', json_schema: omitUndefined({ name, description, schema, strict }) };
    }
    default:
      return output satisfies never;
  }
}

/** Strict servers answer 400 to these fields, and a client of another dialect did not choose this server. */
function encodeOpenAiFields(
  request: TurnRequest,
  areTaken: boolean,
  warnings: Warning[],
): Record<string, JsonValue | undefined> {
  const fields = {
    verbosity: request.verbosity,
    service_tier: request.serviceTier,
    store: request.store,
    metadata: request.metadata && { ...request.metadata },
    prompt_cache_key: request.promptCacheKey,
  };
  if (areTaken) return fields;
  noteDropped({ verbosity: fields.verbosity, service_tier: fields.service_tier }, warnings);
  return {};
}

/** Only what changes the answer is worth a word; labels and cache keys are not. */
function noteDropped(fields: Readonly<Record<string, JsonValue | undefined>>, warnings: Warning[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const message = `\`${name}\` was left out: this upstream does not take it.`;
    warnings.push({ type: 'warning', code: 'option-dropped', message });
  }
}
