import fc from 'fast-check';
import fuzzysort from 'fuzzysort';
import { describe, expect, it } from 'vitest';
import { mayResemble } from './may-resemble.ts';
import { PathReader } from './path-reader.ts';

function at(file: string): PathReader {
  const paths = new PathReader();
  paths.feed(Buffer.from(`${file}\0`));
  paths.next();
  return paths;
}

describe('the choice of paths that are scored', () => {
  it.each([
    ['usrctl', 'src/user-controller.ts', true],
    ['USER', 'src/user.ts', true],
    ['user', 'src/USER.ts', true],
    ['ts user', 'src/user.ts', true],
    ['resu', 'src/user', false],
    ['uzer', 'src/user.ts', false],
    ['e', 'é', true],
  ])('takes %s for %s: %s', (query, file, expected) => {
    expect(mayResemble(query)(at(file))).toBe(expected);
  });

  it('leaves out nothing that the scorer would find', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aAbB1 ./-é'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(text, text, (query, file) => {
        if (!fuzzysort.single(query.trim(), file)) return;
        expect(mayResemble(query.trim())(at(file))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    fuzzysort.cleanup();
  });
});
