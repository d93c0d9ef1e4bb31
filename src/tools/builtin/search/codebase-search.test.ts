import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeIndex } from './code-index/code-index.ts';
import { embedder } from './code-index/embeddings.ts';
import { INDEX_LIMITS, workspaceIndexes } from './code-index/workspace-index.ts';
import { codebaseSearch } from './codebase-search.ts';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { readSemsearchFiles } from './read-semsearch-files.ts';
import { findSearchRoot } from './search-root.ts';

const FILES = {
  'src/session-store.ts':
    '/** Removes sessions that have expired. */\nexport class SessionStore {\n  removeExpiredSessions(now: number) {\n    for (const s of this.all()) if (s.expiresAt < now) this.drop(s);\n  }\n}\n',
  'src/mailer.py':
    'class Mailer:\n    def send_welcome_mail(self, address):\n        """Greets a new customer."""\n        return smtp.send(address)\n',
  'src/colours.ts': 'export const RED = "#f00";\nexport const BLUE = "#00f";\n',
  'docs/guide.md': '# Guide\n\nHow to install the program.\n',
  'secret/session.ts': 'export function expiredSecretSessions() {}\n',
  'private-index/session.ts': 'export function expiredIndexSessions() {}\n',
  '.cursorignore': 'secret\n',
  '.cursorindexingignore': 'private-index\n',
};

let space: TempWorkspace;
beforeAll(() => {
  space = tempWorkspace(FILES);
});
afterAll(() => space.dispose());

const firstFile = (content: string) => content.slice(0, content.indexOf(':'));

describe('codebase_search', () => {
  it('finds code by the words of a question', async () => {
    const { content } = await space.ask(codebaseSearch, {
      query: 'Where are expired sessions removed?',
      target_directories: [],
    });
    expect(firstFile(content)).toBe('src/session-store.ts');
    expect(content).toContain('     3|  removeExpiredSessions(now: number) {');
    const mail = await space.ask(codebaseSearch, {
      query: 'how is a customer greeted by mail',
      num_results: '1',
    });
    expect(firstFile(mail.content)).toBe('src/mailer.py');
  });

  it('leaves ignored files out of the index', async () => {
    const { content } = await space.ask(codebaseSearch, { query: 'expired sessions' });
    expect(content).not.toMatch(/expiredSecretSessions|expiredIndexSessions/);
  });

  it('keeps to the folder and the patterns it is given', async () => {
    const docs = await space.ask(codebaseSearch, {
      query: 'install program sessions',
      target_directories: ['docs'],
    });
    expect(docs.data).toMatchObject({ all_files: [{ relative_workspace_path: 'docs/guide.md' }] });
    const python = await space.ask(codebaseSearch, {
      query: 'send sessions mail',
      include_pattern: '*.py',
      top_k: 0,
    });
    expect(python.data).toMatchObject({ all_files: [{ relative_workspace_path: 'src/mailer.py' }] });
  });

  it('notices changed, new and removed files before the next answer', async () => {
    const other = tempWorkspace(FILES);
    await other.ask(codebaseSearch, { query: 'anything' });
    other.write('src/colours.ts', 'export function quaternionMath() {}\n');
    other.write('src/new.ts', 'export function tessellate() {}\n');
    rmSync(path.join(other.root, 'src/mailer.py'));
    expect(firstFile((await other.ask(codebaseSearch, { query: 'quaternion' })).content)).toBe(
      'src/colours.ts',
    );
    expect(firstFile((await other.ask(codebaseSearch, { query: 'tessellate' })).content)).toBe('src/new.ts');
    expect((await other.ask(codebaseSearch, { query: 'mailer' })).content).toContain('No code resembles');
    await other.dispose();
  });

  it('keeps the index in the state folder and reads it back', async () => {
    const other = tempWorkspace(FILES);
    await other.ask(codebaseSearch, { query: 'sessions' });
    const folder = path.join(other.context.stateFolder, 'code-index');
    expect(readdirSync(folder)).toHaveLength(1);
    await other.context.resources.dispose();
    const root = await findSearchRoot('.', other.context);
    if (!root.ok) throw new Error('no root');
    const again = other.context.resources.get(workspaceIndexes).of(root, other.context);
    expect((await again.refresh(root, other.context, '')).changed).toBe(0);
    expect((await again.index()).query('sessions', 5, () => true)[0]?.file).toBe('src/session-store.ts');
    await other.dispose();
  });

  it('starts anew from a damaged index', async () => {
    const other = tempWorkspace(FILES);
    await other.ask(codebaseSearch, { query: 'sessions' });
    await other.context.resources.dispose();
    const folder = path.join(other.context.stateFolder, 'code-index');
    const file = path.join(folder, readdirSync(folder)[0] ?? '');
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, '{"version":1,"files":3');
    expect(firstFile((await other.ask(codebaseSearch, { query: 'expired sessions' })).content)).toBe(
      'src/session-store.ts',
    );
    await other.dispose();
  });

  it('indexes a part of a tree beyond its limits and tells how much is missing', async () => {
    const other = tempWorkspace(FILES);
    const root = await findSearchRoot('.', other.context);
    if (!root.ok) throw new Error('no root');
    const index = other.context.resources.get(workspaceIndexes).of(root, other.context);
    const limits = { ...INDEX_LIMITS, maxFiles: 2 };
    expect(await index.refresh(root, other.context, '', limits)).toMatchObject({ indexed: 2, missing: 2 });
    expect(await index.refresh(root, other.context, '', limits)).toMatchObject({ changed: 0 });
    await other.dispose();
  });

  it('lets an embedder reorder what words have found', async () => {
    const other = tempWorkspace({
      'a.ts': 'export function alpha() { return "shared word" }\n',
      'b.ts': 'export function beta() { return "shared word shared" }\n',
    });
    other.context.resources.set(embedder, {
      embed: async (texts) =>
        texts.map((text) => (text.includes('beta') || text === 'shared word' ? [1, 0] : [0, 1])),
    });
    expect(firstFile((await other.ask(codebaseSearch, { query: 'shared word' })).content)).toBe('b.ts');
    await other.dispose();
  });

  it('refuses a place that is not there or outside', async () => {
    expect(await space.call(codebaseSearch, { query: 'x', target_directories: ['nope'] })).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
    });
    expect(await space.call(codebaseSearch, { query: 'x', target_directories: ['/'] })).toMatchObject({
      ok: false,
      error: { code: 'EACCES' },
    });
  });
});

