// Which model a run asks for. `requested_model` wins over the older `model_details`; choices come as parameters, or as
// suffixes of the name (`name-thinking-high`). The router tries the exact name first, so a model that is really called so
// is found.
import {
  GatewayError,
  type ModelAlternative,
  omitUndefined,
  type ReasoningOptions,
} from '../../../core/index.ts';
import type { ModelDetails, RequestedModel } from '../../../gen/agent/v1/model_pb.ts';
import { listModelAlternatives } from '../../model-alternatives.ts';
import type { ClientUpstream } from './agent-host.ts';

export interface ModelChoice {
  /** Empty for the default model. */
  readonly model: string;
  readonly modelAlternatives?: readonly ModelAlternative[];
  readonly reasoning?: ReasoningOptions;
  readonly clientUpstream?: ClientUpstream;
}

export interface ModelFields {
  readonly requestedModel?: RequestedModel | undefined;
  readonly modelDetails?: ModelDetails | undefined;
  readonly devRawModelSlug?: string | undefined;
}

/** What clients call the model that the backend chooses. */
const DEFAULT_NAMES: ReadonlySet<string> = new Set(['', 'default', 'auto']);

export function decodeModel(fields: ModelFields): ModelChoice {
  const { requestedModel, modelDetails, devRawModelSlug } = fields;
  const named = requestedModel?.modelId || modelDetails?.modelId || devRawModelSlug || '';
  const isDefault = DEFAULT_NAMES.has(named);
  return omitUndefined({
    model: isDefault ? '' : named,
    modelAlternatives: isDefault ? undefined : listVariants(named),
    reasoning: readReasoning(requestedModel, modelDetails),
    clientUpstream: readUpstream(requestedModel?.credentials) ?? readUpstream(modelDetails?.credentials),
  });
}

function readReasoning(
  requested: RequestedModel | undefined,
  details: ModelDetails | undefined,
): ReasoningOptions | undefined {
  const values = new Map(
    requested?.parameters.map(({ id, value }) => [id.toLowerCase(), value.toLowerCase()]),
  );
  const effort = values.get('effort') ?? values.get('thinking_effort') ?? values.get('reasoning_effort');
  const thinking = values.get('thinking');
  if (thinking === 'false' || effort === 'none') return { enabled: false };
  const isOn = thinking === 'true' || details?.thinkingDetails !== undefined;
  if (effort === undefined && !isOn) return undefined;
  return omitUndefined({ effort, enabled: isOn ? true : undefined });
}

/** A name that nobody serves is an error here: other readings of it may not end at the default model. */
function listVariants(name: string): ModelAlternative[] | undefined {
  const variants = listModelAlternatives(name).filter(({ model }) => model !== '');
  return variants.length === 0 ? undefined : variants;
}

function readUpstream(credentials: RequestedModel['credentials'] | undefined): ClientUpstream | undefined {
  if (credentials?.case === 'apiKeyCredentials') {
    const { apiKey, baseUrl } = credentials.value;
    // A key alone belongs to a vendor that the client does not name; ours are configured here.
    return baseUrl === undefined || baseUrl === '' ? undefined : { baseUrl, apiKey };
  }
  if (credentials?.case === 'azureCredentials') {
    const { apiKey, baseUrl, deployment } = credentials.value;
    return baseUrl === '' ? undefined : { baseUrl, apiKey, azureDeployment: deployment };
  }
  if (credentials?.case === 'bedrockCredentials') {
    throw new GatewayError(
      'unimplemented',
      'Bedrock credentials in a request cannot be used here; configure that server as an upstream of the gateway.',
    );
  }
  return undefined;
}
