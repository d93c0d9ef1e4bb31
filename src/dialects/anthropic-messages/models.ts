// A server's model list in Anthropic's shape. `max_input_tokens` and `max_tokens` are in newer answers only.
import { GatewayError, type JsonValue, omitUndefined } from '../../core/index.ts';
import type { ModelInfo } from '../dialect.ts';
import { modelListSchema } from './schema.ts';

export interface ModelPage {
  readonly models: readonly ModelInfo[];
  /** Where the next page begins; absent on the last one. */
  readonly afterId?: string;
}

export function decodeModelPage(value: JsonValue): ModelPage {
  const parsed = modelListSchema.safeParse(value);
  if (!parsed.success) {
    throw new GatewayError(
      'upstream-malformed',
      'The upstream answered GET /models with something else than a list.',
    );
  }
  const { data, has_more, last_id } = parsed.data;
  const models = data.map(({ id, display_name, created_at, max_input_tokens, max_tokens }) =>
    omitUndefined({
      id,
      displayName: typeof display_name === 'string' ? display_name : undefined,
      contextWindow: positive(max_input_tokens),
      maxOutputTokens: positive(max_tokens),
      createdAtMs: positive(typeof created_at === 'string' ? Date.parse(created_at) : undefined),
    }),
  );
  const afterId = has_more ? (last_id ?? data.at(-1)?.id) : undefined;
  return omitUndefined({ models, afterId });
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
