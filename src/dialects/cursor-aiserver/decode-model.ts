// aiserver.v1 `ModelDetails`: 1 model_name, 2 api_key, 4 azure_state, 6 openai_api_base_url (five sources agree). An IDE
// sends the user's own key with every request, also for models that do not need it: only a key with an address is a wish.
import { GatewayError, type ModelAlternative, omitUndefined } from '../../core/index.ts';
import type { ModelDetails } from '../../gen/aiserver/v1/common_pb.ts';
import type { ClientUpstream } from './aiserver-host.ts';

/** Names by which clients leave the choice to the server. */
const ANY_MODEL: ReadonlySet<string> = new Set(['', 'default', 'auto']);

export interface ModelWish {
  readonly model: string;
  readonly modelAlternatives?: readonly ModelAlternative[];
  readonly clientUpstream?: ClientUpstream;
}

export function decodeModel(
  details: ModelDetails | undefined,
  listAlternatives: (model: string) => readonly ModelAlternative[],
): ModelWish {
  const model = details?.modelName?.trim() ?? '';
  const clientUpstream = decodeUpstream(details);
  // The default model is the gateway's; a server that the client brings along has its own names.
  const alternatives: readonly ModelAlternative[] = ANY_MODEL.has(model.toLowerCase())
    ? [{ model: '' }]
    : listAlternatives(model);
  return omitUndefined({
    model,
    modelAlternatives: model === '' || alternatives.length === 0 ? undefined : alternatives,
    clientUpstream,
  });
}

function decodeUpstream(details: ModelDetails | undefined): ClientUpstream | undefined {
  const azure = details?.azureState;
  if (azure?.useAzure) {
    return { baseUrl: azure.baseUrl, apiKey: azure.apiKey, azureDeployment: azure.deployment };
  }
  if (details?.bedrockState?.useBedrock) {
    throw new GatewayError(
      'unimplemented',
      'The request asks for a model on AWS Bedrock with keys of its own, which this gateway does not do. Turn Bedrock off in the client’s model settings, or configure it here as an upstream.',
      { detail: { param: 'model_details.bedrock_state' } },
    );
  }
  if (!details?.openaiApiBaseUrl) return undefined;
  return { baseUrl: details.openaiApiBaseUrl, apiKey: details.apiKey ?? '' };
}
