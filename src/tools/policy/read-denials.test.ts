import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePathMatcher, type PathNames } from './match-path.ts';

const names = (file: string): PathNames => ({ path: file, realPath: file, root: '/w', realRoot: '/w' });

const part = fc.constantFrom(
  'a',
  'B',
  'b.ts',
  '.env',
  'x y',
  '*',
  '**',
  '*.ts',
  '?',
  '{a,b}',
  '[ab]',
  '!(a)',
  'é',
);
const glob = fc
  .tuple(
    fc.constantFrom('', '/w/', '**/', './'),
    fc.array(part, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '/', '/**', '/*'),
  )
  .map(([start, parts, end]) => start + parts.join('/') + end);
const file = fc
  .array(fc.constantFrom('a', 'b', 'b.ts', '.env', 'x y', 'c', 'É', '[ab]', '*.ts'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => `/w/${parts.join('/')}`);

describe('what a restriction can mean', () => {
  it('is never a file whose name and folder it cannot mean', () => {
    fc.assert(
      fc.property(fc.array(glob, { minLength: 1, maxLength: 3 }), file, (globs, one) => {
        const matcher = compilePathMatcher(globs, '/home/u');
        const isMeant = matcher.forbids(names(one));
        const isFolderMeant = matcher.forbids(names(path.posix.dirname(one)));
        const quick = isFolderMeant || (matcher.mayName(path.posix.basename(one)) && isMeant);
        if (isMeant) expect(quick).toBe(true);
        // Of a forbidden folder nothing is shown; only a negated pattern would leave something in it.
        if (!globs.join().includes('!(')) expect(quick).toBe(isMeant);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reaches a folder where it may mean something in it', () => {
    fc.assert(
      fc.property(glob, file, (pattern, one) => {
        const matcher = compilePathMatcher([pattern], '/home/u');
        if (matcher.forbids(names(one))) expect(matcher.mayReach(names(path.posix.dirname(one)))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
