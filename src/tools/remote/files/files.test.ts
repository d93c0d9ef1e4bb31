import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../core/index.ts';
import type { ResultInit } from '../fixtures/disk-client.ts';
import { createBench, textIn } from '../fixtures/remote-bench.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000049484452', 'hex');

describe('reading at the client', () => {
  it('numbers the lines of a range, whichever end it is counted from', async () => {
    const { folder, run } = createBench();
    writeFileSync(path.join(folder, 'a.txt'), 'one\ntwo\nthree\nfour\n');
    expect(textIn(await run('read_file', { path: 'a.txt', offset: 2, limit: 2 }))).toBe(
      '     2|two\n     3|three\n\n[Lines 2-3 of 4; go on with offset 4.]',
    );
    expect(textIn(await run('Read', { file_path: 'a.txt', offset: -1 }))).toBe('     4|four');
  });

  it('attaches pictures', async () => {
    const { folder, run } = createBench();
    writeFileSync(path.join(folder, 'a.png'), PNG);
    const { content } = await run('read_file', { path: 'a.png' });
    expect(content[1]).toEqual({
      type: 'image',
      source: { type: 'base64', data: PNG.toString('base64'), mediaType: 'image/png' },
    });
  });

  it('says what is wrong with a path', async () => {
    const { run } = createBench();
    const missing = await run('read_file', { path: 'nope.txt' });
    expect(missing.isError).toBe(true);
    expect(textIn(missing)).toContain('nope.txt: The file does not exist');
    expect(textIn(await run('read_file', { path: '.' }))).toContain('it is a directory');
  });

  it('asks for the range itself when the client cuts the file', async () => {
    const { run, client } = createBench({
      onExec: (args) => {
        if (args.case !== 'readArgs') return undefined;
        const isPart = args.value.offset !== undefined;
        const value = {
          path: args.value.path,
          totalLines: 900,
          output: { case: 'content' as const, value: isPart ? 'l500\nl501\n' : 'l1\n' },
          ...(isPart ? { rangeApplied: true } : { truncated: true }),
        };
        return { case: 'readResult', value: { result: { case: 'success', value } } };
      },
    });
    const text = textIn(await run('read_file', { path: 'big.log', offset: 500, limit: 2 }));
    expect(text).toBe('   500|l500\n   501|l501\n\n[Lines 500-501 of 900; go on with offset 502.]');
    expect(client.execs).toHaveLength(2);
  });
});

