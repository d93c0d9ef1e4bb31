import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CursorIgnore } from './cursor-ignore.ts';
import { tempWorkspace } from './fixtures/temp-workspace.ts';
import { readSemsearchFiles } from './read-semsearch-files.ts';

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

describe('a place that a search elsewhere has found', () => {
  it('is not read when it is hidden, by whatever name', async () => {
    const hidden = tempWorkspace({
      '.cursorignore': 'keys\n',
      'keys/a.ts': 'const key = 1;\n',
      'b.ts': 'let b;\n',
    });
    symlinkSync('keys/a.ts', path.join(hidden.root, 'link.ts'));
    for (const place of ['keys/a.ts', 'link.ts', 'KEYS/../keys/a.ts']) {
      const { content } = await hidden.ask(readSemsearchFiles, { code_results: [{ path: place }] });
      expect(content, place).not.toContain('const key');
    }
    const { content } = await hidden.ask(readSemsearchFiles, { code_results: [{ path: 'b.ts' }] });
    expect(content).toContain('let b;');
    await hidden.dispose();
  });
});
