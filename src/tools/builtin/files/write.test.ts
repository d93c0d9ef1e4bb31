import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolBench } from './fixtures/tool-bench.ts';
import { readFile } from './read-file.ts';
import { write } from './write.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

describe('write', () => {
  it('creates a file and its folders', async () => {
    const outcome = await bench.succeed(write, { path: 'src/deep/a.ts', contents: 'one\ntwo\n' });
    expect(bench.text('src/deep/a.ts')).toBe('one\ntwo\n');
    expect(outcome.content).toMatch(/^Created src\/deep\/a\.ts \(2 lines, 8 bytes\)\./);
    expect(outcome.attachments).toMatchObject({
      file_path: bench.path('src/deep/a.ts'),
      line_count: 2,
      size_bytes: 8,
    });
    expect(outcome.data).toMatchObject({ files: [{ file_was_created: true }] });
    expect(readdirSync(bench.path('src/deep'))).toEqual(['a.ts']);
  });

  it.each([
    ['Write', { path: 'a', contents: 'x' }],
    ['another agent', { file_path: 'a', content: 'x' }],
    ['the wire', { relativeWorkspacePath: 'a', contentsAfterEdit: 'x' }],
    ['a whole-file write of agent.v1', { path: 'a', file_text: 'x' }],
  ])('takes the spelling of %s', async (_name, args) => {
    await bench.succeed(write, args);
    expect(bench.text('a')).toBe('x');
  });

  it('shows models only the canonical names', () => {
    const schema = z.toJSONSchema(write.args, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual(['path', 'contents']);
  });

  it('keeps mode, mark, encoding and line endings of the file it replaces', async () => {
    chmodSync(bench.put('a', '\ufeffold\r\nlines\r\n'), 0o700);
    const outcome = await bench.succeed(write, { path: 'a', contents: 'new\nlines\n' });
    expect(bench.text('a')).toBe('\ufeffnew\r\nlines\r\n');
    expect(statSync(bench.path('a')).mode & 0o777).toBe(0o700);
    expect(outcome.content).toContain('keeps its CRLF line endings');
  });

  it('takes a text with line endings of its own as it is', async () => {
    bench.put('a', 'old\r\n');
    await bench.succeed(write, { path: 'a', contents: 'x\r\ny\n' });
    expect(bench.text('a')).toBe('x\r\ny\n');
  });

  it('turns Latin-1 into UTF-8 when it must, and says so', async () => {
    bench.put('a', Buffer.from('zwölf', 'latin1'));
    const outcome = await bench.succeed(write, { path: 'a', contents: '→' });
    expect(bench.text('a')).toBe('→');
    expect(outcome.content).toContain('it is UTF-8 now');
  });

  it('writes nothing when nothing changes', async () => {
    bench.put('a', 'x');
    const before = statSync(bench.path('a')).ino;
    expect((await bench.succeed(write, { path: 'a', contents: 'x' })).content).toContain(
      'nothing was written',
    );
    expect(statSync(bench.path('a')).ino).toBe(before);
  });

  it('refuses folders and paths below files', async () => {
    bench.put('a', 'x');
    mkdirSync(bench.path('folder'));
    expect((await bench.fail(write, { path: 'folder', contents: '' })).code).toBe('EISDIR');
    expect((await bench.fail(write, { path: 'a/b', contents: '' })).code).toBe('ENOTDIR');
    expect(await bench.fail(write, { path: 'a\0b', contents: '' })).toMatchObject({ code: 'EINVAL' });
  });

  it('refuses to overwrite what changed since it was read', async () => {
    const file = bench.put('a', 'one');
    await bench.succeed(readFile, { path: 'a' });
    writeFileSync(file, 'theirs');
    expect((await bench.fail(write, { path: 'a', contents: 'ours' })).code).toBe('STALE_READ');
    expect(bench.text('a')).toBe('theirs');
  });
});

describe('write and the workspace border', () => {
  it('refuses a dangling link to the outside', async () => {
    symlinkSync(path.join(bench.outside, 'new'), bench.path('link'));
    expect((await bench.fail(write, { path: 'link', contents: 'x' })).code).toBe('DENIED');
    expect(existsSync(path.join(bench.outside, 'new'))).toBe(false);
  });

  it('writes outside only what the call had named', async () => {
    const args = { path: path.join(bench.outside, 'new'), contents: 'x' };
    expect(await bench.callUnasked(write, args)).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(await bench.call(write, args)).toMatchObject({ ok: true });
  });

  it('refuses a folder that became a link after the call was judged', async () => {
    mkdirSync(bench.path('folder'));
    const context = bench.context();
    const args = write.args.parse({ path: 'folder/a', contents: 'x' });
    await write.touches(args, context);
    rmSync(bench.path('folder'), { recursive: true });
    symlinkSync(bench.outside, bench.path('folder'));
    expect(await write.run(args, context)).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(readdirSync(bench.outside)).toEqual([]);
  });

  it('never lands outside while another program swaps the folder for a link', async () => {
    const folder = bench.path('folder');
    // Either side may find the other's work in its way; only where the files end up matters.
    const replaceFolder = (make: () => void) => {
      try {
        rmSync(folder, { recursive: true, force: true });
        make();
      } catch {}
    };
    let isDone = false;
    const swapping = (async () => {
      while (!isDone) {
        replaceFolder(() => symlinkSync(bench.outside, folder));
        await new Promise(setImmediate);
        replaceFolder(() => mkdirSync(folder));
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < 150; round++)
      await bench.call(write, { path: `folder/${round % 3}`, contents: `${round}` });
    isDone = true;
    await swapping;
    expect(readdirSync(bench.outside)).toEqual([]);
  });

  it('keeps the journal to itself', async () => {
    bench.put('a', 'secret');
    await bench.succeed(write, { path: 'a', contents: 'other' });
    const [entry] = readdirSync(path.join(bench.stateFolder, 'edit-journal'));
    const folder = path.join(bench.stateFolder, 'edit-journal', entry ?? '');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder))
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(folder, '0.before'), 'utf8')).toBe('secret');
  });
});
