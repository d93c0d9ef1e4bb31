import { describe, expect, it } from 'vitest';
import { RemoteFolder } from './remote-folder.ts';

describe('a path on the client is shown', () => {
  it.each([
    ['/w', '/w/a.ts', 'a.ts'],
    ['/w', '/w', '.'],
    ['/w', '/w/..name', '..name'],
    ['/w', '/w/...', '...'],
    ['/w', '/other', '/other'],
    ['/w', '/', '/'],
    ['C:\\w', 'C:\\w\\..name\\a', '..name\\a'],
    ['C:\\w', 'C:\\other', 'C:\\other'],
    ['C:\\w', 'D:\\w\\a', 'D:\\w\\a'],
    ['', '/a', '/a'],
  ])('in %s %s is %s', (root, absolute, shown) => {
    expect(new RemoteFolder(root).display(absolute)).toBe(shown);
  });
});
