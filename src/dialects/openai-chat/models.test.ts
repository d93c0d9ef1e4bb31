import { expect, it } from 'vitest';
import { decodeModelList } from './models.ts';

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
