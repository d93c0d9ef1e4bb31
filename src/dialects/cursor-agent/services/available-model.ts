import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AvailableModelsResponse_AvailableModelSchema } from '../../../gen/aiserver/v1/models_pb.ts';
import type { NativeModel } from '../front/agent-host.ts';

type AvailableModel = MessageInitShape<typeof AvailableModelsResponse_AvailableModelSchema>;

const EFFORTS = ['low', 'medium', 'high'] as const;
const DEFAULT_EFFORT = 'medium';

/**
 * Families whose models think with a chosen effort. The router does not know it, and a choice that a model does not take
 * would be a request that fails; whoever wants the choice for another model sets it in the configuration.
 */
const TAKES_EFFORT =
  /(?:^|[/:])(?:gpt-(?:[5-9]|oss)|o[1-9](?:-|$)|claude-(?:opus|sonnet|haiku)-[4-9]|gemini-(?:2\.5|[3-9])|grok-[4-9]|deepseek-(?:r|v[3-9])|qwen[3-9]|composer)/i;
const HAS_OWN_LEVEL = /[-:](?:none|minimal|low|medium|high|xhigh|max)$/i;

export function takesEffort(id: string): boolean {
  return TAKES_EFFORT.test(id) && !HAS_OWN_LEVEL.test(id);
}

export function encodeAvailableModel(model: NativeModel, usesParameters: boolean): AvailableModel {
  const { id, displayName, contextWindow } = model;
  const hasEfforts = takesEffort(id);
  return {
    name: id,
    serverModelName: id,
    clientDisplayName: displayName,
    inputboxShortModelName: displayName,
    defaultOn: true,
    supportsAgent: true,
    supportsPlanMode: true,
    supportsThinking: true,
    supportsImages: true,
    supportsMaxMode: false,
    supportsNonMaxMode: true,
    supportsCmdK: true,
    supportsSandboxing: true,
    isUserAdded: false,
    ...(contextWindow === undefined
      ? {}
      : { contextTokenLimit: contextWindow, contextTokenLimitForMaxMode: contextWindow }),
    ...(hasEfforts ? { variants: EFFORTS.map((effort) => encodeVariant(model, effort)) } : {}),
    ...(hasEfforts && usesParameters ? { parameterDefinitions: [EFFORT_PARAMETER] } : {}),
  };
}

/** The same choice as a suffix of the name, which the front reads too. */
function encodeVariant({ id, displayName }: NativeModel, effort: (typeof EFFORTS)[number]) {
  const words = `${displayName} ${capitalize(effort)}`;
  return {
    parameterValues: [{ id: 'effort', value: effort }],
    displayName: words,
    displayNameOutsidePicker: words,
    isMaxMode: false,
    isDefaultNonMaxConfig: effort === DEFAULT_EFFORT,
    variantStringRepresentation: `${id}-${effort}`,
    legacySlug: `${id}-${effort}`,
  };
}

const EFFORT_PARAMETER = {
  id: 'effort',
  name: 'Effort',
  parameterType: {
    enumParameter: { values: EFFORTS.map((value) => ({ value, displayName: capitalize(value) })) },
  },
};

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
