import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from './fixtures/temp-workspace.ts';
import { ripgrepSearch } from './ripgrep-search.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'src/App.tsx': "import { Button } from './components/Button';\n",
    'src/pages/Home.tsx': "import { Button } from '../components/Button';\n",
    'test/Button.test.tsx': "import { button } from '../src/components/Button';\nlet a.b;\n",
  });
});
afterAll(() => space.dispose());

describe('ripgrep_search', () => {
  it('answers in the form path:line: text', async () => {
    const { content } = await space.ask(ripgrepSearch, {
      query: 'import.*Button',
      regex: true,
      case_sensitive: false,
      max_results: 10,
    });
    expect(content).toBe(
      "Found 3 matches:\n\nsrc/App.tsx:1: import { Button } from './components/Button';\nsrc/pages/Home.tsx:1: import { Button } from '../components/Button';\ntest/Button.test.tsx:1: import { button } from '../src/components/Button';",
    );
  });

  it('gives the lines of one file together as data, each match followed by its line number', async () => {
    const { data } = await space.ask(ripgrepSearch, { query: 'let|button }', include_pattern: '*.test.tsx' });
    expect(data).toEqual({
      internal: {
        limit_hit: false,
        results: [
          {
            resource: 'test/Button.test.tsx',
            results: [
              { match: { preview_text: "import { button } from '../src/components/Button';" } },
              { context: { line_number: 1 } },
              { match: { preview_text: 'let a.b;' } },
              { context: { line_number: 2 } },
            ],
          },
        ],
      },
    });
  });

  it('minds case, literal text, patterns and the limit', async () => {
    const ask = async (args: Record<string, unknown>) => (await space.ask(ripgrepSearch, args)).content;
    expect(await ask({ query: 'button }', case_sensitive: true, regex: false })).toContain('Found 1 match:');
    expect(await ask({ query: 'a.b', regex: false })).toContain('Found 1 match:');
    expect(await ask({ query: 'import', include_pattern: '*.test.tsx' })).toContain('Found 1 match:');
    expect(await ask({ query: 'import', exclude_pattern: ['test/**'] })).toContain('Found 2 matches:');
    expect(await ask({ query: 'import', max_results: 1 })).toContain('Found 3 matches, the first 1 of them:');
  });

  it('takes the nested form of the wire', async () => {
    const { content } = await space.ask(ripgrepSearch, {
      pattern_info: { pattern: 'Button', is_reg_exp: true, is_case_sensitive: true, is_word_match: true },
      options: {
        include_pattern: { pattern: 'src/**' },
        exclude_pattern: { exclude_pattern: [{ pattern: { pattern: '**/pages/**' } }] },
      },
    });
    expect(content).toContain('Found 1 match:\n\nsrc/App.tsx:1:');
  });

  it('explains a wrong expression', async () => {
    expect(await space.call(ripgrepSearch, { query: '(' })).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
  });
});
