import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editFile } from './edit-file.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

const CODE = 'import a;\n\nfunction one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n\nrun();\n';

describe('edit_file', () => {
  it('merges a sketch whose parts begin and end with lines of the file', async () => {
    bench.put('a.ts', CODE);
    await bench.succeed(editFile, {
      target_file: 'a.ts',
      instructions: 'change two',
      code_edit:
        '// ... existing code ...\nfunction two() {\n  const sum = 1 + 1;\n  return sum;\n}\n\nrun();\n',
    });
    expect(bench.text('a.ts')).toBe(CODE.replace('  return 2;', '  const sum = 1 + 1;\n  return sum;'));
  });

  it.each([
    [
      'at the start',
      'import a;\nimport b;\n\nfunction one() {\n// ... existing code ...',
      CODE.replace('import a;\n', 'import a;\nimport b;\n'),
    ],
    [
      'in the middle',
      '// ... existing code ...\nfunction one() {\n  return 10;\n}\n\nfunction two() {\n// ... existing code ...\n',
      CODE.replace('return 1', 'return 10'),
    ],
    [
      'twice',
      '// ... existing code ...\nfunction one() {\n  return 10;\n\n// ... rest of one ...\n\n  return 2;\n}\n\n\nrun();\n',
      undefined,
    ],
    ['with the whole file', CODE.replace('return 2', 'return 3'), CODE.replace('return 2', 'return 3')],
  ])('merges %s, or refuses', async (_name, code_edit, expected) => {
    bench.put('a.ts', CODE);
    const outcome = await bench.call(editFile, { target_file: 'a.ts', code_edit });
    expect(outcome.ok).toBe(expected !== undefined);
    expect(bench.text('a.ts')).toBe(expected ?? CODE);
  });

  it.each([
    ['a snippet without place', 'function three() {}\n', 'does not say where'],
    [
      'an edge that is not there',
      '// ... existing code ...\nfunction three() {\n}\n// ... existing code ...',
      'is not in a.ts',
    ],
    [
      'an edge that is there twice',
      '// ... existing code ...\n}\n// ... existing code ...',
      'is in a.ts 2 times',
    ],
  ])('refuses %s and says what to do', async (_name, code_edit, message) => {
    bench.put('a.ts', CODE);
    const error = await bench.fail(editFile, { target_file: 'a.ts', code_edit });
    expect(error.message).toContain(message);
    expect(error.message).toContain('old_string and new_string');
    expect(bench.text('a.ts')).toBe(CODE);
  });

  it.each([
    ['# ... existing code ...'],
    ['<!-- ... existing code ... -->'],
    ['{/* ... existing code ... */}'],
    ['/* … unchanged … */'],
    ['-- ... rest of file'],
  ])('knows the marker %s', async (marker) => {
    bench.put('a', 'one\ntwo\nthree\n');
    await bench.succeed(editFile, { target_file: 'a', code_edit: `${marker}\ntwo\n2.5\nthree\n` });
    expect(bench.text('a')).toBe('one\ntwo\n2.5\nthree\n');
  });

  it('takes spread syntax and bare dots for code', async () => {
    await bench.succeed(editFile, { target_file: 'a.py', code_edit: 'class A:\n    ...\n' });
    expect(bench.text('a.py')).toBe('class A:\n    ...\n');
  });

  it('keeps CRLF', async () => {
    bench.put('a', 'one\r\ntwo\r\nthree\r\n');
    await bench.succeed(editFile, {
      target_file: 'a',
      code_edit: '# ... existing code ...\ntwo\n2.5\nthree\n',
    });
    expect(bench.text('a')).toBe('one\r\ntwo\r\n2.5\r\nthree\r\n');
  });

  it('replaces by old and new string, in a range and but for white space when asked', async () => {
    bench.put('a', 'x\nif (a)  {\n\tgo();\nx\n');
    await bench.succeed(editFile, {
      path: 'a',
      old_string: 'x',
      new_string: 'y',
      line_ranges: [{ start_line: 3, end_line: 9 }],
    });
    expect(bench.text('a')).toBe('x\nif (a)  {\n\tgo();\ny\n');
    const loose = { path: 'a', old_string: 'if (a) {\n  go();', new_string: 'go();' };
    expect((await bench.fail(editFile, loose)).code).toBe('NO_MATCH');
    await bench.succeed(editFile, { ...loose, use_whitespace_insensitive_fallback: true });
    expect(bench.text('a')).toBe('x\ngo();\ny\n');
  });

  it('needs something to do', () => {
    expect(editFile.args.safeParse({ target_file: 'a' }).error?.issues[0]?.message).toContain(
      'Give code_edit',
    );
  });
});
