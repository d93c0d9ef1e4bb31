// The response object: what was asked, echoed, and what was answered. Fields and their defaults as OpenAI sends them;
// `completed_at` is left out, since an encoder has no clock.
import {
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type TurnRequest,
  textOf,
  type Usage,
} from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { encodeFormat } from './encode-request.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { OPENAI_RESPONSES, type ResponseStatus, responsesExtra } from './schema.ts';
import { encodeUsage } from './usage.ts';
import { WireNames } from './wire-names.ts';

export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly JsonObject[];
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly incompleteReason?: string | undefined;
  readonly serviceTier?: JsonValue | undefined;
}

export class ResponseBuilder {
  readonly id: string;
  readonly #context: EncodeContext;
  readonly #echo: JsonObject;

  constructor(context: EncodeContext, id = context.newId('resp_')) {
    this.id = id;
    this.#context = context;
    this.#echo = echoRequest(context.request);
  }

  build(state: ResponseState): JsonObject {
    const { status, output, usage, error, incompleteReason, serviceTier } = state;
    return {
      id: this.id,
      object: 'response',
      created_at: Math.floor(this.#context.nowMs / 1000),
      status,
      error: error ? { ...error } : null,
      incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
      model: state.model ?? this.#context.model,
      output: [...output],
      usage: usage ? encodeUsage(usage) : null,
      ...this.#echo,
      service_tier: serviceTier ?? this.#context.request.serviceTier ?? 'default',
    };
  }
}

function echoRequest(request: TurnRequest): JsonObject {
  const extra = responsesExtra(request) ?? {};
  const names = new WireNames(request.tools, true);
  const context = { isOwn: true, names };
  const choice = request.toolChoice && encodeToolChoice(request.toolChoice, request.tools, context);
  const instructions = request.messages.find(
    (message) => message.extra?.[OPENAI_RESPONSES]?.instructions === true,
  );
  const { sampling, reasoning } = request;
  return omitUndefined({
    background: false,
    conversation: conversationOf(extra.conversation),
    instructions: instructions ? textOf(instructions.content) : null,
    max_output_tokens: sampling.maxOutputTokens ?? null,
    max_tool_calls: extra.max_tool_calls ?? null,
    metadata: { ...request.metadata },
    parallel_tool_calls: request.parallelToolCalls ?? true,
    previous_response_id: extra.previous_response_id ?? null,
    prompt_cache_key: request.promptCacheKey ?? null,
    prompt_cache_retention: extra.prompt_cache_retention ?? null,
    reasoning: {
      ...objectOf(extra.reasoning),
      effort: reasoning?.effort ?? null,
      summary: reasoning?.summary ?? null,
    },
    safety_identifier: extra.safety_identifier ?? null,
    store: request.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: omitUndefined({
      ...objectOf(extra.text),
      format: encodeFormat(request.output ?? { type: 'text' }),
      verbosity: request.verbosity ?? 'medium',
    }),
    tool_choice: extra.tool_choice ?? choice ?? 'auto',
    tools: encodeTools(request.tools, context),
    top_logprobs: sampling.topLogprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: extra.truncation ?? 'disabled',
    user: request.user ?? null,
  }) as JsonObject; // JSON values only
}

function conversationOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'string' ? { id: value } : value === undefined ? undefined : objectOf(value);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
