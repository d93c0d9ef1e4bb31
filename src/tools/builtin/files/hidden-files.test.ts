import { existsSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolBench } from './fixtures/tool-bench.ts';
import { FILES_TOOLS } from './index.ts';

const DIFF = '--- a/keys/a.pem\n+++ b/keys/a.pem\n@@ -1 +1 @@\n-secret\n+changed\n';
const PATCH = '*** Begin Patch\n*** Update File: keys/a.pem\n@@\n-secret\n+changed\n*** End Patch';
const MOVE =
  '*** Begin Patch\n*** Update File: open.txt\n*** Move to: keys/b.pem\n@@\n-open\n+changed\n*** End Patch';

/** A call of each tool that names a file, about a file that is hidden. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['read_file', { path: 'keys/a.pem' }],
  ['write', { path: 'keys/a.pem', contents: 'changed\n' }],
  ['write', { path: 'keys/new.pem', contents: 'new\n' }],
  ['search_replace', { path: 'keys/a.pem', old_string: 'secret', new_string: 'changed' }],
  ['edit_file', { path: 'keys/a.pem', old_string: 'secret', new_string: 'changed' }],
  ['edit_notebook', { target_notebook: 'keys/n.ipynb', cell_idx: 0, is_new_cell: true, new_string: 'x' }],
  ['apply_patch', { patch: PATCH }],
  ['apply_patch', { patch: MOVE }],
  ['apply_agent_diff', { diff: DIFF }],
  ['delete_file', { path: 'keys/a.pem' }],
];

let bench: ToolBench;

beforeEach(() => {
  bench = new ToolBench();
  bench.put('.cursorignore', '# not for models\nkeys\n*.secret\n!shown.secret\n');
  bench.put('.gitignore', 'dist\n');
  bench.put('keys/a.pem', 'secret\n');
  bench.put('keys/n.ipynb', '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}');
  bench.put('open.txt', 'open\n');
});
afterEach(() => bench.dispose());

function tool(name: string) {
  const found = FILES_TOOLS.find((one) => one.name === name);
  if (!found) throw new Error(`No tool ${name}.`);
  return found;
}

describe('what .cursorignore names', () => {
  it.each(CALLS)('is not for %s %j', async (name, args) => {
    const error = await bench.fail(tool(name), args);
    expect(error.code).toBe('EACCES');
    expect(error.message).toMatch(/keys\/\S+ is hidden by \.cursorignore.*ask the user/);
    expect(error.message).not.toContain('secret\n');
    expect(bench.text('keys/a.pem')).toBe('secret\n');
    expect(bench.text('open.txt')).toBe('open\n');
    expect(existsSync(bench.path('keys/new.pem'))).toBe(false);
  });

  it('is not for a preview either', async () => {
    const { preview, args } = tool('search_replace');
    const given = args.parse({ path: 'keys/a.pem', old_string: 'nowhere', new_string: 'b' });
    expect(await preview?.(given, bench.context())).toMatch(/will fail.*hidden by \.cursorignore/);
  });

  it('stays hidden behind a link, in another case and from a folder of its own', async () => {
    symlinkSync('keys/a.pem', bench.path('harmless.txt'));
    symlinkSync('keys', bench.path('folder'));
    bench.put('sub/.cursorignore', 'local\n');
    bench.put('sub/local/a.txt', 'x');
    bench.put('KEYS/b.pem', 'x');
    for (const path of ['harmless.txt', 'folder/a.pem', 'sub/local/a.txt', 'KEYS/b.pem', 'x/../keys/a.pem'])
      expect(await bench.fail(tool('read_file'), { path }), path).toMatchObject({ code: 'EACCES' });
  });

  it('may be shown again by an exception', async () => {
    bench.put('shown.secret', 'shown');
    bench.put('other.secret', 'hidden');
    expect((await bench.succeed(tool('read_file'), { path: 'shown.secret' })).content).toContain('shown');
    expect(await bench.fail(tool('read_file'), { path: 'other.secret' })).toMatchObject({ code: 'EACCES' });
  });

  it('is undone by no one once it is hidden', async () => {
    await bench.succeed(tool('write'), { path: 'later.txt', contents: 'new' });
    bench.put('.cursorignore', 'later.txt\n');
    const error = await bench.fail(tool('reapply'), { path: 'later.txt', action: 'undo' });
    expect(error.code).toBe('EACCES');
  });
});

describe('what .gitignore names', () => {
  it('can be read and edited by who names it', async () => {
    bench.put('dist/out.js', 'let a;\n');
    expect((await bench.succeed(tool('read_file'), { path: 'dist/out.js' })).content).toContain('let a;');
    await bench.succeed(tool('search_replace'), { path: 'dist/out.js', old_string: 'a', new_string: 'b' });
    expect(bench.text('dist/out.js')).toBe('let b;\n');
  });
});
