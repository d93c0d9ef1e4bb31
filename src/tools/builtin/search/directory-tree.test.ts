import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DirectoryTree } from './directory-tree.ts';
import { PathReader } from './path-reader.ts';
import { chooseOpen, renderTree, treeData } from './render-tree.ts';

function treeOf(files: Iterable<string>, perChunk = 7): ReturnType<DirectoryTree['finish']> {
  const tree = new DirectoryTree();
  const paths = new PathReader();
  const all = [...files].map((file) => file.replaceAll('/', path.sep));
  for (let start = 0; start < all.length; start += perChunk) {
    paths.feed(
      Buffer.from(
        all
          .slice(start, start + perChunk)
          .map((file) => `.${path.sep}${file}\0`)
          .join(''),
      ),
    );
    while (paths.next()) tree.add(paths.folder, paths);
  }
  return tree.finish();
}

describe('a tree of paths', () => {
  it('shows each file once in its folder, whatever the order and the chunks', () => {
    const files = ['a/x.ts', 'b/y.ts', 'a/z.md', 'top', 'a/deep/q.ts', 'b/ü.ts', 'a/.env'];
    for (const perChunk of [1, 2, 100]) {
      const root = treeOf(files, perChunk);
      expect(renderTree(root, chooseOpen(root, 100))).toBe(
        'a/\n  deep/\n    q.ts\n  .env\n  x.ts\n  z.md\nb/\n  y.ts\n  ü.ts\ntop',
      );
      expect(Object.fromEntries(root.extensions)).toEqual({ '.ts': 4, '.md': 1, '': 2 });
    }
  });

  it('counts the files whose names it does not keep', () => {
    const root = treeOf(
      Array.from({ length: 1_000 }, (_, index) => `many/f${index}.ts`),
      90,
    );
    const many = root.folders.get('many');
    expect([many?.fileCount, many?.keptCount]).toEqual([1_000, 300]);
    expect(renderTree(root, chooseOpen(root, 400))).toContain('… 700 more files here');
  });

  it('keeps few kinds of files apart', () => {
    const root = treeOf(
      Array.from({ length: 5_000 }, (_, index) => `log.${index}`),
      500,
    );
    expect(root.extensions.size).toBe(100);
    expect(root.fileCount).toBe(5_000);
  });

  it('shows the first thousand folders of one', () => {
    const root = treeOf(
      Array.from({ length: 1_500 }, (_, index) => `d${index}/f`),
      500,
    );
    const lines = renderTree(root, chooseOpen(root, 600)).split('\n');
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe('… 500 more folders here');
    expect(treeData(root, '/w', chooseOpen(root, 600)).children_dirs).toHaveLength(1_000);
  });

  it('is bounded in memory by what is kept of deep folders', () => {
    const deep = function* () {
      for (let folder = 0; folder < 2_000; folder++)
        for (let file = 0; file < 50; file++) yield `${'long-name/'.repeat(8)}d${folder}/file-${file}.ts`;
    };
    const root = treeOf(deep(), 600);
    let kept = 0;
    const visit = (folder: typeof root) => {
      for (const bytes of folder.kept) kept += bytes.length;
      for (const child of folder.folders.values()) visit(child);
    };
    visit(root);
    expect(root.fileCount).toBe(100_000);
    expect(kept).toBeLessThanOrEqual(4_000_000);
  });
});
