// A server's model list. The list shape is OpenAI's; it has no sizes, so each server invented a field for them.
import {
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';
import type { ModelInfo } from '../dialect.ts';
import { modelListSchema } from './schema.ts';

// OpenRouter, Together: context_length. Groq: context_window. vLLM, SGLang: max_model_len. LM Studio, Mistral:
// max_context_length. Others: the rest.
const WINDOW_FIELDS = [
  'context_length',
  'context_window',
  'max_model_len',
  'max_context_length',
  'max_input_tokens',
  'n_ctx',
] as const;
const OUTPUT_FIELDS = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'] as const;

export function decodeModelList(value: unknown): ModelInfo[] {
  // Together answers with the bare array.
  const parsed = modelListSchema.safeParse(Array.isArray(value) ? { data: value } : value);
  if (!parsed.success) {
    throw new GatewayError(
      'upstream-malformed',
      'The upstream did not answer with a model list of the form {"data":[{"id":…}]}. List its models in the configuration.',
    );
  }
  return parsed.data.data.map((item) => decodeModel(item as JsonObject & { id: string })); // zod kept plain JSON
}

function decodeModel(item: JsonObject & { id: string }): ModelInfo {
  const meta = isJsonObject(item.meta) ? item.meta : {}; // llama.cpp
  const provider = isJsonObject(item.top_provider) ? item.top_provider : {}; // OpenRouter
  return omitUndefined({
    id: item.id,
    displayName: text(item.name) ?? text(item.display_name),
    contextWindow:
      firstCount(item, WINDOW_FIELDS) ?? firstCount(meta, WINDOW_FIELDS) ?? count(meta.n_ctx_train),
    maxOutputTokens: firstCount(item, OUTPUT_FIELDS) ?? firstCount(provider, OUTPUT_FIELDS),
    createdAtMs: typeof item.created === 'number' && item.created > 0 ? item.created * 1000 : undefined,
    ownedBy: text(item.owned_by),
  });
}

function firstCount(source: JsonObject, fields: readonly string[]): number | undefined {
  for (const field of fields) {
    const found = count(source[field]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
