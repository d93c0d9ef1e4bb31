import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasOtherNames, leadsOut, Workspace } from './workspace.ts';

let outside: string;
let root: string;
let workspace: Workspace;

beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-outside-')));
  root = join(outside, 'work');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.ts'), 'a');
  writeFileSync(join(outside, 'secret'), 's');
  workspace = new Workspace(root);
});

const isInside = async (path: string) => (await workspace.resolve(path)).isInside;

describe('a path', () => {
  it('inside is inside, whether it exists or not', async () => {
    expect(await workspace.resolve('src/a.ts')).toEqual({
      path: join(root, 'src/a.ts'),
      realPath: join(root, 'src/a.ts'),
      exists: true,
      isInside: true,
    });
    expect(await isInside('src/deep/er/new.ts')).toBe(true);
    expect(await isInside('.')).toBe(true);
  });

  it.each([
    '../secret',
    'src/../../secret',
    '/etc/passwd',
    '/proc/self/environ',
    '/dev/null',
    '../work-too/a',
  ])('outside is outside: %s', async (path) => {
    expect(await isInside(path)).toBe(false);
  });

  it('is judged by where its links lead, also for files that do not exist yet', async () => {
    symlinkSync(outside, join(root, 'door'));
    symlinkSync(join(outside, 'not-yet'), join(root, 'dangling'));
    symlinkSync('src', join(root, 'inner'));
    expect(await isInside('door/secret')).toBe(false);
    expect(await isInside('door/new')).toBe(false);
    expect(await isInside('dangling')).toBe(false);
    expect(await isInside('inner/a.ts')).toBe(true);
  });

  it('in a circle of links leads nowhere', async () => {
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    expect(await isInside('a')).toBe(false);
    expect(await isInside('a/file')).toBe(false);
  });

  it('is compared without case where the file system does not tell', () => {
    const folding = new Workspace(root, { isCaseFolding: true });
    expect(folding.contains(join(root.toUpperCase(), 'SRC'))).toBe(true);
    expect(workspace.contains(join(root.toUpperCase(), 'SRC'))).toBe(false);
  });

  it('is shown short inside and whole outside', () => {
    expect(workspace.display(join(root, 'src/a.ts'))).toBe('src/a.ts');
    expect(workspace.display(root)).toBe('.');
    expect(workspace.display('/etc/passwd')).toBe('/etc/passwd');
  });
});

it('a file with a second name elsewhere is known', async () => {
  expect(await hasOtherNames(join(root, 'src/a.ts'))).toBe(false);
  linkSync(join(root, 'src/a.ts'), join(outside, 'twin'));
  expect(await hasOtherNames(join(root, 'src/a.ts'))).toBe(true);
});

describe('a name that begins with two dots', () => {
  it('is inside where it stands', () => {
    const workspace = new Workspace('/');
    expect(workspace.display('/..name/a')).toBe('..name/a');
    expect(leadsOut('..name')).toBe(false);
    expect(['..', '../a', '/a'].map(leadsOut)).toEqual([true, true, true]);
  });
});
