import { describe, expect, it } from 'vitest';
import { decodeModelPage } from './models.ts';

describe('model lists in Anthropic’s shape', () => {
  it('are read with their sizes and the place of the next page', () => {
    const page = decodeModelPage({
      data: [
        {
          type: 'model',
          id: 'a',
          display_name: 'A',
          created_at: '2025-02-19T00:00:00Z',
          max_input_tokens: 200_000,
          max_tokens: 64_000,
        },
        { id: 'b', created_at: 'unknown' },
      ],
      has_more: true,
      last_id: 'b',
    });
    expect(page).toEqual({
      models: [
        {
          id: 'a',
          displayName: 'A',
          contextWindow: 200_000,
          maxOutputTokens: 64_000,
          createdAtMs: Date.UTC(2025, 1, 19),
        },
        { id: 'b' },
      ],
      afterId: 'b',
    });
  });

  it('are refused when they are something else', () => {
    expect(() => decodeModelPage('<html>')).toThrow(expect.objectContaining({ code: 'upstream-malformed' }));
  });
});
