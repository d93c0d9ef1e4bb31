import { expect, it } from 'vitest';
import { decodeModelList, encodeModelList } from './models.ts';

it('lists models as OpenAI does, sizes added', () => {
  const entries = [
    { id: 'a', contextWindow: 8192, maxOutputTokens: 1024, createdAtMs: 5000, ownedBy: 'me' },
    { id: 'b' },
  ];
  expect(encodeModelList(entries)).toEqual({
    object: 'list',
    data: [
      {
        id: 'a',
        object: 'model',
        created: 5,
        owned_by: 'me',
        context_window: 8192,
        context_length: 8192,
        max_output_tokens: 1024,
      },
      { id: 'b', object: 'model', created: 0, owned_by: 'crosspoint' },
    ],
  });
  expect(decodeModelList(encodeModelList(entries))[0]).toEqual(entries[0]);
});

it.each(['context_length', 'context_window', 'max_model_len', 'max_context_length'])(
  'reads the window from %s',
  (field) => {
    expect(decodeModelList({ data: [{ id: 'a', [field]: 4096 }] })).toEqual([
      { id: 'a', contextWindow: 4096 },
    ]);
  },
);

it('reads the nested sizes of llama.cpp and OpenRouter, and a bare array', () => {
  expect(decodeModelList({ data: [{ id: 'a', meta: { n_ctx_train: 4096 } }] })).toMatchObject([
    { contextWindow: 4096 },
  ]);
  expect(decodeModelList([{ id: 'a', top_provider: { max_completion_tokens: 9 } }])).toMatchObject([
    { maxOutputTokens: 9 },
  ]);
});

it('refuses what is no list', () => {
  expect(() => decodeModelList({ models: [] })).toThrow(/model list/);
});
