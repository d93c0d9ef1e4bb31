import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptArguments, canonicalArguments } from './accept-arguments.ts';

const SPELLINGS = {
  aliases: { path: ['file_path', 'uri'], limit: ['count'] },
  paths: ['path'],
  numbers: ['limit'],
  flags: ['all'],
  rawText: 'path',
};

describe('accepted arguments', () => {
  it.each([
    [{ path: 'a' }, { path: 'a' }],
    [{ filePath: 'a' }, { path: 'a', filePath: 'a' }],
    [
      { FILE_PATH: 'a', path: null },
      { path: 'a', FILE_PATH: 'a' },
    ],
    [
      { path: 'a', file_path: 'b' },
      { path: 'a', file_path: 'b' },
    ],
    [{ uri: 'file:///a%20b' }, { path: '/a b', uri: 'file:///a%20b' }],
    [{ path: 'file://host/x' }, { path: 'file://host/x' }],
    [
      { count: ' -3 ', all: 'True' },
      { limit: -3, count: ' -3 ', all: true },
    ],
    [
      { limit: 'many', all: 'perhaps' },
      { limit: 'many', all: 'perhaps' },
    ],
    ['raw', { path: 'raw' }],
    [[1], [1]],
    [undefined, undefined],
  ])('%j become %j', (given, expected) => {
    expect(canonicalArguments(given, SPELLINGS)).toEqual(expected);
  });

  it('cannot bring a prototype along', () => {
    const given = JSON.parse('{"__proto__": {"path": "sneaked"}}');
    const parsed = acceptArguments(z.object({ path: z.string() }), SPELLINGS).safeParse(given);
    expect(parsed.success).toBe(false);
  });
});
