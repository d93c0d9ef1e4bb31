import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBench, type RemoteBench, textIn } from '../fixtures/remote-bench.ts';

function fill({ folder }: RemoteBench): void {
  mkdirSync(path.join(folder, 'src/deep'), { recursive: true });
  writeFileSync(path.join(folder, 'src/a.ts'), 'const needle = 1;\nlet other;\n');
  writeFileSync(path.join(folder, 'src/deep/b.ts'), '// Needle\n');
  writeFileSync(path.join(folder, 'readme.md'), 'needle in words\n');
}

describe('searching at the client', () => {
  it('groups matching lines by file', async () => {
    const bench = createBench();
    fill(bench);
    const text = textIn(await bench.run('grep', { pattern: 'needle', glob: '**/*.ts' }));
    expect(text).toBe('Found 1 matching line in 1 file.\n\nsrc/a.ts\n1:const needle = 1;');
    expect(textIn(await bench.run('Grep', { pattern: 'nowhere' }))).toBe('No matches found.');
  });

  it('knows the other modes and leaves out what is ignored', async () => {
    const bench = createBench();
    fill(bench);
    expect(textIn(await bench.run('grep', { pattern: 'needle', '-i': true, output_mode: 'count' }))).toBe(
      'Found 3 matching lines in 3 files.\n\nreadme.md:1\nsrc/a.ts:1\nsrc/deep/b.ts:1',
    );
    const files = {
      pattern: 'needle',
      '-i': true,
      output_mode: 'files_with_matches',
      ignore_globs: ['*.md', 'deep'],
    };
    expect(textIn(await bench.run('grep', files))).toContain('\n\nsrc/a.ts');
    expect(textIn(await bench.run('grep', files))).not.toContain('readme.md');
  });

  it('sends every option of the tool', async () => {
    const bench = createBench();
    await bench
      .run('grep', {
        pattern: 'x',
        path: 'src',
        glob: '*.ts',
        output_mode: 'content',
        '-A': 1,
        '-B': 2,
        '-C': 3,
        '-i': true,
        type: 'ts',
        head_limit: 10,
        offset: 5,
        multiline: true,
        sort: 'path',
        sort_ascending: false,
      })
      .catch(() => undefined);
    expect(bench.client.execs[0]?.value).toMatchObject({
      pattern: 'x',
      path: path.join(bench.folder, 'src'),
      glob: '*.ts',
      outputMode: 'content',
      contextAfter: 1,
      contextBefore: 2,
      context: 3,
      caseInsensitive: true,
      type: 'ts',
      headLimit: 10,
      offset: 5,
      multiline: true,
      sort: 'path',
      sortAscending: false,
      toolCallId: 'call-1',
    });
  });

  it('says what is wrong with an expression', async () => {
    const { run } = createBench();
    const result = await run('grep', { pattern: '(' });
    expect(result.isError).toBe(true);
    expect(textIn(result)).toContain('Invalid regular expression');
  });

  it('finds files by a glob through a search for nothing', async () => {
    const bench = createBench();
    fill(bench);
    expect(textIn(await bench.run('Glob', { glob_pattern: 'deep/*.ts' }))).toBe(
      'Found 1 file, last changed first.\n\nsrc/deep/b.ts',
    );
    expect(bench.client.execs[0]?.value).toMatchObject({
      pattern: '',
      glob: '**/deep/*.ts',
      outputMode: 'files_with_matches',
    });
    expect(textIn(await bench.run('glob_file_search', { glob_pattern: '*.zig' }))).toBe(
      'No files match *.zig.',
    );
  });

  it('lists a folder as a tree', async () => {
    const bench = createBench();
    fill(bench);
    expect(textIn(await bench.run('LS', { path: '.' }))).toBe(
      `${bench.folder}/\n  src/\n    deep/\n      b.ts\n    a.ts\n  readme.md`,
    );
    expect((await bench.run('list_dir', { target_directory: 'nope' })).isError).toBe(true);
  });

  it('counts what is in folders that the client did not open', async () => {
    const { run } = createBench({
      onExec: () => ({
        case: 'lsResult',
        value: {
          result: {
            case: 'success',
            value: {
              directoryTreeRoot: {
                absPath: 'C:\\w',
                childrenWereProcessed: true,
                childrenDirs: [
                  {
                    absPath: 'C:\\w\\big',
                    numFiles: 900,
                    fullSubtreeExtensionCounts: { '.ts': 890, '.md': 10 },
                  },
                ],
              },
            },
          },
        },
      }),
    });
    expect(textIn(await run('list_dir', {}))).toBe('C:\\w/\n  big/  (900 files: 890 *.ts, 10 *.md)');
  });

  it('shows what a listing had found when its time was over', async () => {
    const directoryTreeRoot = { absPath: '/w', childrenFiles: [{ name: 'a' }] };
    const { run } = createBench({
      onExec: () => ({
        case: 'lsResult',
        value: { result: { case: 'timeout', value: { directoryTreeRoot } } },
      }),
    });
    const result = await run('list_dir', {});
    expect(result.isError).toBeUndefined();
    expect(textIn(result)).toBe('/w/\n  a\n\n[the time limit was reached; list a folder below for the rest]');
  });

  it('reads lints file by file', async () => {
    const { run, client, folder } = createBench({
      onExec: (args) =>
        args.case === 'diagnosticsArgs' && args.value.path.endsWith('a.ts')
          ? {
              case: 'diagnosticsResult',
              value: {
                result: {
                  case: 'success',
                  value: {
                    path: args.value.path,
                    diagnostics: [
                      {
                        severity: 2,
                        message: 'unused\nvariable',
                        source: 'ts',
                        code: '6133',
                        range: { start: { line: 3, column: 5 }, end: { line: 3, column: 6 } },
                      },
                    ],
                  },
                },
              },
            }
          : undefined,
    });
    const text = textIn(await run('read_lints', { paths: ['a.ts', 'b.ts'] }));
    expect(text).toBe(`${path.join(folder, 'a.ts')}\n  3:5  warning  unused variable  (ts 6133)`);
    expect(client.execs).toHaveLength(2);
    expect(textIn(await run('read_lints', { paths: ['b.ts'] }))).toBe('No linter errors found.');
    expect((await run('read_lints', {})).isError).toBe(true);
  });
});