describe('the code index', () => {
  it('forgets a file without a trace in later queries', () => {
    const index = new CodeIndex();
    const chunk = { startLine: 1, endLine: 2, names: ['loadThing'], text: 'loadThing()' };
    index.put('a.ts', { mtimeMs: 1, size: 1 }, [chunk]);
    index.put('b.ts', { mtimeMs: 1, size: 1 }, [chunk]);
    index.remove('a.ts');
    expect(index.query('load thing', 9, () => true).map((hit) => hit.file)).toEqual(['b.ts']);
  });
});

describe('read_semsearch_files', () => {
  it('reads the places of the wire form and names what is missing', async () => {
    const block = (file: string) => ({
      code_block: {
        relative_workspace_path: file,
        range: { start_position: { line: 2 }, end_position: { line: 3 } },
      },
      score: 0.5,
    });
    const { content, data } = await space.ask(readSemsearchFiles, {
      query: 'x',
      code_results: [block('src/session-store.ts'), block('gone.ts'), block('secret/session.ts')],
    });
    expect(content).toContain('src/session-store.ts:2-3\n     2|export class SessionStore {');
    expect(content).toContain('[gone.ts was not found]');
    expect(content).not.toContain('expiredSecretSessions');
    expect(data).toMatchObject({
      code_results: [{ score: 0.5 }],
      missing_files: [{ missing_reason: 2 }, { missing_reason: 2 }],
    });
  });

  it('reads nothing outside of the workspace, nor through a link to there', async () => {
    symlinkSync('/etc/passwd', path.join(space.root, 'passwd'));
    const { content } = await space.ask(readSemsearchFiles, {
      code_results: [{ path: 'passwd' }, { path: '/etc/passwd' }],
    });
    expect(content).not.toContain('root:');
  });
});
