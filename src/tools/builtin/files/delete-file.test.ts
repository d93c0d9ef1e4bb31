import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteFile } from './delete-file.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

describe('delete_file', () => {
  it.each([['path'], ['target_file'], ['relative_workspace_path']])(
    'deletes the file named by %s',
    async (key) => {
      bench.put('a', 'content');
      const outcome = await bench.succeed(deleteFile, { [key]: 'a', explanation: 'old' });
      expect(existsSync(bench.path('a'))).toBe(false);
      expect(outcome.data).toEqual({
        file_deleted_successfully: true,
        path: bench.path('a'),
        file_size: 7,
        prev_content: 'content',
      });
    },
  );

  it('fails softly when there is no such file', async () => {
    const outcome = await bench.call(deleteFile, { path: 'a' });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
      data: { file_non_existent: true },
    });
  });

  it('refuses folders', async () => {
    mkdirSync(bench.path('folder'));
    expect((await bench.fail(deleteFile, { path: 'folder' })).code).toBe('EISDIR');
    expect((await bench.fail(deleteFile, { path: '.' })).code).toBe('EISDIR');
  });

  it('removes a link and not what it points to', async () => {
    const secret = path.join(bench.outside, 'secret');
    writeFileSync(secret, 'x');
    symlinkSync(secret, bench.path('link'));
    expect(await bench.touches(deleteFile, { path: 'link' })).toEqual([
      { type: 'path', path: bench.path('link'), access: 'read' },
      { type: 'path', path: bench.path('link'), access: 'delete' },
    ]);
    await bench.succeed(deleteFile, { path: 'link' });
    expect([existsSync(bench.path('link')), existsSync(secret)]).toEqual([false, true]);
  });

  it('does not reach out of the workspace through a linked folder', async () => {
    const secret = path.join(bench.outside, 'secret');
    writeFileSync(secret, 'x');
    symlinkSync(bench.outside, bench.path('folder'));
    expect((await bench.fail(deleteFile, { path: 'folder/secret' })).code).toBe('DENIED');
    expect(await bench.callUnasked(deleteFile, { path: secret })).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    });
    expect(existsSync(secret)).toBe(true);
  });
});
