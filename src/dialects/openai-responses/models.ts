// The model list of an upstream. The list shape is OpenAI's.
import { GatewayError, omitUndefined } from '../../core/index.ts';
import type { ModelInfo } from '../dialect.ts';
import { modelListSchema } from './schema.ts';

export function decodeModelList(value: unknown): ModelInfo[] {
  const parsed = modelListSchema.safeParse(value);
  if (!parsed.success) {
    throw new GatewayError(
      'upstream-malformed',
      'The upstream did not answer with a model list of the form {"data":[{"id":…}]}. List its models in the configuration.',
    );
  }
  return parsed.data.data.map(({ id, created, owned_by, context_window }) =>
    omitUndefined({
      id,
      createdAtMs: typeof created === 'number' && created > 0 ? created * 1000 : undefined,
      ownedBy: typeof owned_by === 'string' ? owned_by : undefined,
      contextWindow: typeof context_window === 'number' && context_window > 0 ? context_window : undefined,
    }),
  );
}
