import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePartialJson } from './partial-json.ts';

describe('JSON that is still being written', () => {
  it.each([
    ['', undefined],
    ['{', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a": 1, "b', { a: 1 }],
    ['{"a": "x\\', { a: 'x' }],
    ['{"a": "x\\u00', { a: 'x' }],
    ['{"a": [1, 2', { a: [1, 2] }],
    ['{"a": tr', {}],
    ['[{"a": "b"}, {"c"', [{ a: 'b' }, {}]],
    ['"te', 'te'],
  ])('reads %s', (text, value) => {
    expect(parsePartialJson(text)).toEqual(value);
  });

  it('reads whole JSON as it is and never throws', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, cut) => {
        expect(parsePartialJson(text)).toEqual(JSON.parse(text));
        parsePartialJson(text.slice(0, cut % (text.length + 1)));
      }),
    );
  });
});
