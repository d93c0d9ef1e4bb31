import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/index.ts';
import { GetUsableModelsResponseSchema } from '../../gen/agent/v1/agent_service_pb.ts';
import { AvailableModelsResponseSchema } from '../../gen/aiserver/v1/models_pb.ts';
import { stage } from './fixtures/play-turn.ts';
import { ModelCatalogue } from './model-catalogue.ts';

const { signal } = new AbortController();
const usable = toBinary(
  GetUsableModelsResponseSchema,
  create(GetUsableModelsResponseSchema, {
    models: [{ modelId: 'a', displayName: 'A' }, { modelId: '' }, { modelId: 'b' }],
  }),
);
const available = toBinary(
  AvailableModelsResponseSchema,
  create(AvailableModelsResponseSchema, {
    models: [
      {
        name: 'a',
        contextTokenLimit: 200_000,
        variants: [{ variantStringRepresentation: 'a-thinking-high' }],
      },
    ],
  }),
);

describe('the model catalogue', () => {
  it('joins both lists and asks again only after a while', async () => {
    let nowMs = 0;
    const paths: string[] = [];
    const catalogue = new ModelCatalogue(
      async (path) => {
        paths.push(path);
        return path.endsWith('GetUsableModels') ? usable : available;
      },
      () => nowMs,
    );
    expect(await catalogue.list(signal)).toEqual([
      { id: 'a', displayName: 'A', contextWindow: 200_000 },
      { id: 'b' },
    ]);
    expect(catalogue.knownIds.has('a-thinking-high')).toBe(true);
    nowMs = 60_000;
    await catalogue.list(signal);
    expect(paths).toHaveLength(2);
    nowMs = 10 * 60_000;
    await catalogue.list(signal);
    expect(paths).toHaveLength(4);
  });

  it('takes either list where the other is missing, and fails where both are', async () => {
    const missing = () => Promise.reject(new GatewayError('unimplemented', 'no such method'));
    const only = (name: string, body: Uint8Array) =>
      new ModelCatalogue(
        async (path) => (path.endsWith(name) ? body : missing()),
        () => 0,
      ).list(signal);
    expect((await only('GetUsableModels', usable)).map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await only('AvailableModels', available)).map(({ id }) => id)).toEqual(['a', 'a-thinking-high']);
    await expect(only('neither', usable)).rejects.toMatchObject({ code: 'unimplemented' });
  });

  it('is read with the token, a refused one replaced once', async () => {
    const tokens: (string | undefined)[] = [];
    const { upstream, refused } = stage(async () => {}, {
      answerUnary: async (path, headers) => {
        tokens.push(headers.authorization);
        if (headers.authorization === 'Bearer token-1') throw new GatewayError('unauthenticated', 'expired');
        return path.endsWith('GetUsableModels') ? usable : available;
      },
    });
    expect((await upstream.listModels(signal)).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(refused.length).toBeGreaterThan(0);
    expect(tokens).toContain('Bearer token-1');
  });

  it('is the list of the configuration where there is one', async () => {
    const { upstream } = stage(async () => {}, { models: ['x'] });
    expect(await upstream.listModels(signal)).toEqual([{ id: 'x' }]);
  });
});
