// The model lists of agent.v1.AgentService and aiserver.v1.AiService, from our own router: names exactly as users give them.
// Known from the public catalogue shapes; what an official client makes of each flag is partly guessed, so that every
// model is offered with everything, and only limits that we know are told.
import {
  AgentService,
  GetDefaultModelForCliRequestSchema,
  GetDefaultModelForCliResponseSchema,
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { AiService } from '../../../gen/aiserver/v1/ai_service_pb.ts';
import {
  AvailableModelsRequestSchema,
  AvailableModelsResponseSchema,
  GetDefaultModelRequestSchema,
  GetDefaultModelResponseSchema,
  GetEffectiveTokenLimitRequestSchema,
  GetEffectiveTokenLimitResponseSchema,
} from '../../../gen/aiserver/v1/models_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import type { AgentHost, NativeModel } from '../front/agent-host.ts';
import { encodeAvailableModel } from './available-model.ts';
import { defineEmpty } from './define-empty.ts';
import { listModelAliases } from './model-aliases.ts';

/** What clients are told of a model whose window nobody knows; most current ones have at least this. */
const ASSUMED_CONTEXT_TOKENS = 128_000;

const AGENT = '/agent.v1.AgentService';
const AI = '/aiserver.v1.AiService';

export function createModelMethods(host: AgentHost): UnaryMethod[] {
  return [
    // Clients of different ages ask different services for the same.
    ...[AGENT, AI].flatMap((service) => createCliMethods(host, service)),
    defineEmpty(AgentService.method.getAllowedModelIntents),
    defineUnary({
      path: `${AI}/AvailableModels`,
      input: AvailableModelsRequestSchema,
      output: AvailableModelsResponseSchema,
      handle: async ({ useModelParameters }, context) =>
        encodeCatalogue(await host.listModels(context), useModelParameters === true),
    }),
    defineUnary({
      path: `${AI}/GetDefaultModel`,
      input: GetDefaultModelRequestSchema,
      output: GetDefaultModelResponseSchema,
      async handle(_request, context) {
        const id = (await host.listModels(context))[0]?.id ?? '';
        return { model: id, thinkingModel: id, maxMode: false };
      },
    }),
    defineEmpty(AiService.method.getDefaultModelNudgeData),
    defineUnary({
      path: `${AI}/GetEffectiveTokenLimit`,
      input: GetEffectiveTokenLimitRequestSchema,
      output: GetEffectiveTokenLimitResponseSchema,
      async handle({ modelDetails }, context) {
        const models = await host.listModels(context);
        const model = models.find(({ id }) => id === modelDetails?.modelName) ?? models[0];
        return { tokenLimit: model?.contextWindow ?? ASSUMED_CONTEXT_TOKENS };
      },
    }),
  ];
}

function createCliMethods(host: AgentHost, service: string): UnaryMethod[] {
  return [
    defineUnary({
      path: `${service}/GetUsableModels`,
      input: GetUsableModelsRequestSchema,
      output: GetUsableModelsResponseSchema,
      handle: async (_request, context) => ({ models: encodeModels(await host.listModels(context)) }),
    }),
    defineUnary({
      path: `${service}/GetDefaultModelForCli`,
      input: GetDefaultModelForCliRequestSchema,
      output: GetDefaultModelForCliResponseSchema,
      async handle(_request, context) {
        const [model] = encodeModels(await host.listModels(context));
        return model ? { model } : {};
      },
    }),
  ];
}

function encodeModels(models: readonly NativeModel[]) {
  const aliases = aliasesOf(models);
  return models.map(({ id, displayName }) => ({
    modelId: id,
    displayModelId: id,
    displayName,
    displayNameShort: displayName,
    aliases: aliases.get(id) ?? [],
  }));
}

function encodeCatalogue(models: readonly NativeModel[], useModelParameters: boolean) {
  const aliases = aliasesOf(models);
  const [first] = models;
  return {
    modelNames: models.map(({ id }) => id),
    models: models.map((model) => ({
      ...encodeAvailableModel(model, useModelParameters),
      idAliases: aliases.get(model.id) ?? [],
    })),
    useModelParameters,
    ...(first ? defaultsFor(first.id) : {}),
  };
}

/** The same model for every place where a client lets its user choose one. */
function defaultsFor(defaultModel: string) {
  const config = { defaultModel, fallbackModels: [], bestOfNDefaultModels: [] };
  return {
    composerModelConfig: config,
    cmdKModelConfig: config,
    backgroundComposerModelConfig: config,
    planExecutionModelConfig: config,
    specModelConfig: config,
    deepSearchModelConfig: config,
    quickAgentModelConfig: config,
  };
}

/** The default model comes first. */
function aliasesOf(models: readonly NativeModel[]): ReadonlyMap<string, string[]> {
  return listModelAliases(
    models.map(({ id }) => id),
    models[0]?.id,
  );
}
