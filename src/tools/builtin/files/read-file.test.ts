import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolBench } from './fixtures/tool-bench.ts';
import { readFile } from './read-file.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('read_file', () => {
  it('numbers lines as right-aligned number, bar, text', async () => {
    bench.put('a.txt', 'one\ntwo\n');
    const outcome = await bench.succeed(readFile, { path: 'a.txt' });
    expect(outcome.content).toBe('     1|one\n     2|two');
    expect(outcome.attachments).toEqual({ file_path: bench.path('a.txt'), line_count: 2, size_bytes: 8 });
    expect(outcome.data).toMatchObject({ contents: 'one\ntwo\n', total_lines_in_file: 2, truncated: false });
  });

  it.each([
    ['2026', { path: 'a.txt', offset: 2, limit: 2 }],
    ['2025', { target_file: 'a.txt', offset: '2', limit: '2' }],
    [
      'V1',
      {
        target_file: 'a.txt',
        should_read_entire_file: false,
        start_line_one_indexed: 2,
        end_line_one_indexed_inclusive: 3,
        explanation: 'why',
      },
    ],
    [
      'wire camelCase',
      { relativeWorkspacePath: 'a.txt', startLineOneIndexed: 2, endLineOneIndexedInclusive: 3 },
    ],
    ['seed', { path: 'a.txt', start_line: 2, end_line: 3 }],
    ['from the end', { file_path: 'a.txt', offset: -3, limit: 2, chars_limit: null }],
  ])('takes the range of the %s spelling', async (_era, args) => {
    bench.put('a.txt', '1\n2\n3\n4\n');
    expect((await bench.succeed(readFile, args)).content).toMatch(/^ {5}2\|2\n {5}3\|3\n/);
  });

  it('takes a limit of 0 for none', async () => {
    bench.put('a.txt', '1\n2\n');
    const outcome = await bench.succeed(readFile, {
      targetFile: 'a.txt',
      offset: 0,
      limit: 0,
      charsLimit: 0,
    });
    expect(outcome.content).toBe('     1|1\n     2|2');
  });

  it('takes a file address as path', async () => {
    const file = bench.put('a b.txt', 'x');
    const address = `file://${file.replace(' ', '%20')}`;
    expect((await bench.succeed(readFile, { effective_uri: address })).content).toBe('     1|x');
  });

  it('shows models only the canonical names', () => {
    const schema = z.toJSONSchema(readFile.args, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual([
      'path',
      'offset',
      'limit',
      'chars_limit',
      'line_numbers',
    ]);
    expect(schema.required).toEqual(['path']);
  });

  it('says that an empty file is empty', async () => {
    bench.put('a.txt', '');
    expect((await bench.succeed(readFile, { path: 'a.txt' })).content).toBe('File is empty.');
  });

  it('stops at 2000 lines and names the next offset', async () => {
    bench.put('a.txt', Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}`).join('\n'));
    const { content } = await bench.succeed(readFile, { path: 'a.txt' });
    expect(content).toContain('  2000|line 2000\n\n[Lines 1-2000 of 2500; go on with offset 2001.]');
    const rest = await bench.succeed(readFile, { path: 'a.txt', offset: 2001 });
    expect(rest.content).toMatch(/^ {2}2001\|line 2001\n.*line 2500$/s);
  });

  it('stops at the character limit between lines', async () => {
    bench.put('a.txt', `${'x'.repeat(50)}\n`.repeat(10));
    const { content } = await bench.succeed(readFile, { path: 'a.txt', chars_limit: 130 });
    expect(content).toContain('[Lines 1-2 of 10; go on with offset 3.]');
  });

  it('cuts long lines and says so', async () => {
    bench.put('a.txt', `${'x'.repeat(5_000)}\nshort\n`);
    const { content } = await bench.succeed(readFile, { path: 'a.txt' });
    expect(content).toContain('… [3000 characters of this line left out]\n     2|short');
    expect(content).toContain('1 long lines were cut');
  });

  it('refuses an offset past the end with the number of lines', async () => {
    bench.put('a.txt', 'one\n');
    expect(await bench.fail(readFile, { path: 'a.txt', offset: 9 })).toEqual({
      code: 'EINVAL',
      message:
        'offset 9 is past the end of a.txt, which has 1 lines. Use an offset from 1 to 1, or a negative one to count from the end.',
    });
  });

  it('names the nearest file when there is none of that name', async () => {
    bench.put('src/index.ts', '');
    const error = await bench.fail(readFile, { path: 'src/indx.ts' });
    expect(error).toEqual({
      code: 'ENOENT',
      message: 'src/indx.ts does not exist. Did you mean src/index.ts?',
    });
  });

  it('refuses folders, pipes and devices', async () => {
    mkdirSync(bench.path('folder'));
    expect((await bench.fail(readFile, { path: 'folder' })).code).toBe('EISDIR');
    execFileSync('mkfifo', [bench.path('pipe')]);
    expect((await bench.fail(readFile, { path: 'pipe' })).code).toBe('EINVAL');
    expect((await bench.fail(readFile, { path: '/dev/zero' })).code).toBe('DENIED');
    expect((await bench.fail(readFile, { path: '/proc/self/environ' })).code).toBe('DENIED');
  });

  it('refuses a link to itself', async () => {
    symlinkSync('loop', bench.path('loop'));
    expect((await bench.fail(readFile, { path: 'loop' })).message).toContain('leads back to itself');
  });

  it.each([
    ['UTF-16 LE', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('zwölf\n', 'utf16le')]), 'utf-16le'],
    [
      'UTF-16 BE',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('zwölf\n', 'utf16le').swap16()]),
      'utf-16be',
    ],
    ['Latin-1', Buffer.from('zwölf\n', 'latin1'), 'latin-1'],
  ])('reads %s and says what it is', async (_name, bytes, encoding) => {
    bench.put('a.txt', bytes);
    expect((await bench.succeed(readFile, { path: 'a.txt' })).content).toBe(
      `     1|zwölf\n\n[Stored as ${encoding}.]`,
    );
  });

  it('shows neither byte order mark nor carriage returns', async () => {
    bench.put('a.txt', '\ufeffone\r\ntwo\r\n');
    const { content, data } = await bench.succeed(readFile, { path: 'a.txt' });
    expect(content).toBe('     1|one\n     2|two');
    expect(data).toMatchObject({ contents: 'one\r\ntwo\r\n', line_ending: 'CRLF' });
  });

  it('refuses binary content', async () => {
    bench.put('a.bin', Buffer.from([1, 2, 0, 3]));
    expect(await bench.fail(readFile, { path: 'a.bin' })).toMatchObject({ code: 'BINARY' });
  });

  it('attaches pictures, by content and not by name', async () => {
    bench.put('picture.txt', PNG);
    const outcome = await bench.succeed(readFile, { path: 'picture.txt' });
    expect(outcome.parts).toEqual([
      { type: 'image', source: { type: 'base64', data: PNG.toString('base64'), mediaType: 'image/png' } },
    ]);
  });

  it('refuses pictures that models do not take', async () => {
    bench.put('big.png', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
    expect((await bench.fail(readFile, { path: 'big.png' })).code).toBe('EFBIG');
  });

  it('attaches PDF documents and says that their text was not extracted', async () => {
    bench.put('a.pdf', '%PDF-1.4\n%…');
    const outcome = await bench.succeed(readFile, { path: 'a.pdf' });
    expect(outcome.parts).toMatchObject([
      { type: 'file', filename: 'a.pdf', source: { mediaType: 'application/pdf' } },
    ]);
    expect(outcome.content).toContain('not extracted');
  });

  it('is cancelled by its signal', async () => {
    bench.put('a.txt', 'x');
    const context = bench.context(AbortSignal.abort());
    expect((await bench.fail(readFile, { path: 'a.txt' }, context)).code).toBe('ECANCELED');
  });
});

describe('read_file and the workspace border', () => {
  it('names the path and where it really leads', async () => {
    writeFileSync(path.join(bench.outside, 'secret'), 'x');
    symlinkSync(path.join(bench.outside, 'secret'), bench.path('link'));
    expect(await bench.touches(readFile, { path: 'link' })).toEqual([
      { type: 'path', path: bench.path('link'), access: 'read' },
      { type: 'path', path: path.join(bench.outside, 'secret'), access: 'read' },
    ]);
  });

  it('reads outside only what the call had named', async () => {
    writeFileSync(path.join(bench.outside, 'secret'), 'x');
    const args = { path: path.join(bench.outside, 'secret') };
    expect((await bench.callUnasked(readFile, args)).ok).toBe(false);
    expect((await bench.call(readFile, args)).ok).toBe(true);
  });

  it('refuses a file that became a link after the call was judged', async () => {
    writeFileSync(path.join(bench.outside, 'secret'), 'top secret');
    const context = bench.context();
    const args = readFile.args.parse({ path: 'notes.txt' });
    await readFile.touches(args, context);
    symlinkSync(path.join(bench.outside, 'secret'), bench.path('notes.txt'));
    const outcome = await readFile.run(args, context);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(JSON.stringify(outcome)).not.toContain('top secret');
  });

  it('refuses another file of the workspace than the one that was judged', async () => {
    bench.put('.env', 'KEY=secret');
    const context = bench.context();
    const args = readFile.args.parse({ path: 'notes.txt' });
    await readFile.touches(args, context);
    symlinkSync('.env', bench.path('notes.txt'));
    expect(await readFile.run(args, context)).toMatchObject({ ok: false, error: { code: 'DENIED' } });
  });
});

describe('ranges', () => {
  const lineArb = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\t', '\r'), maxLength: 12 });
  const textArb = fc
    .tuple(fc.array(lineArb, { minLength: 1, maxLength: 40 }), fc.boolean())
    .map(([lines, isClosed]) => lines.join('\n') + (isClosed ? '\n' : ''));

  it('equal a slice of the lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        textArb,
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        async (text, offset, limit) => {
          bench.put('a.txt', text);
          const outcome = await bench.call(readFile, { path: 'a.txt', offset, limit, line_numbers: false });
          const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
          if (text.endsWith('\n') || text === '') lines.pop();
          const start = offset > 0 ? offset - 1 : offset === 0 ? 0 : Math.max(0, lines.length + offset);
          if (lines.length === 0) expect(outcome).toMatchObject({ ok: true, content: 'File is empty.' });
          else if (start >= lines.length)
            expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
          else {
            const wanted = lines.slice(start, start + limit);
            const isRest = start + limit < lines.length;
            const notice = `\n\n[Lines ${start + 1}-${start + wanted.length} of ${lines.length}; go on with offset ${start + limit + 1}.]`;
            expect(outcome).toMatchObject({ ok: true, content: wanted.join('\n') + (isRest ? notice : '') });
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of a large file equal a slice too, wherever they lie', async () => {
    const lines = Array.from({ length: 120_000 }, (_, index) => `${index + 1} ${'ü'.repeat(index % 80)}`);
    bench.put('large.log', lines.join('\r\n'));
    for (const offset of [1, 1024, 1025, 70_000, 119_999, -1, -1_500]) {
      const start = offset > 0 ? offset - 1 : lines.length + offset;
      const { content } = await bench.succeed(readFile, {
        path: 'large.log',
        offset,
        limit: 3,
        line_numbers: false,
      });
      expect(content.split('\n\n[')[0]).toBe(lines.slice(start, start + 3).join('\n'));
      if (start + 3 < lines.length) expect(content).toContain(`of 120000; go on with offset ${start + 4}.`);
    }
    expect((await bench.fail(readFile, { path: 'large.log', offset: 120_001 })).code).toBe('EINVAL');
  });

  it('of a file larger than memory are found without reading it whole', async () => {
    const file = bench.path('huge.log');
    const handle = openSync(file, 'w');
    writeSync(handle, 'first\n'.repeat(3));
    writeSync(handle, 'x'.repeat(9 * 1024 * 1024));
    ftruncateSync(handle, 600 * 1024 * 1024); // a sparse line without end
    closeSync(handle);
    appendFileSync(file, '\nlast\n');
    const before = process.memoryUsage().rss;
    const head = await bench.succeed(readFile, { path: 'huge.log', limit: 2 });
    expect(head.content).toMatch(
      /^ {5}1\|first\n {5}2\|first\n\n\[Lines 1-2 of more than \d+; go on with offset 3\.\]$/,
    );
    const tail = await bench.succeed(readFile, { path: 'huge.log', offset: -2 });
    expect(tail.content).toMatch(/^ {5}4\|x{2000}… \[\d+ bytes of this line left out\]\n {5}5\|last\n/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('of a large file stop when the call is cancelled', async () => {
    bench.put('large.log', 'line\n'.repeat(2_000_000));
    const controller = new AbortController();
    const pending = bench.call(readFile, { path: 'large.log', offset: -1 }, bench.context(controller.signal));
    controller.abort();
    expect(await pending).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });
});
