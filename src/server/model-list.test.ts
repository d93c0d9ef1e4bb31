import { describe, expect, it } from 'vitest';
import { encodeModel, encodeModelList } from './model-list.ts';

const model = {
  id: 'a/x',
  displayName: 'X',
  contextWindow: 1000,
  maxOutputTokens: 50,
  createdAtMs: 1_700_000_000_000,
};

describe('the model list', () => {
  it("reads as OpenAI's, Anthropic's and Cursor's at once", () => {
    const list = encodeModelList([model, { id: 'b' }], 'a/x');
    expect(list).toMatchObject({ object: 'list', has_more: false, first_id: 'a/x', last_id: 'b' });
    expect(list.items).toEqual([
      { id: 'a/x', displayName: 'X', aliases: ['x', 'auto', 'default'] },
      { id: 'b', displayName: 'b', aliases: [] },
    ]);
    expect(encodeModel(model)).toMatchObject({
      object: 'model',
      created: 1_700_000_000,
      type: 'model',
      display_name: 'X',
      created_at: '2023-11-14T22:13:20.000Z',
      context_length: 1000,
      max_input_tokens: 1000,
      max_output_tokens: 50,
    });
  });

  it('leaves out what nobody knows', () => {
    expect(Object.keys(encodeModel({ id: 'b' })).sort()).toEqual(
      ['created', 'created_at', 'display_name', 'id', 'object', 'owned_by', 'type'].sort(),
    );
    expect(encodeModelList([])).toMatchObject({ data: [], items: [], first_id: null });
  });
});
