// Which model runs. Two styles are in use: a full variant slug (`name-thinking-high`), and a base id with parameters.
// The first is the safer one: base ids with parameters were seen answered with `not_found`. Hence: a slug that the
// catalogue knows wins, parameters are the fallback.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ReasoningOptions } from '../../core/index.ts';
import type { ModelDetailsSchema } from '../../gen/agent/v1/model_pb.ts';
import { type RequestedModel, RequestedModelSchema } from '../../gen/agent/v1/model_pb.ts';

export interface ModelChoice {
  readonly requested: RequestedModel;
  /** The older selector, which everyone still fills. */
  readonly details: MessageInitShape<typeof ModelDetailsSchema>;
}

export interface ModelChoiceOptions {
  readonly model: string;
  readonly reasoning: ReasoningOptions | undefined;
  readonly maxMode: boolean;
  /** Slugs that the backend is known to serve; empty when it has not been asked. */
  readonly knownModels: ReadonlySet<string>;
}

export function chooseModel({ model, reasoning, maxMode, knownModels }: ModelChoiceOptions): ModelChoice {
  const effort = reasoning?.effort;
  const base = model === 'auto' ? 'default' : model; // what clients call auto
  const slug = effort === undefined ? undefined : findVariant(base, effort, knownModels);
  const modelId = slug ?? base;
  const parameters = slug === undefined ? parametersOf(reasoning) : [];
  return {
    requested: create(RequestedModelSchema, { modelId, maxMode, parameters }),
    details: { modelId, displayModelId: modelId, displayName: modelId, ...(maxMode ? { maxMode } : {}) },
  };
}

function findVariant(base: string, effort: string, known: ReadonlySet<string>): string | undefined {
  if (effort === 'none') return undefined;
  return [`${base}-thinking-${effort}`, `${base}-${effort}`].find((slug) => known.has(slug));
}

function parametersOf(reasoning: ReasoningOptions | undefined): { id: string; value: string }[] {
  const { effort, enabled } = reasoning ?? {};
  if (effort === 'none' || enabled === false) return [{ id: 'thinking', value: 'false' }];
  if (effort !== undefined) return [{ id: 'effort', value: effort }];
  return enabled === true ? [{ id: 'thinking', value: 'true' }] : [];
}
