import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileSearch } from './file-search.ts';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'src/user/user-controller.ts': '',
    'src/user/user-service.ts': '',
    'src/order/controller.ts': '',
    'docs/controllers.md': '',
    'ignored/user-controller.ts': '',
    '.gitignore': 'ignored\n',
    ...Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`lib/part${index}.ts`, ''])),
  });
});
afterAll(() => space.dispose());

describe('file_search', () => {
  it('puts the nearest name first', async () => {
    const { content } = await space.ask(fileSearch, { query: 'usrctl', explanation: 'x' });
    expect(content.split('\n')[0]).toBe('src/user/user-controller.ts');
    const byPath = await space.ask(fileSearch, { query: 'order/controller' });
    expect(byPath.content.split('\n')[0]).toBe('src/order/controller.ts');
  });

  it('leaves out ignored files', async () => {
    expect((await space.ask(fileSearch, { query: 'user-controller' })).content).not.toContain('ignored');
  });

  it('gives ten at most and says so', async () => {
    const { content, data } = await space.ask(fileSearch, { query: 'part' });
    expect(data).toMatchObject({ limit_hit: true, num_results: 10 });
    expect(content).toContain('[15 paths resemble the query; these are the best 10]');
  });

  it('says when nothing resembles the query', async () => {
    expect((await space.ask(fileSearch, { query: 'zzzzqq' })).content).toBe(
      'No file path resembles "zzzzqq".',
    );
    expect(fileSearch.args.safeParse({ query: '' }).success).toBe(false);
  });
});