describe('editing at the client', () => {
  it('creates, replaces and keeps CRLF', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'src/a.txt');
    expect(textIn(await run('write', { path: 'src/a.txt', contents: 'one\r\ntwo\r\n' }))).toContain(
      'Created src/a.txt',
    );
    await run('Write', { path: 'src/a.txt', contents: 'uno\ntwo\n' });
    expect(readFileSync(file, 'utf8')).toBe('uno\r\ntwo\r\n');
    await run('search_replace', { path: 'src/a.txt', old_string: 'uno\ntwo', new_string: 'eins\nzwei' });
    expect(readFileSync(file, 'utf8')).toBe('eins\r\nzwei\r\n');
  });

  it('shows a diff to the model and to the client', async () => {
    const { folder, run, client } = createBench();
    writeFileSync(path.join(folder, 'a.txt'), 'a\nb\nc\n');
    const result = await run('StrReplace', { path: 'a.txt', old_string: 'b', new_string: 'B' });
    expect(textIn(result)).toContain('-b\n+B');
    const { tool } = client.shown[1]?.call ?? {};
    expect(tool?.case).toBe('editToolCall');
    if (tool?.case !== 'editToolCall') return;
    expect(tool.value.args?.path).toBe('a.txt');
    expect(tool.value.result?.result).toMatchObject({
      case: 'success',
      value: {
        linesAdded: 1,
        linesRemoved: 1,
        beforeFullFileContent: 'a\nb\nc\n',
        afterFullFileContent: 'a\nB\nc\n',
      },
    });
  });

  it('applies several replacements or none', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'a.txt');
    writeFileSync(file, 'a b c');
    const edits = [
      { old_string: 'a', new_string: 'A' },
      { old_string: 'nothing', new_string: 'x' },
    ];
    const failed = await run('MultiEdit', { path: 'a.txt', edits });
    expect(failed.isError).toBe(true);
    expect(textIn(failed)).toContain('Edit 2 of 2 failed, so none was applied');
    expect(readFileSync(file, 'utf8')).toBe('a b c');
  });

  it('applies a patch over several files, moves included', async () => {
    const { folder, run } = createBench();
    writeFileSync(path.join(folder, 'a.txt'), 'one\ntwo\n');
    writeFileSync(path.join(folder, 'old.txt'), 'gone\n');
    const patch = [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      ' one',
      '-two',
      '+zwei',
      '*** Add File: new/c.txt',
      '+c',
      '*** Delete File: old.txt',
      '*** End Patch',
    ].join('\n');
    const result = await run('apply_patch', { patch });
    expect(result.isError).toBeUndefined();
    expect(readFileSync(path.join(folder, 'b.txt'), 'utf8')).toBe('one\nzwei\n');
    expect(readFileSync(path.join(folder, 'new/c.txt'), 'utf8')).toBe('c\n');
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
    expect(existsSync(path.join(folder, 'old.txt'))).toBe(false);
  });

  it('puts back what it wrote when a later file is refused', async () => {
    const { folder, run } = createBench({
      onExec: (args) =>
        args.case === 'writeArgs' && args.value.path.endsWith('b.txt')
          ? {
              case: 'writeResult',
              value: {
                result: { case: 'rejected', value: { path: args.value.path, reason: 'not this one' } },
              },
            }
          : undefined,
    });
    writeFileSync(path.join(folder, 'a.txt'), 'a\n');
    writeFileSync(path.join(folder, 'b.txt'), 'b\n');
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n*** Update File: b.txt\n-b\n+B\n*** End Patch';
    const result = await run('apply_patch', { patch });
    expect(result.isError).toBe(true);
    expect(textIn(result)).toMatch(/refused this call: not this one\..*ask the user.*put back/s);
    expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('a\n');
  });

  it('puts back what it wrote when the client throws on a later file', async () => {
    const { folder, run } = createBench({
      onExec: (args) =>
        args.case === 'writeArgs' && args.value.path.endsWith('b.txt')
          ? new GatewayError('upstream-rejected', 'disk on fire')
          : undefined,
    });
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** Add File: b.txt\n+b\n*** End Patch';
    expect(textIn(await run('apply_patch', { patch }))).toMatch(/disk on fire.*put back/s);
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
  });

  it('refuses to edit what has changed since it was read', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'a.txt');
    writeFileSync(file, 'one\n');
    await run('read_file', { path: 'a.txt' });
    writeFileSync(file, 'one and more\n');
    const stale = await run('search_replace', { path: 'a.txt', old_string: 'one', new_string: 'two' });
    expect(textIn(stale)).toContain('has changed on disk since it was last read');
    await run('read_file', { path: 'a.txt' });
    await run('search_replace', { path: 'a.txt', old_string: 'one', new_string: 'two' });
    expect(readFileSync(file, 'utf8')).toBe('two and more\n');
  });

  it('never writes back a text that the client could not decode, nor one that it cut', async () => {
    const answer = (content: string, more: object) => ({
      case: 'readResult' as const,
      value: {
        result: {
          case: 'success' as const,
          value: { path: 'a', output: { case: 'content' as const, value: content }, ...more },
        },
      },
    });
    for (const read of [answer('gr\ufffd\ufffd', { fileSize: 4n }), answer('start', { truncated: true })]) {
      const { run, client } = createBench({
        onExec: (args) => (args.case === 'readArgs' ? read : undefined),
      });
      const result = await run('search_replace', { path: 'a', old_string: 'g', new_string: 'h' });
      expect(result.isError).toBe(true);
      expect(client.execs.map((exec) => exec.case)).toEqual(['readArgs']);
    }
  });

  it('writes over what the client cannot send, but not over what it may not read', async () => {
    const answers: ResultInit[] = [
      {
        case: 'readResult',
        value: { result: { case: 'invalidFile', value: { path: 'a', reason: 'binary' } } },
      },
      {
        case: 'readResult',
        value: { result: { case: 'rejected', value: { path: 'a', reason: 'private' } } },
      },
    ];
    const { run, client } = createBench({
      onExec: (args) => (args.case === 'readArgs' ? answers.shift() : undefined),
    });
    expect(textIn(await run('write', { path: 'a', contents: 'x' }))).toContain(
      'Replaced a (1 lines, 1 bytes)',
    );
    expect(textIn(await run('write', { path: 'a', contents: 'y' }))).toContain('private');
    expect(client.execs.map((exec) => exec.case)).toEqual(['readArgs', 'writeArgs', 'readArgs']);
  });

  it('tells when the client formats a file on saving', async () => {
    const { run } = createBench({
      onExec: (args) =>
        args.case === 'writeArgs'
          ? {
              case: 'writeResult',
              value: {
                result: {
                  case: 'success',
                  value: { path: args.value.path, fileContentAfterWrite: 'a = 1;\n' },
                },
              },
            }
          : undefined,
    });
    const result = await run('write', { path: 'a.js', contents: 'a=1' });
    expect(textIn(result)).toContain('The client changed a.js when it saved it');
    expect(textIn(result)).toContain('+a = 1;');
  });

  it('edits one cell of a notebook', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'nb/a.ipynb');
    await run('edit_notebook', {
      target_notebook: 'nb/a.ipynb',
      cell_idx: 0,
      is_new_cell: true,
      new_string: 'x = 1',
    });
    const edited = {
      target_notebook: 'nb/a.ipynb',
      cell_idx: 0,
      is_new_cell: false,
      old_string: '1',
      new_string: '2',
    };
    expect(textIn(await run('EditNotebook', edited))).toContain('Edited cell 0 of nb/a.ipynb');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      cells: [{ cell_type: 'code', source: ['x = 2'] }],
    });
    expect(textIn(await run('edit_notebook', { ...edited, cell_idx: 4 }))).toContain(
      'cell_idx 4 is not in nb/a.ipynb',
    );
    expect(textIn(await run('edit_notebook', { ...edited, target_notebook: 'nb/b.ipynb' }))).toContain(
      'nb/b.ipynb does not exist',
    );
  });

  it('writes in the encoding of the file that is there', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'a.txt');
    writeFileSync(file, '\ufeffone\r\ntwo\r\n');
    expect(textIn(await run('write', { path: 'a.txt', contents: 'x\ny\n' }))).toContain('keeps its CRLF');
    expect(readFileSync(file, 'utf8')).toBe('\ufeffx\r\ny\r\n');
  });

  it('draws a patch and a failure with what the client itself said', async () => {
    const { run, client } = createBench();
    await run('apply_patch', { patch: '*** Begin Patch\n*** Update File: x/a.txt\n-a\n+b\n*** End Patch' });
    expect(client.shown[0]?.call.tool).toMatchObject({
      case: 'editToolCall',
      value: { args: { path: 'x/a.txt', streamContent: expect.stringContaining('+b') } },
    });
    await run('delete_file', { path: 'nope' });
    expect(client.shown.at(-1)?.call.tool).toMatchObject({
      case: 'deleteToolCall',
      value: { args: { path: 'nope' }, result: { result: { case: 'fileNotFound' } } },
    });
  });

  it('deletes a file, and says when there is none', async () => {
    const { folder, run } = createBench();
    const file = path.join(folder, 'a.txt');
    writeFileSync(file, 'x');
    expect(textIn(await run('delete_file', { path: 'a.txt' }))).toContain('Deleted');
    expect(existsSync(file)).toBe(false);
    expect((await run('Delete', { path: 'a.txt' })).isError).toBe(true);
  });
});
