import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ModelDetailsSchema, RequestedModelSchema } from '../../../gen/agent/v1/model_pb.ts';
import { decodeModel } from './decode-model.ts';

const requested = (init: Parameters<typeof create<typeof RequestedModelSchema>>[1]) =>
  decodeModel({ requestedModel: create(RequestedModelSchema, init) });

describe('the model of a run', () => {
  it('is the requested one, before the older details', () => {
    const modelDetails = create(ModelDetailsSchema, { modelId: 'old' });
    const requestedModel = create(RequestedModelSchema, { modelId: 'openai/new.1:x@2' });
    expect(decodeModel({ requestedModel, modelDetails }).model).toBe('openai/new.1:x@2');
    expect(decodeModel({ modelDetails }).model).toBe('old');
    expect(decodeModel({ devRawModelSlug: 'raw' }).model).toBe('raw');
  });

  it.each(['', 'default', 'auto'])('is the default one when it is called %j', (modelId) => {
    expect(requested({ modelId })).toEqual({ model: '' });
  });

  it('may carry its choices in its name, but never falls back to the default', () => {
    expect(requested({ modelId: 'opus-thinking-high' }).modelAlternatives).toEqual([
      { model: 'opus-thinking', reasoningEffort: 'high' },
      { model: 'opus', reasoningEffort: 'high' },
    ]);
    expect(
      requested({ modelId: 'gpt-5-high-fast' }).modelAlternatives?.every(({ model }) => model !== ''),
    ).toBe(true);
    expect(requested({ modelId: 'plain' }).modelAlternatives).toBeUndefined();
  });

  it.each([
    [[{ id: 'effort', value: 'High' }], { effort: 'high' }],
    [[{ id: 'thinking_effort', value: 'low' }], { effort: 'low' }],
    [[{ id: 'thinking', value: 'true' }], { enabled: true }],
    [[{ id: 'thinking', value: 'false' }], { enabled: false }],
    [[{ id: 'effort', value: 'none' }], { enabled: false }],
    [[{ id: 'context', value: '1m' }], undefined],
  ])('takes its parameters: %j', (parameters, reasoning) => {
    expect(requested({ modelId: 'm', parameters }).reasoning).toEqual(reasoning);
  });

  it('may be at a server that the request names', () => {
    const key = { apiKey: 'k', baseUrl: 'https://models.test/v1' };
    expect(
      requested({ modelId: 'm', credentials: { case: 'apiKeyCredentials', value: key } }).clientUpstream,
    ).toEqual({
      baseUrl: 'https://models.test/v1',
      apiKey: 'k',
    });
    const azure = { ...key, deployment: 'd' };
    expect(
      requested({ modelId: 'm', credentials: { case: 'azureCredentials', value: azure } }).clientUpstream,
    ).toEqual({ baseUrl: 'https://models.test/v1', apiKey: 'k', azureDeployment: 'd' });
    const bare = { case: 'apiKeyCredentials' as const, value: { apiKey: 'k' } };
    expect(requested({ modelId: 'm', credentials: bare }).clientUpstream).toBeUndefined();
    const bedrock = { case: 'bedrockCredentials' as const, value: { accessKey: 'a', secretKey: 'secret' } };
    expect(() => requested({ modelId: 'm', credentials: bedrock })).toThrow(
      /^(?!.*secret).*Bedrock credentials/,
    );
  });
});
