import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { deleteFile } from './delete-file.ts';
import { ToolBench } from './fixtures/tool-bench.ts';
import { reapply } from './reapply.ts';
import { searchReplace } from './search-replace.ts';
import { write } from './write.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

const undo = (name: string) => ({ path: name, action: 'undo' });

describe('undo', () => {
  it('restores the bytes of any edit, step by step, and redo makes them again', async () => {
    const bytesArb = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    const textArb = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r\n', '😀'), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.option(bytesArb),
        fc.array(textArb, { minLength: 1, maxLength: 4 }),
        async (first, texts) => {
          bench.dispose();
          bench = new ToolBench();
          if (first !== null) bench.put('a', first);
          const states: (Buffer | undefined)[] = [first ?? undefined];
          for (const contents of texts) {
            await bench.succeed(write, { path: 'a', contents });
            const now = bench.bytes('a');
            if (states.at(-1)?.equals(now) !== true) states.push(now);
          }
          bench.restart();
          const now = () => (existsSync(bench.path('a')) ? bench.bytes('a') : undefined);
          for (const state of states.slice(0, -1).reverse()) {
            await bench.succeed(reapply, undo('a'));
            expect(now()).toEqual(state);
          }
          expect((await bench.fail(reapply, undo('a'))).code).toBe('NO_MATCH');
          for (const state of states.slice(1)) {
            await bench.succeed(reapply, { path: 'a' });
            expect(now()).toEqual(state);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('brings a deleted file back with its mode', async () => {
    chmodSync(bench.put('a.sh', 'x'), 0o755);
    await bench.succeed(deleteFile, { path: 'a.sh' });
    expect(existsSync(bench.path('a.sh'))).toBe(false);
    await bench.succeed(reapply, undo('a.sh'));
    expect(bench.text('a.sh')).toBe('x');
    expect(statSync(bench.path('a.sh')).mode & 0o777).toBe(0o755);
  });

  it('takes a whole call back by its id', async () => {
    bench.put('a', 'a\n');
    bench.put('b', 'b\n');
    const context = bench.context();
    const patch =
      '*** Begin Patch\n*** Update File: a\n@@\n-a\n+A\n*** Delete File: b\n*** Add File: c\n+c\n*** End Patch';
    await bench.succeed(applyPatch, patch, context);
    const touches = await bench.touches(reapply, { call_id: context.callId, action: 'undo' });
    expect(new Set(touches.map((touch) => touch.type === 'path' && touch.path))).toEqual(
      new Set(['a', 'b', 'c'].map((name) => bench.path(name))),
    );
    await bench.succeed(reapply, { call_id: context.callId, action: 'undo' });
    expect([bench.text('a'), bench.text('b'), existsSync(bench.path('c'))]).toEqual(['a\n', 'b\n', false]);
    await bench.succeed(reapply, { call_id: context.callId });
    expect([bench.text('a'), existsSync(bench.path('b')), bench.text('c')]).toEqual(['A\n', false, 'c\n']);
  });

  it('refuses when the file has changed since', async () => {
    const file = bench.put('a', 'one');
    await bench.succeed(write, { path: 'a', contents: 'two' });
    writeFileSync(file, 'theirs');
    expect((await bench.fail(reapply, undo('a'))).code).toBe('STALE_READ');
    expect(bench.text('a')).toBe('theirs');
  });

  it('says when there is nothing to undo', async () => {
    bench.put('a', 'one');
    expect((await bench.fail(reapply, undo('a'))).message).toContain('only edits made by this runtime');
    expect((await bench.fail(reapply, {})).code).toBe('EINVAL');
  });

  it('shows beforehand what it will do', async () => {
    bench.put('a', 'one\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'one', new_string: 'two' });
    const args = reapply.args.parse(undo('a'));
    expect(await reapply.preview?.(args, bench.context())).toContain('-two\n+one');
    expect(bench.text('a')).toBe('two\n');
  });

  it('leaves other files of the journal alone', async () => {
    await bench.succeed(write, { path: 'a', contents: 'a' });
    await bench.succeed(write, { path: 'b', contents: 'b' });
    await bench.succeed(reapply, undo('a'));
    expect([existsSync(bench.path('a')), bench.text('b')]).toEqual([false, 'b']);
  });
});

describe('reapply', () => {
  it('makes a lost edit again', async () => {
    const file = bench.put('a', 'one\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'one', new_string: 'two' });
    writeFileSync(file, 'one\n');
    const outcome = await bench.succeed(reapply, { target_file: 'a' });
    expect(bench.text('a')).toBe('two\n');
    expect(outcome.data).toMatchObject({ is_applied: true });
  });

  it('carries an edit over to a file that has changed elsewhere', async () => {
    const file = bench.put('a', 'one\ntwo\nthree\nfour\nfive\nsix\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'five', new_string: '5' });
    writeFileSync(file, 'zero\none\ntwo\nthree\nfour\nfive\nsix\n');
    await bench.succeed(reapply, { path: 'a' });
    expect(bench.text('a')).toBe('zero\none\ntwo\nthree\nfour\n5\nsix\n');
    await bench.succeed(reapply, undo('a'));
    expect(bench.text('a')).toBe('zero\none\ntwo\nthree\nfour\nfive\nsix\n');
  });

  it('does nothing when the edit is in place', async () => {
    await bench.succeed(write, { path: 'a', contents: 'x' });
    expect((await bench.succeed(reapply, { path: 'a' })).content).toContain('is in place; nothing to do');
  });

  it('refuses where the edit no longer fits', async () => {
    const file = bench.put('a', 'one\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'one', new_string: 'two' });
    writeFileSync(file, 'entirely different\n');
    expect((await bench.fail(reapply, { path: 'a' })).code).toBe('NO_MATCH');
  });
});

describe('the journal', () => {
  it('is bounded', async () => {
    for (let number = 0; number < 210; number++)
      await bench.succeed(write, { path: 'a', contents: `${number}` });
    expect(readdirSync(path.join(bench.stateFolder, 'edit-journal'))).toHaveLength(200);
  });

  it('does not keep what is too large, and the edit says so', async () => {
    const text = 'x'.repeat(17 * 1024 * 1024);
    bench.put('a', text);
    const outcome = await bench.succeed(write, { path: 'a', contents: `${text}y` });
    expect(outcome.content).toContain('cannot be undone');
  });
});
