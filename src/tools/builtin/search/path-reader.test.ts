import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PathReader } from './path-reader.ts';

function readAll(chunks: readonly Buffer[]) {
  const paths = new PathReader();
  const found: { path: string; folder: string; name: string }[] = [];
  for (const chunk of chunks) {
    paths.feed(chunk);
    while (paths.next()) {
      const name = paths.bytes.toString('utf8', paths.nameStart, paths.end);
      found.push({ path: paths.path(), folder: paths.folder, name });
    }
  }
  return found;
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('paths out of a stream', () => {
  it('come with their folder and name, without a leading dot and separator', () => {
    const text = ['./a.ts', './src/b.ts', './src/.hidden', '/abs/ü/c', 'd']
      .map((file) => `${file.replaceAll('/', path.sep)}\0`)
      .join('');
    expect(readAll([Buffer.from(text)]).map(({ folder, name }) => `${folder}|${name}`)).toEqual([
      '|a.ts',
      'src|b.ts',
      'src|.hidden',
      `${path.join('/abs', 'ü')}|c`,
      '|d',
    ]);
  });

  it('are the same however the stream is cut', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '𝒳', '.', '\n'),
      minLength: 1,
      maxLength: 4,
    });
    const file = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(path.sep));
    fc.assert(
      fc.property(fc.array(file), fc.array(fc.nat()), (files, places) => {
        const bytes = Buffer.from(files.map((one) => `${one}\0`).join(''));
        const expected = files.map((one) => (one.startsWith(`.${path.sep}`) ? one.slice(2) : one));
        const found = readAll(cut(bytes, places));
        expect(found.map((one) => one.path)).toEqual(expected);
        for (const one of found)
          expect(one.folder === '' ? one.name : `${one.folder}${path.sep}${one.name}`).toBe(one.path);
      }),
    );
  });

  it('keep the same text for the folder while it stays the same', () => {
    const paths = new PathReader();
    paths.feed(Buffer.from('long/folder/a\0long/folder/b\0long/folder2/c\0'));
    const folders: string[] = [];
    while (paths.next()) folders.push(paths.folder);
    expect(folders).toEqual(['long/folder', 'long/folder', 'long/folder2']);
  });

  it('that never end are not collected', () => {
    const paths = new PathReader();
    for (let chunk = 0; chunk < 40; chunk++) {
      paths.feed(Buffer.alloc(65_536, 'x'));
      expect(paths.next()).toBe(false);
    }
    paths.feed(Buffer.from('\0ok\0'));
    expect(paths.next()).toBe(true);
    expect(paths.end - paths.start).toBeLessThan(1_100_000);
    expect(paths.next()).toBe(true);
    expect(paths.path()).toBe('ok');
  });
});
