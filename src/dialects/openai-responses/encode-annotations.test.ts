import { expect, it } from 'vitest';
import { encodeAnnotations } from './encode-annotations.ts';

it('leaves citations of this dialect as they are', () => {
  const own = { type: 'file_citation', file_id: 'file_1', index: 3, filename: 'a' };
  expect(encodeAnnotations([own], 9)).toEqual([own]);
});

it('flattens those of the chat dialect', () => {
  const nested = { start_index: 0, end_index: 4, url: 'https://x.test', title: 'X' };
  expect(encodeAnnotations([{ type: 'url_citation', url_citation: nested }], 9)).toEqual([
    { type: 'url_citation', ...nested },
  ]);
});

it('says any other that has an address as a URL over the whole text, and drops the rest', () => {
  const anthropic = {
    type: 'web_search_result_location',
    url: 'https://x.test',
    title: null,
    cited_text: 'x',
  };
  expect(encodeAnnotations([anthropic, { type: 'char_location' }, 'x', null], 9)).toEqual([
    { type: 'url_citation', start_index: 0, end_index: 9, url: 'https://x.test', title: 'https://x.test' },
  ]);
  expect(encodeAnnotations(undefined, 9)).toEqual([]);
});
