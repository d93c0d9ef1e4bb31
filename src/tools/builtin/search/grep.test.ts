import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { grep } from './grep.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'src/a.ts': 'one\nneedle two\nthree\nfour\nfive\nneedle six\nseven\n',
    'src/b.py': 'NEEDLE = 1\r\nother\r\n',
    'docs/readme.md': 'a needle (in) hay\n',
    'src/block.ts': 'start {\n  middle\n} end\n',
    'ignored/x.ts': 'needle ignored\n',
    'secret/key.ts': 'needle secret\n',
    'deep/.cursorignore': 'hidden.ts\n',
    'deep/hidden.ts': 'needle hidden\n',
    'deep/shown.ts': 'needle shown\n',
    '.github/flow.yml': 'needle: hidden folder\n',
    '.git/config': 'needle in git\n',
    '.gitignore': 'ignored/\n',
    '.cursorignore': 'SECRET/\n',
  });
});
afterAll(() => space.dispose());

describe('grep', () => {
  it('groups matching lines by file, in path order', async () => {
    const { content, attachments } = await space.ask(grep, { pattern: 'needle' });
    expect(content).toBe(
      'Found 4 matching lines in 3 files.\n\ndeep/shown.ts\n1:needle shown\n\ndocs/readme.md\n1:a needle (in) hay\n\nsrc/a.ts\n2:needle two\n6:needle six',
    );
    expect(attachments).toMatchObject({ match_count: 4 });
    expect(attachments?.files_searched).toBeGreaterThan(3);
  });

  it('shows context lines with a dash and gaps with two', async () => {
    const { content } = await space.ask(grep, { pattern: 'needle', path: 'src', '-C': 1 });
    expect(content).toContain('src/a.ts\n1-one\n2:needle two\n3-three\n--\n5-five\n6:needle six\n7-seven');
  });

  it('lists files and counts', async () => {
    const files = await space.ask(grep, { pattern: 'needle', output_mode: 'files_with_matches', '-i': true });
    expect(files.content).toBe('Found 4 files.\n\ndeep/shown.ts\ndocs/readme.md\nsrc/a.ts\nsrc/b.py');
    const counts = await space.ask(grep, { pattern: 'needle', output_mode: 'count' });
    expect(counts.content).toBe(
      'Found 4 matching lines in 3 files.\n\ndeep/shown.ts:1\ndocs/readme.md:1\nsrc/a.ts:2',
    );
    expect(counts.data).toMatchObject({
      success: { workspace_results: { [space.root]: { count: { total_files: 3, total_matches: 4 } } } },
    });
  });

  it('pages with head_limit and offset without repeating or losing a match', async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < 4; offset++) {
      const { data } = await space.ask(grep, { pattern: 'needle', head_limit: 1, offset });
      seen.push(JSON.stringify(data).match(/"content":"([^"]*)"/)?.[1] ?? '');
    }
    expect(seen).toEqual(['needle shown', 'a needle (in) hay', 'needle two', 'needle six']);
    const { content } = await space.ask(grep, { pattern: 'needle', head_limit: 1 });
    expect(content).toContain('[matches 1 to 1 shown; continue with offset 1, or narrow the search]');
    expect((await space.ask(grep, { pattern: 'needle', offset: 9 })).content).toContain(
      'offset 9 is past the end',
    );
  });

  it('filters by glob, type and ignore_globs', async () => {
    expect((await space.ask(grep, { pattern: 'needle', glob: '*.md' })).content).toContain('in 1 file.');
    expect((await space.ask(grep, { pattern: 'needle', type: 'py', '-i': true })).content).toContain(
      'src/b.py\n1:NEEDLE = 1',
    );
    const rest = await space.ask(grep, { pattern: 'needle', ignore_globs: ['*.md', 'deep/**'] });
    expect(rest.content).toContain('Found 2 matching lines in 1 file.');
  });

  it('matches over several lines when asked to', async () => {
    const { content } = await space.ask(grep, { pattern: 'start.*end', multiline: true });
    expect(content).toContain('src/block.ts\n1:start {\n2:  middle\n3:} end');
    expect((await space.ask(grep, { pattern: 'start.*end' })).content).toBe('No matches found.');
  });

  it('takes older and foreign spellings', async () => {
    const { content } = await space.ask(grep, {
      query: 'NEEDLE',
      include_pattern: '*.md',
      case_sensitive: false,
      context_after: '1',
      path: null,
      explanation: 'why',
    });
    expect(content).toContain('docs/readme.md\n1:a needle');
  });

  it('never shows what .cursorignore names, whatever the glob', async () => {
    for (const glob of ['*', '**/*', 'secret/**', '*.ts']) {
      const { content } = await space.ask(grep, { pattern: 'needle', glob });
      expect(content, glob).not.toMatch(/secret|hidden\.ts|\.git\//);
    }
    const named = await space.ask(grep, { pattern: 'needle', path: 'secret' });
    expect(named.content).toBe('No matches found.');
  });

  it('searches hidden and ignored folders that path names', async () => {
    expect((await space.ask(grep, { pattern: 'needle', path: '.github' })).content).toContain(
      '.github/flow.yml',
    );
    expect((await space.ask(grep, { pattern: 'needle', path: 'ignored' })).content).toContain('ignored/x.ts');
  });

  it('explains a wrong pattern, type and path', async () => {
    const regex = await space.call(grep, { pattern: 'foo(' });
    expect(regex).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
    expect(!regex.ok && regex.error.message).toMatch(/"foo\(".*escape/s);
    expect(await space.call(grep, { pattern: 'x', type: 'nope' })).toMatchObject({
      ok: false,
      error: { code: 'EINVAL', message: expect.stringContaining('"nope"') },
    });
    expect(await space.call(grep, { pattern: 'x', path: 'absent' })).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
    });
  });

  it('takes a pattern that looks like an option as a pattern', async () => {
    expect((await space.ask(grep, { pattern: '--files' })).content).toBe('No matches found.');
    expect((await space.call(grep, { pattern: 'x', glob: '--pre=touch' })).ok).toBe(true);
  });

  it('refuses a link that leads out of the workspace', async () => {
    const outside = path.join(space.root, '..', 'outside');
    mkdirSync(outside, { recursive: true });
    writeFileSync(path.join(outside, 'o.ts'), 'needle outside\n');
    symlinkSync(outside, path.join(space.root, 'link'));
    expect(await space.call(grep, { pattern: 'needle', path: 'link' })).toMatchObject({
      ok: false,
      error: { code: 'EACCES' },
    });
    expect((await space.ask(grep, { pattern: 'needle' })).content).not.toContain('outside');
  });

  it('names what it will read before it runs', async () => {
    expect(await grep.touches(grep.args.parse({ pattern: 'x', path: 'src' }), space.context)).toEqual([
      { type: 'path', path: path.join(space.root, 'src'), access: 'read' },
    ]);
  });

  it('gives an endless result in bounded, repeatable pages', async () => {
    const big = tempWorkspace({
      'a.log': 'needle\n'.repeat(30_000),
      'b.log': 'needle\n',
      'long.txt': `needle${'x'.repeat(50_000)}`,
    });
    try {
      const first = await big.ask(grep, { pattern: 'needle' });
      expect(first.content).toContain('Found at least');
      expect(first.content).toContain(
        '[matches 1 to 2000 shown (the result reached its size limit); continue with offset 2000',
      );
      const page = await big.ask(grep, { pattern: 'needle', offset: 29_999, head_limit: 2 });
      expect(page.content).toContain('a.log\n30000:needle\n\nb.log\n1:needle');
      const long = await big.ask(grep, { pattern: 'needle', path: 'long.txt' });
      expect(long.content.length).toBeLessThan(2_500);
      expect(long.data).toMatchObject({
        success: {
          workspace_results: {
            [big.root]: { content: { matches: [{ matches: [{ content_truncated: true }] }] } },
          },
        },
      });
    } finally {
      await big.dispose();
    }
  });

  it('stops when the call is cancelled', async () => {
    const other = tempWorkspace({ 'a.txt': 'needle' });
    other.abort.abort();
    expect(await other.call(grep, { pattern: 'needle' })).toMatchObject({
      ok: false,
      error: { code: 'ECANCELED' },
    });
    await other.dispose();
  });

  it('ignores a configuration file of the user', async () => {
    const other = tempWorkspace(
      { 'a.txt': 'needle', rc: '--files\n' },
      { env: { RIPGREP_CONFIG_PATH: 'rc' } },
    );
    expect((await other.ask(grep, { pattern: 'needle' })).content).toContain('a.txt\n1:needle');
    await other.dispose();
  });
});
