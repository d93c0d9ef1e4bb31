import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitChanges } from './commit-changes.ts';
import { takeSnapshot } from './file-snapshot.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

const journal = () => {
  const folder = path.join(bench.stateFolder, 'edit-journal');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('a commit', () => {
  it('does nothing when one file changed while the call ran', async () => {
    const context = bench.context();
    bench.put('a', 'a');
    const file = bench.put('b', 'b');
    const changes = [
      { before: await takeSnapshot(context, 'a'), after: Buffer.from('A') },
      { before: await takeSnapshot(context, 'deep/new'), after: Buffer.from('n') },
      { before: await takeSnapshot(context, 'b'), after: Buffer.from('B') },
    ];
    writeFileSync(file, 'theirs');
    await expect(commitChanges(context, changes, { tool: 'test' })).rejects.toMatchObject({
      code: 'STALE_READ',
    });
    expect([bench.text('a'), bench.text('b')]).toEqual(['a', 'theirs']);
    expect(readdirSync(bench.root).sort()).toEqual(['a', 'b']);
    expect(journal()).toEqual([]);
  });

  it('never replaces a file that appeared meanwhile', async () => {
    const context = bench.context();
    const before = await takeSnapshot(context, 'new');
    bench.put('new', 'theirs');
    await expect(
      commitChanges(context, [{ before, after: Buffer.from('ours') }], { tool: 'test' }),
    ).rejects.toThrow('was changed by another program');
    expect(bench.text('new')).toBe('theirs');
  });

  it('puts back what it had changed when a later file fails', async () => {
    const context = bench.context();
    bench.put('a', 'a');
    bench.put('gone', 'g');
    const created = await takeSnapshot(context, 'created');
    const changes = [
      { before: await takeSnapshot(context, 'a'), after: Buffer.from('A') },
      { before: await takeSnapshot(context, 'gone'), after: undefined },
      { before: created, after: Buffer.from('c') },
      // The same new name a second time: switching it fails after everything before it is done.
      { before: created, after: Buffer.from('d') },
    ];
    await expect(commitChanges(context, changes, { tool: 'test' })).rejects.toMatchObject({ code: 'EEXIST' });
    expect([bench.text('a'), bench.text('gone')]).toEqual(['a', 'g']);
    expect(readdirSync(bench.root).sort()).toEqual(['a', 'gone']);
    expect(journal()).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('says who may not write, and leaves nothing behind', async () => {
    const context = bench.context();
    bench.put('folder/a', 'a');
    chmodSync(bench.path('folder'), 0o555);
    const change = { before: await takeSnapshot(context, 'folder/a'), after: Buffer.from('A') };
    await expect(commitChanges(context, [change], { tool: 'test' })).rejects.toMatchObject({
      code: 'EACCES',
    });
    chmodSync(bench.path('folder'), 0o755);
    expect(readdirSync(bench.path('folder'))).toEqual(['a']);
  });

  it('does nothing once the call is cancelled', async () => {
    const controller = new AbortController();
    const context = bench.context(controller.signal);
    bench.put('a', 'a');
    const change = { before: await takeSnapshot(context, 'a'), after: Buffer.from('A') };
    controller.abort();
    await expect(commitChanges(context, [change], { tool: 'test' })).rejects.toThrow();
    expect(bench.text('a')).toBe('a');
    expect(readdirSync(bench.root)).toEqual(['a']);
  });
});
