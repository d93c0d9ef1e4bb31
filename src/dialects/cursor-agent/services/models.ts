// The model lists of agent.v1.AgentService and aiserver.v1.AiService, from our own router: names exactly as users give them.
// Known from the public catalogue shapes; what an official client makes of each flag is partly guessed, so that every
// model is offered with everything, and only limits that we know are told.
import {
  GetAllowedModelIntentsRequestSchema,
  GetAllowedModelIntentsResponseSchema,
  GetDefaultModelForCliRequestSchema,
  GetDefaultModelForCliResponseSchema,
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import {
  AvailableModelsRequestSchema,
  AvailableModelsResponseSchema,
  GetDefaultModelNudgeDataRequestSchema,
  GetDefaultModelNudgeDataResponseSchema,
  GetDefaultModelRequestSchema,
  GetDefaultModelResponseSchema,
  GetEffectiveTokenLimitRequestSchema,
  GetEffectiveTokenLimitResponseSchema,
} from '../../../gen/aiserver/v1/models_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import type { AgentHost, NativeModel } from '../front/agent-host.ts';
import { encodeAvailableModel } from './available-model.ts';
import { listModelAliases } from './model-aliases.ts';

/** What clients are told of a model whose window nobody knows; most current ones have at least this. */
export const ASSUMED_CONTEXT_TOKENS = 128_000;

export function createModelMethods(host: AgentHost): UnaryMethod[] {
  return [
    ...['/agent.v1.AgentService/GetUsableModels', '/aiserver.v1.AiService/GetUsableModels'].map((path) =>
      defineUnary({
        path,
        input: GetUsableModelsRequestSchema,
        output: GetUsableModelsResponseSchema,
        async handle(_request, context) {
          const models = await host.listModels(context);
          const aliases = aliasesOf(models);
          return { models: models.map((model) => encodeModelDetails(model, aliases.get(model.id))) };
        },
      }),
    ),
    ...['/agent.v1.AgentService/GetDefaultModelForCli', '/aiserver.v1.AiService/GetDefaultModelForCli'].map(
      (path) =>
        defineUnary({
          path,
          input: GetDefaultModelForCliRequestSchema,
          output: GetDefaultModelForCliResponseSchema,
          async handle(_request, context) {
            const models = await host.listModels(context);
            const [model] = models;
            return model ? { model: encodeModelDetails(model, aliasesOf(models).get(model.id)) } : {};
          },
        }),
    ),
    defineUnary({
      path: '/agent.v1.AgentService/GetAllowedModelIntents',
      input: GetAllowedModelIntentsRequestSchema,
      output: GetAllowedModelIntentsResponseSchema,
      handle: async () => ({}),
    }),
    defineUnary({
      path: '/aiserver.v1.AiService/AvailableModels',
      input: AvailableModelsRequestSchema,
      output: AvailableModelsResponseSchema,
      async handle(request, context) {
        const models = await host.listModels(context);
        const [first] = models;
        const config = { defaultModel: first?.id ?? '', fallbackModels: [], bestOfNDefaultModels: [] };
        const usesParameters = request.useModelParameters === true;
        const aliases = aliasesOf(models);
        return {
          modelNames: models.map(({ id }) => id),
          models: models.map((model) => ({
            ...encodeAvailableModel(model, usesParameters),
            idAliases: [...(aliases.get(model.id) ?? [])],
          })),
          useModelParameters: usesParameters,
          ...(first
            ? {
                composerModelConfig: config,
                cmdKModelConfig: config,
                backgroundComposerModelConfig: config,
                planExecutionModelConfig: config,
                specModelConfig: config,
                deepSearchModelConfig: config,
                quickAgentModelConfig: config,
              }
            : {}),
        };
      },
    }),
    defineUnary({
      path: '/aiserver.v1.AiService/GetDefaultModel',
      input: GetDefaultModelRequestSchema,
      output: GetDefaultModelResponseSchema,
      async handle(_request, context) {
        const id = (await host.listModels(context))[0]?.id ?? '';
        return { model: id, thinkingModel: id, maxMode: false };
      },
    }),
    defineUnary({
      path: '/aiserver.v1.AiService/GetDefaultModelNudgeData',
      input: GetDefaultModelNudgeDataRequestSchema,
      output: GetDefaultModelNudgeDataResponseSchema,
      handle: async () => ({}),
    }),
    defineUnary({
      path: '/aiserver.v1.AiService/GetEffectiveTokenLimit',
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

/** The default model comes first. */
function aliasesOf(models: readonly NativeModel[]): ReadonlyMap<string, readonly string[]> {
  return listModelAliases(
    models.map(({ id }) => id),
    models[0]?.id,
  );
}

function encodeModelDetails({ id, displayName }: NativeModel, aliases: readonly string[] = []) {
  return {
    modelId: id,
    displayModelId: id,
    displayName,
    displayNameShort: displayName,
    aliases: [...aliases],
  };
}
