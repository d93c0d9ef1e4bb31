import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPolicy, Policy, type RuleConfig } from '../../policy/index.ts';
import type { Tool } from '../../tool.ts';
import { codebaseSearch } from './codebase-search.ts';
import { fileSearch } from './file-search.ts';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { searchPolicy } from './forbidden-files.ts';
import { globFileSearch } from './glob-file-search.ts';
import { grep } from './grep.ts';
import { listDir } from './list-dir.ts';
import { listDirV1 } from './list-dir-v1.ts';
import { ripgrepSearch } from './ripgrep-search.ts';

const NOTE = '[files that a rule forbids reading are left out]';

const SEARCHES: readonly (readonly [string, Tool, object])[] = [
  ['grep', grep, { pattern: 'treasure' }],
  ['grep for files', grep, { pattern: 'treasure', output_mode: 'files_with_matches' }],
  ['grep for counts', grep, { pattern: 'treasure', output_mode: 'count' }],
  ['grep with context', grep, { pattern: 'treasure', '-C': 2 }],
  ['grep in order', grep, { pattern: 'treasure', sort: 'modified' }],
  ['grep with a glob', grep, { pattern: 'treasure', glob: '**/*.ts' }],
  ['ripgrep_search', ripgrepSearch, { query: 'treasure' }],
  ['glob_file_search', globFileSearch, { glob_pattern: '*.ts' }],
  ['glob_file_search for all', globFileSearch, { glob_pattern: '**/*' }],
  ['list_dir', listDir, {}],
  ['list_dir_v1', listDirV1, {}],
  ['file_search', fileSearch, { query: 'ts' }],
  ['codebase_search', codebaseSearch, { query: 'where is the treasure' }],
];

let space: TempWorkspace;

function open(rules: readonly RuleConfig[], files: Record<string, string> = {}): TempWorkspace {
  space = tempWorkspace({
    'src/open.ts': 'export const openTreasure = "treasure map";\n',
    'vault/hoard.ts': 'export const hoardTreasure = "treasure chest";\n',
    'vault/deep/er.ts': 'export const deeperTreasure = "treasure";\n',
    'Hoard.ts': 'export const hoardTreasure = "treasure";\n',
    ...files,
  });
  const policy = new Policy({ user: defaultPolicy({ rules: [...rules] }) }, { homeFolder: '/home/u' });
  space.context.resources.set(searchPolicy, policy);
  return space;
}

const deny = (rule: Partial<RuleConfig>): RuleConfig => ({ decision: 'deny', ...rule });

const said = ({ content, data }: { content: string; data?: unknown }) => content + JSON.stringify(data);

afterEach(() => space.dispose());

describe.each(SEARCHES)('%s', (_name, tool, args) => {
  it('shows neither name nor content of what rules forbid, and says so', async () => {
    const { ask } = open([deny({ path: ['vault/**', 'hoard.ts'] })]);
    const outcome = await ask(tool, args);
    expect(said(outcome)).not.toMatch(/hoard|vault|deep/i);
    expect(outcome.content).toContain(NOTE);
    expect(said(outcome)).toMatch(/open|src/);
  });

  it('shows what rules are not about, without a word', async () => {
    const { ask } = open([
      deny({ path: '/elsewhere/**' }),
      deny({ path: '~/.ssh' }),
      deny({ path: 'vault', access: ['write'] }),
      deny({ path: 'vault', tool: 'read_file' }),
      { decision: 'ask', path: 'vault' },
    ]);
    const outcome = await ask(tool, args);
    expect(said(outcome)).toMatch(/hoard|vault/i);
    expect(outcome.content).not.toContain(NOTE);
  });
});

describe('what rules forbid', () => {
  it.each(['*.ts', '**/*.TS', '/**'])('may be everything: %s', async (glob) => {
    const { ask } = open([deny({ path: glob })]);
    const outcome = await ask(grep, { pattern: 'treasure' });
    expect(outcome.content).toMatch(/^No matches found\./);
  });

  it('is not told by the note: it is the same with matches and without', async () => {
    const { ask } = open([deny({ path: 'vault/**' })]);
    const hit = await ask(grep, { pattern: 'chest' });
    const miss = await ask(grep, { pattern: 'no such words' });
    expect(hit.content).toBe(miss.content);
    expect(hit.attachments?.match_count).toBe(0);
  });

  it('is known by the name of a link too', async () => {
    const { ask, root } = open([deny({ path: 'door/deep/**' })]);
    symlinkSync(path.join(root, 'vault'), path.join(root, 'door'));
    expect(said(await ask(grep, { pattern: 'treasure', path: 'door' }))).not.toContain('deeper');
    expect(said(await ask(grep, { pattern: 'treasure', path: 'vault' }))).toContain('deeper');
  });

  it('leaves a folder beside it alone, and no note where it does not reach', async () => {
    const { ask } = open([deny({ path: 'vault/**' })]);
    const outcome = await ask(grep, { pattern: 'treasure', path: 'src' });
    expect(outcome.content).toContain('openTreasure');
    expect(outcome.content).not.toContain(NOTE);
  });

  it('goes out of the index when a rule comes later', async () => {
    const { ask, context } = open([]);
    const args = { query: 'where is the treasure' };
    expect(said(await ask(codebaseSearch, args))).toContain('vault');
    const policy = context.resources.get(searchPolicy);
    policy?.remember(deny({ path: 'vault' }));
    const outcome = await ask(codebaseSearch, args);
    expect(said(outcome)).not.toContain('vault');
    expect(outcome.attachments?.files_searched).toBe(2);
  });
});

it('list_dir does not name a folder that .cursorignore names with a slash', async () => {
  const { ask } = open([], { '.cursorignore': 'vault/\n' });
  expect(said(await ask(listDir, {}))).not.toContain('vault');
  expect(said(await ask(listDirV1, {}))).not.toContain('vault');
});
