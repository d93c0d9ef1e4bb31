import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { listDir } from './list-dir.ts';
import { listDirV1 } from './list-dir-v1.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'src/a.ts': '',
    'src/deep/er/b.ts': '',
    'readme.md': 'hello',
    '.env': 'SECRET=1',
    '.gitignore': 'node_modules\n',
    '.cursorignore': 'private\n',
    'node_modules/x/index.js': '',
    'private/key.pem': '',
  });
  mkdirSync(path.join(space.root, 'empty'));
});
afterAll(() => space.dispose());

describe('list_dir', () => {
  it('shows a tree without hidden and ignored files', async () => {
    const { content, data } = await space.ask(listDir, { target_directory: '.' });
    expect(content).toBe(
      './\n  empty/  (empty or ignored)\n  node_modules/  (empty or ignored)\n  src/\n    deep/\n      er/\n        b.ts\n    a.ts\n  readme.md',
    );
    expect(data).toMatchObject({
      directory_tree_root: {
        abs_path: space.root,
        num_files: 3,
        full_subtree_extension_counts: { '.ts': 2, '.md': 1 },
      },
    });
  });

  it('lists a folder below, by any spelling of its name', async () => {
    for (const args of [
      { path: 'src/deep' },
      { relative_workspace_path: './src/deep/' },
      { target_directory: path.join(space.root, 'src/deep') },
    ]) {
      expect((await space.ask(listDir, args)).content).toBe('src/deep/\n  er/\n    b.ts');
    }
  });

  it('lists a folder that is ignored when it is named', async () => {
    expect((await space.ask(listDir, { path: 'node_modules' })).content).toContain('index.js');
  });

  it('leaves out what ignore_globs name', async () => {
    const { content } = await space.ask(listDir, {
      path: '.',
      ignore_globs: ['deep', '*.md', 'node_modules', 'empty'],
    });
    expect(content).toBe('./\n  src/\n    a.ts');
  });

  it('says that a file is no folder and that a folder is not there', async () => {
    expect(await space.call(listDir, { path: 'readme.md' })).toMatchObject({
      ok: false,
      error: { code: 'ENOTDIR' },
    });
    expect(await space.call(listDir, { path: 'nope' })).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
    });
  });

  it('summarises what does not fit', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`many/f${index}.${index % 3 === 0 ? 'md' : 'ts'}`, '']),
    );
    const big = tempWorkspace({ ...files, 'few/a.ts': '', 'top.txt': '' });
    const many = Array.from({ length: 10 }, (_, folder) =>
      Array.from({ length: 100 }, (_, file) => [`wide/d${folder}/f${file}.js`, ''] as const),
    ).flat();
    for (const [file, text] of many) big.write(file, text);
    const { content } = await big.ask(listDir, {});
    expect(content.split('\n').length).toBeLessThan(650);
    expect(content).toContain('few/\n    a.ts');
    expect(content).toMatch(/d\d\/ {2}\(100 files: 100 \*\.js\)/);
    const inside = await big.ask(listDir, { path: 'many' });
    expect(inside.content).toContain('… 600 more files here');
    await big.dispose();
  });
});

describe('list_dir_v1', () => {
  it('lists one level with sizes and counts', async () => {
    const { content } = await space.ask(listDirV1, { relative_workspace_path: '.' });
    expect(content).toBe(
      'empty/  (0 entries)\nnode_modules/  (1 entries)\nreadme.md  (5 bytes)\nsrc/  (2 entries)',
    );
  });

  it('fails on a file', async () => {
    expect(await space.call(listDirV1, { directory_path: 'readme.md' })).toMatchObject({
      ok: false,
      error: { code: 'ENOTDIR' },
    });
  });
});
