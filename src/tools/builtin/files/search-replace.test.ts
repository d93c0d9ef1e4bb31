import { chmodSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolBench } from './fixtures/tool-bench.ts';
import { readFile } from './read-file.ts';
import { searchReplace } from './search-replace.ts';
import { encodeText, type TextForm } from './text-form.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

describe('search_replace', () => {
  it('replaces a unique text and shows the diff', async () => {
    const file = bench.put('a.ts', 'const a = 1;\nconst b = 2;\n');
    const outcome = await bench.succeed(searchReplace, {
      path: 'a.ts',
      old_string: 'b = 2',
      new_string: 'b = 3',
    });
    expect(bench.text('a.ts')).toBe('const a = 1;\nconst b = 3;\n');
    expect(outcome.content).toBe(
      'Successfully edited 1 location in a.ts.\n\n--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;',
    );
    expect(outcome.attachments).toMatchObject({
      file_path: file,
      edits_applied: 1,
      lines_added: 1,
      lines_removed: 1,
    });
    expect(outcome.data).toMatchObject({
      files: [
        {
          contents_before_edit: 'const a = 1;\nconst b = 2;\n',
          contents_after_edit: bench.text('a.ts'),
          eol_sequence: '\n',
        },
      ],
    });
  });

  it.each([
    ['StrReplace', { path: 'a', old_string: 'x', new_string: 'y' }],
    ['search_replace of 2025', { file_path: 'a', old_string: 'x', new_string: 'y' }],
    ['the edit list of the client', { path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] }],
    [
      'MultiEdit',
      {
        file_path: 'a',
        edits: [
          { old_string: 'x', new_string: 'z' },
          { old_string: 'z', new_string: 'y' },
        ],
      },
    ],
    ['MultiEdit as text', { file_path: 'a', edits: '[{"old_string":"x","new_string":"y"}]' }],
    [
      'the V1 wire',
      { relativeWorkspacePath: 'a', oldString: 'x', newString: 'y', allowMultipleMatches: 'true' },
    ],
    ['an editor', { path: 'a', old_str: 'x', new_str: 'y', replace_all: null }],
  ])('takes the spelling of %s', async (_name, args) => {
    bench.put('a', 'x');
    await bench.succeed(searchReplace, args);
    expect(bench.text('a')).toBe('y');
  });

  it('shows models only the canonical names', () => {
    const schema = z.toJSONSchema(searchReplace.args, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual([
      'path',
      'old_string',
      'new_string',
      'replace_all',
      'edits',
    ]);
  });

  it('refuses arguments without a replacement', () => {
    const parsed = searchReplace.args.safeParse({ path: 'a', old_string: 'x' });
    expect(parsed.error?.issues[0]?.message).toBe('new_string is missing (or give "edits").');
  });

  it('refuses a text that occurs more than once and names the lines', async () => {
    bench.put('a', 'x\ny\nx\n');
    expect(await bench.fail(searchReplace, { path: 'a', old_string: 'x', new_string: 'z' })).toEqual({
      code: 'MANY_MATCHES',
      message:
        'old_string occurs 2 times in a, at lines 1, 3. Add surrounding lines until it is unique, or set replace_all to change every one.',
    });
    const all = await bench.succeed(searchReplace, {
      path: 'a',
      old_string: 'x',
      new_string: 'z',
      replace_all: true,
    });
    expect(bench.text('a')).toBe('z\ny\nz\n');
    expect(all.attachments?.edits_applied).toBe(2);
  });

  it('refuses what changes nothing', async () => {
    bench.put('a', 'x');
    expect((await bench.fail(searchReplace, { path: 'a', old_string: 'x', new_string: 'x' })).code).toBe(
      'EINVAL',
    );
    expect((await bench.fail(searchReplace, { path: 'a', old_string: '', new_string: 'y' })).code).toBe(
      'EINVAL',
    );
  });

  it('creates a file from an empty old_string, with its folders', async () => {
    await bench.succeed(searchReplace, { path: 'deep/er/a', old_string: '', new_string: 'new' });
    expect(bench.text('deep/er/a')).toBe('new');
  });

  it('names a near file when the file is missing', async () => {
    bench.put('main.ts', '');
    const error = await bench.fail(searchReplace, { path: 'mian.ts', old_string: 'x', new_string: 'y' });
    expect(error.message).toContain('Did you mean main.ts?');
  });

  it('gives the mode back to the file', async () => {
    chmodSync(bench.put('run.sh', 'echo a\n'), 0o751);
    await bench.succeed(searchReplace, { path: 'run.sh', old_string: 'a', new_string: 'b' });
    expect(statSync(bench.path('run.sh')).mode & 0o777).toBe(0o751);
  });

  it('previews the diff without writing', async () => {
    bench.put('a', 'x\n');
    const args = searchReplace.args.parse({ path: 'a', old_string: 'x', new_string: 'y' });
    expect(await searchReplace.preview?.(args, bench.context())).toContain('-x\n+y');
    const wrong = searchReplace.args.parse({ path: 'a', old_string: 'q', new_string: 'y' });
    expect(await searchReplace.preview?.(wrong, bench.context())).toContain(
      'This call will fail: old_string was not found',
    );
    expect(bench.text('a')).toBe('x\n');
  });
});

