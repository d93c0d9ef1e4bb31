// GET /v1/models in one body that three kinds of readers understand: OpenAI's (`object`, `data[].object`, `created`,
// `owned_by`), Anthropic's (`has_more`, `first_id`, `data[].type`, `display_name`, `created_at`) and Cursor's SDK
// (`items[].id`, `displayName`, `aliases`: it refuses any other name itself). Context sizes stand under every name that clients were seen to read.
import { type JsonObject, omitUndefined } from '../core/index.ts';
import { listModelAliases } from '../dialects/cursor-agent/services/index.ts';
import type { ModelInfo } from '../dialects/dialect.ts';

export function encodeModelList(models: readonly ModelInfo[], defaultId?: string): JsonObject {
  const aliases = listModelAliases(
    models.map(({ id }) => id),
    defaultId,
  );
  return {
    object: 'list',
    data: models.map(encodeModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    items: models.map(({ id, displayName }) => ({
      id,
      displayName: displayName ?? id,
      aliases: [...(aliases.get(id) ?? [])],
    })),
  };
}

export function encodeModel(model: ModelInfo): JsonObject {
  const createdAtMs = model.createdAtMs ?? 0;
  return omitUndefined({
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(createdAtMs / 1000),
    // The field is required; the epoch is what Anthropic itself sends for an unknown date.
    created_at: new Date(createdAtMs).toISOString(),
    owned_by: model.ownedBy ?? 'crosspoint',
    name: model.displayName,
    display_name: model.displayName ?? model.id,
    context_window: model.contextWindow,
    context_length: model.contextWindow,
    max_input_tokens: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    max_tokens: model.maxOutputTokens,
  });
}
