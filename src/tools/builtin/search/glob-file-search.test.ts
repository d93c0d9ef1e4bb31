import { utimesSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { globFileSearch } from './glob-file-search.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'a.ts': '',
    'src/b.ts': '',
    'src/c.tsx': '',
    'src/sub/d.test.ts': '',
    'dist/e.ts': '',
    'secret/f.ts': '',
    '.github/workflows/ci.yml': '',
    '.git/config': '',
    '.gitignore': 'dist\n*.gen.ts\n',
    'x.gen.ts': '',
    '.cursorignore': 'secret\n',
  });
  for (const [index, file] of ['a.ts', 'src/sub/d.test.ts', 'src/b.ts', 'src/c.tsx'].entries()) {
    utimesSync(path.join(space.root, file), 1_000_000 + index, 1_000_000 + index);
  }
});
afterAll(() => space.dispose());

async function find(args: Record<string, unknown>): Promise<string[]> {
  const { data } = await space.ask(globFileSearch, args);
  return [...JSON.stringify(data).matchAll(/"rel_path":"([^"]*)"/g)].map((match) => match[1] ?? '');
}

describe('glob_file_search', () => {
  it('finds files at any depth, newest first', async () => {
    expect(await find({ glob_pattern: '*.ts' })).toEqual(['src/b.ts', 'src/sub/d.test.ts', 'a.ts']);
    expect(await find({ pattern: '**/*.{ts,tsx}' })).toEqual([
      'src/c.tsx',
      'src/b.ts',
      'src/sub/d.test.ts',
      'a.ts',
    ]);
  });

  it('matches folders in the pattern', async () => {
    expect(await find({ glob_pattern: 'src/**/*.test.ts' })).toEqual(['src/sub/d.test.ts']);
    expect(await find({ glob_pattern: 'src/*.ts' })).toEqual(['src/b.ts']);
    expect(await find({ glob_pattern: `${space.root}/src/*.ts` })).toEqual(['src/b.ts']);
  });

  it('looks below target_directory and answers relative to it', async () => {
    expect(await find({ glob_pattern: '*.ts', target_directory: 'src' })).toEqual(['b.ts', 'sub/d.test.ts']);
  });

  it('honours ignore files even for the broadest pattern', async () => {
    const all = await find({ glob_pattern: '**/*' });
    expect(all.sort()).toEqual(['a.ts', 'src/b.ts', 'src/c.tsx', 'src/sub/d.test.ts']);
  });

  it('finds hidden files when the pattern names them', async () => {
    expect(await find({ glob_pattern: '.github/**/*.yml' })).toEqual(['.github/workflows/ci.yml']);
  });

  it('understands alternatives and negated sets that ripgrep reads differently', async () => {
    expect(await find({ glob_pattern: '*.@(tsx|md)' })).toEqual(['src/c.tsx']);
    expect((await find({ glob_pattern: '[!a].ts' })).sort()).toEqual(['src/b.ts']);
    expect((await find({ glob_pattern: '{src/b,a}.ts' })).sort()).toEqual(['a.ts', 'src/b.ts']);
  });

  it('says when nothing matches and when the place is wrong', async () => {
    expect((await space.ask(globFileSearch, { glob_pattern: '*.zig' })).content).toBe(
      'No files match *.zig.',
    );
    expect(await space.call(globFileSearch, { glob_pattern: '*', target_directory: 'a.ts' })).toMatchObject({
      ok: false,
      error: { code: 'ENOTDIR' },
    });
  });

  it('gives a thousand paths of a large tree and says that there are more', async () => {
    const big = tempWorkspace(
      Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`d${index % 7}/f${index}.txt`, ''])),
    );
    const { content, data } = await big.ask(globFileSearch, { glob_pattern: '*.txt' });
    expect(content).toContain('Found 1200 files');
    expect(content).toContain('[1000 shown;');
    expect(data).toMatchObject({ directories: [{ total_files: 1200, ripgrep_truncated: true }] });
    await big.dispose();
  });
});