describe('a text that is not found', () => {
  it.each([
    ['white space', '\tif (a) {\n\t\tgo();\n\t}\n', 'if (a) {\n    go();\n}', 'differs only in white space'],
    ['tabs', '\tgo();\n', '    go();', '  file:       →go();\n  old_string: ····go();'],
    [
      'a similar line',
      'one\nconst total = sum(items);\nthree\n',
      'const total = sum(item);',
      '     2|const total = sum(items);',
    ],
    ['line numbers', 'one\ntwo\n', '     1|one\n     2|two', 'begins its lines with line numbers'],
    ['escapes', 'say("hi")\n', 'say(\\"hi\\")', 'with its escapes'],
    ['nothing', 'one\n', 'completely different thing', 'Nothing like it is there'],
  ])('is explained: %s', async (_name, text, wanted, message) => {
    bench.put('a', text);
    const error = await bench.fail(searchReplace, { path: 'a', old_string: wanted, new_string: 'n' });
    expect(error.code).toBe('NO_MATCH');
    expect(error.message).toContain(message);
  });

  it('is explained in a large file too', async () => {
    bench.put(
      'a',
      Array.from({ length: 60_000 }, (_, at) => `const value${at} = compute(${at * 7});`).join('\n'),
    );
    const old_string = 'const valueX = compute(1);\nconst value40001 = compute(280007);';
    const error = await bench.fail(searchReplace, { path: 'a', old_string, new_string: 'n' });
    expect(error.message).toContain(' 40001|const value40000 = compute(280000);');
  });
});

