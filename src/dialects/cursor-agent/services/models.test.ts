import { describe, expect, it } from 'vitest';
import {
  GetDefaultModelForCliRequestSchema,
  GetDefaultModelForCliResponseSchema,
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import {
  AvailableModelsRequestSchema,
  AvailableModelsResponseSchema,
  GetDefaultModelRequestSchema,
  GetDefaultModelResponseSchema,
  GetEffectiveTokenLimitRequestSchema,
  GetEffectiveTokenLimitResponseSchema,
} from '../../../gen/aiserver/v1/models_pb.ts';
import { takesEffort } from './available-model.ts';
import { createServicesWorld } from './fixtures/call-service.ts';
import { listModelAliases } from './model-aliases.ts';

const models = [
  { id: 'demo/demo', displayName: 'Demo', contextWindow: 32_000 },
  { id: 'openai/gpt-5.4', displayName: 'GPT-5.4' },
];

describe('the model lists', () => {
  it('name models as users do, the default one first and under its other names', async () => {
    const { call } = createServicesWorld({ models });
    for (const service of ['agent.v1.AgentService', 'aiserver.v1.AiService']) {
      const usable = await call(
        `/${service}/GetUsableModels`,
        GetUsableModelsRequestSchema,
        GetUsableModelsResponseSchema,
      );
      expect(usable.models).toMatchObject([
        { modelId: 'demo/demo', displayName: 'Demo', aliases: ['demo', 'auto', 'default'] },
        { modelId: 'openai/gpt-5.4', displayName: 'GPT-5.4', aliases: ['gpt-5.4'] },
      ]);
      const preset = await call(
        `/${service}/GetDefaultModelForCli`,
        GetDefaultModelForCliRequestSchema,
        GetDefaultModelForCliResponseSchema,
      );
      expect(preset.model).toMatchObject({ modelId: 'demo/demo' });
    }
    const preset = await call(
      '/aiserver.v1.AiService/GetDefaultModel',
      GetDefaultModelRequestSchema,
      GetDefaultModelResponseSchema,
    );
    expect(preset).toMatchObject({ model: 'demo/demo', thinkingModel: 'demo/demo' });
  });

  it('tell limits that are known, and efforts where a model takes them', async () => {
    const { call } = createServicesWorld({ models });
    const path = '/aiserver.v1.AiService/AvailableModels';
    const rich = await call(path, AvailableModelsRequestSchema, AvailableModelsResponseSchema, {
      useModelParameters: true,
    });
    expect(rich.modelNames).toEqual(['demo/demo', 'openai/gpt-5.4']);
    expect(rich.composerModelConfig?.defaultModel).toBe('demo/demo');
    const [demo, gpt] = rich.models;
    expect(demo).toMatchObject({
      name: 'demo/demo',
      serverModelName: 'demo/demo',
      clientDisplayName: 'Demo',
      supportsAgent: true,
      contextTokenLimit: 32_000,
      variants: [],
      parameterDefinitions: [],
    });
    expect(gpt?.contextTokenLimit).toBeUndefined();
    expect(gpt?.variants.map((variant) => variant.variantStringRepresentation)).toEqual([
      'openai/gpt-5.4-low',
      'openai/gpt-5.4-medium',
      'openai/gpt-5.4-high',
    ]);
    expect(gpt?.variants.filter((variant) => variant.isDefaultNonMaxConfig)).toHaveLength(1);
    expect(gpt?.parameterDefinitions.map(({ id }) => id)).toEqual(['effort']);
    const plain = await call(path, AvailableModelsRequestSchema, AvailableModelsResponseSchema);
    expect(plain.useModelParameters).toBe(false);
    expect(plain.models[1]?.parameterDefinitions).toEqual([]);
  });

  it('know how much a model takes in, or assume it', async () => {
    const { call } = createServicesWorld({ models });
    const limitOf = async (modelName: string) => {
      const path = '/aiserver.v1.AiService/GetEffectiveTokenLimit';
      const answer = await call(
        path,
        GetEffectiveTokenLimitRequestSchema,
        GetEffectiveTokenLimitResponseSchema,
        { modelDetails: { modelName } },
      );
      return answer.tokenLimit;
    };
    expect(await limitOf('demo/demo')).toBe(32_000);
    expect(await limitOf('openai/gpt-5.4')).toBe(128_000);
    expect(await limitOf('nobody')).toBe(32_000);
  });

  it('are empty when there is nothing', async () => {
    const { call } = createServicesWorld();
    const list = await call(
      '/aiserver.v1.AiService/AvailableModels',
      AvailableModelsRequestSchema,
      AvailableModelsResponseSchema,
    );
    expect(list.models).toEqual([]);
    expect(list.composerModelConfig).toBeUndefined();
  });
});

describe('other names of models', () => {
  it('are bare names that mean one model only, and those of the default', () => {
    const aliases = listModelAliases(['a/x', 'b/x', 'a/y', 'c/vendor/z', 'z', 'a/z', 'auto'], 'a/y');
    expect(Object.fromEntries(aliases)).toEqual({
      'a/x': [],
      'b/x': [],
      'a/y': ['y', 'default'],
      'c/vendor/z': ['vendor/z'],
      z: [],
      'a/z': [],
      auto: [],
    });
  });
});

describe('a choice of effort', () => {
  it.each([
    ['openai/gpt-5.4', true],
    ['gpt-oss-120b', true],
    ['o3', true],
    ['anthropic/claude-opus-4-5', true],
    ['google/gemini-2.5-pro', true],
    ['gpt-4o', false],
    ['llama-3.1-8b', false],
    ['demo/demo', false],
    ['openai/gpt-5.4-high', false],
    ['oasis', false],
  ])('%s: %s', (id, expected) => {
    expect(takesEffort(id)).toBe(expected);
  });
});
