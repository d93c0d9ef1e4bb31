import { afterAll, describe, expect, it } from 'vitest';
import { CursorIgnore } from './cursor-ignore.ts';
import { tempWorkspace } from './fixtures/temp-workspace.ts';

const space = tempWorkspace({
  '.cursorignore': '# keys\n  *.pem\nSecret/\n!keep.pem\n',
  'sub/.cursorignore': '!open.pem\nlocal\n',
  'sub/x.txt': '',
});
afterAll(() => space.dispose());

describe('.cursorignore', () => {
  it.each([
    ['a.pem', true],
    ['deep/er/a.PEM', true],
    ['keep.pem', false],
    ['secret/a.txt', true],
    ['sub/secret/a.txt', true],
    ['sub/open.pem', false],
    ['sub/local/a.ts', true],
    ['local/a.ts', false],
    ['readme.md', false],
    ['../a.pem', false],
    ['/etc/a.pem', false],
    ['', false],
  ])('%s: hidden is %s', (file, isHidden) => {
    const rules = new CursorIgnore(space.root);
    expect(rules.hides(file)).toBe(isHidden);
    expect(rules.hides(file)).toBe(isHidden);
  });
});