describe('stale reads', () => {
  it('refuse an edit until the file is read again', async () => {
    const file = bench.put('a', 'one\n');
    await bench.succeed(readFile, { path: 'a' });
    writeFileSync(file, 'one\ntwo\n');
    const edit = { path: 'a', old_string: 'one', new_string: '1' };
    const error = await bench.fail(searchReplace, edit);
    expect(error.code).toBe('STALE_READ');
    expect(error.message).toContain('Read it again');
    await bench.succeed(readFile, { path: 'a' });
    await bench.succeed(searchReplace, edit);
    expect(bench.text('a')).toBe('1\ntwo\n');
  });

  it('are not seen in a file that was only touched, nor in our own edits, nor in unread files', async () => {
    const file = bench.put('a', 'one\n');
    await bench.succeed(readFile, { path: 'a' });
    writeFileSync(file, 'one\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'one', new_string: 'two' });
    await bench.succeed(searchReplace, { path: 'a', old_string: 'two', new_string: 'three' });
    bench.restart();
    writeFileSync(file, 'four\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'four', new_string: 'five' });
    expect(bench.text('a')).toBe('five\n');
  });
});

describe('links', () => {
  it('inside the workspace are followed and stay links', async () => {
    bench.put('real', 'x');
    symlinkSync('real', bench.path('link'));
    await bench.succeed(searchReplace, { path: 'link', old_string: 'x', new_string: 'y' });
    expect(bench.text('real')).toBe('y');
    expect(readFileSync(bench.path('link'), 'utf8')).toBe('y');
  });

  it('out of the workspace are never written through, even when the call named them', async () => {
    const secret = path.join(bench.outside, 'secret');
    writeFileSync(secret, 'x');
    symlinkSync(secret, bench.path('link'));
    symlinkSync(bench.outside, bench.path('folder'));
    for (const name of ['link', 'folder/secret', 'folder/new']) {
      const error = await bench.fail(searchReplace, {
        path: name,
        old_string: name.endsWith('new') ? '' : 'x',
        new_string: 'y',
      });
      expect(error.code).toBe('DENIED');
    }
    expect(readFileSync(secret, 'utf8')).toBe('x');
  });

  it('with hard names elsewhere are replaced, so that those keep their content', async () => {
    const other = path.join(bench.outside, 'other');
    writeFileSync(other, 'x');
    linkSync(other, bench.path('a'));
    const outcome = await bench.succeed(searchReplace, { path: 'a', old_string: 'x', new_string: 'y' });
    expect(readFileSync(other, 'utf8')).toBe('x');
    expect(bench.text('a')).toBe('y');
    expect(outcome.content).toContain('had other hard links; those keep the old content');
  });
});

const FORMS: readonly TextForm[] = [
  { encoding: 'utf-8', hasMark: false },
  { encoding: 'utf-8', hasMark: true },
  { encoding: 'utf-16le', hasMark: true },
  { encoding: 'utf-16be', hasMark: true },
  { encoding: 'latin-1', hasMark: false },
];

describe('what an edit does not touch', () => {
  it('keeps its bytes, whatever the encoding and the line endings', async () => {
    const lineArb = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'é', 'ÿ', ' '), maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
    );
    const textArb = fc
      .array(lineArb, { minLength: 1, maxLength: 8 })
      .map((lines) => lines.map((line) => line.join('')).join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FORMS),
        textArb,
        textArb,
        fc.constantFrom('\n', '\r\n'),
        async (form, head, tail, ending) => {
          // An é makes sure that Latin-1 is no valid UTF-8.
          const stored = (middle: string) => encodeText(`é${head}${middle}${tail}é`, form);
          bench.put('a', stored(`OLD${ending}KEEP`));
          bench.restart();
          await bench.succeed(searchReplace, { path: 'a', old_string: 'OLD\nKEEP', new_string: 'NEW\nKEEP' });
          expect(bench.bytes('a')).toEqual(stored(`NEW${ending}KEEP`));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lends its line ending to what is put in', async () => {
    bench.put('a', 'one\r\ntwo\r\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'one\ntwo', new_string: 'one\n1.5\ntwo' });
    expect(bench.text('a')).toBe('one\r\n1.5\r\ntwo\r\n');
  });

  it('keeps mixed line endings inside a match too', async () => {
    bench.put('a', 'a\r\nb\nc\nd\r\n');
    await bench.succeed(searchReplace, { path: 'a', old_string: 'a\nb\nc\nd', new_string: 'a\nb\nC\nd' });
    expect(bench.text('a')).toBe('a\r\nb\nC\nd\r\n');
  });

  it('refuses a character that its encoding does not have', async () => {
    bench.put('a', Buffer.from('zwölf', 'latin1'));
    const error = await bench.fail(searchReplace, { path: 'a', old_string: 'zw', new_string: '→' });
    expect(error.message).toContain('Latin-1, which has no "→" (U+2192)');
    expect(bench.bytes('a')).toEqual(Buffer.from('zwölf', 'latin1'));
  });
});

describe('several edits', () => {
  it('happen all or none', async () => {
    const wordArb = fc.constantFrom('a', 'b', 'c', 'ab', 'zz');
    const editArb = fc.record({ old_string: wordArb, new_string: wordArb, replace_all: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), minLength: 1, maxLength: 12 }),
        fc.array(editArb, { minLength: 1, maxLength: 5 }),
        async (text, edits) => {
          bench.put('a', text);
          bench.restart();
          const outcome = await bench.call(searchReplace, { path: 'a', edits });
          const expected = edits.reduce<string | undefined>((current, edit) => {
            if (current === undefined || edit.old_string === edit.new_string) return undefined;
            const count = current.split(edit.old_string).length - 1;
            if (count === 0 || (count > 1 && !edit.replace_all)) return undefined;
            return current.replaceAll(edit.old_string, edit.new_string);
          }, text);
          const isChange = expected !== undefined && expected !== text;
          expect(outcome.ok).toBe(isChange);
          expect(bench.text('a')).toBe(isChange ? expected : text);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('say which one failed', async () => {
    bench.put('a', 'x');
    const edits = [
      { old_string: 'x', new_string: 'y' },
      { old_string: 'q', new_string: 'r' },
    ];
    const error = await bench.fail(searchReplace, { path: 'a', edits });
    expect(error.message).toContain('Edit 2 of 2 failed, so none was applied.');
    expect(bench.text('a')).toBe('x');
  });
});
