import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFile, withFolder } from './anchored-folder.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
  mkdirSync(path.join(bench.outside, 'sub'));
  symlinkSync(bench.outside, bench.path('link'));
});
afterEach(() => bench.dispose());

describe('an anchored folder', () => {
  it('is refused when its path goes through a link', async () => {
    await expect(withFolder(bench.path('link/sub'), async () => 'used')).rejects.toMatchObject({
      code: 'DENIED',
    });
  });

  it('is refused when it is a link itself', async () => {
    await expect(withFolder(bench.path('link'), async () => 'used')).rejects.toThrow();
  });

  it.runIf(process.platform === 'linux')('stays the same folder when its path is taken over', async () => {
    mkdirSync(bench.path('folder'));
    await withFolder(bench.path('folder'), async (at) => {
      renameSync(bench.path('folder'), bench.path('moved'));
      symlinkSync(bench.outside, bench.path('folder'));
      await writeFile(at('a'), 'x');
    });
    expect(await readFile(bench.path('moved/a'), 'utf8')).toBe('x');
  });

  it('opens files and not links to files', async () => {
    writeFileSync(path.join(bench.outside, 'secret'), 'x');
    symlinkSync(path.join(bench.outside, 'secret'), bench.path('secret'));
    await expect(openFile(bench.path('secret'))).rejects.toMatchObject({ code: 'ELOOP' });
    const file = await openFile(bench.put('plain', 'y'));
    expect(await file.readFile('utf8')).toBe('y');
    await file.close();
  });
});
