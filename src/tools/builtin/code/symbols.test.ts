import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { goToDefinition } from './go-to-definition.ts';
import { languageServers } from './lsp/language-servers.ts';
import { searchSymbols } from './search-symbols.ts';

let space: TempWorkspace;

beforeAll(() => {
  space = tempWorkspace({
    'tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext","types":[]},"include":["src"]}',
    'src/greet.ts': '/** Says hello. */\nexport function greet(name: string): string {\n  return name;\n}\n',
    'src/other.ts':
      'export function greet(): void {}\nexport class Store { run() {} }\nexport class Engine { run() {} }\n',
    'src/main.ts': "import { greet as hello } from './greet.js';\n\nhello('x');\n",
    'tools/make.py': 'def build_everything():\n    pass\n\nbuild_everything()\n',
    'secret/hidden.ts': 'export function greetSecretly() {}\n',
    '.cursorignore': 'secret\n',
    'go/a.go': 'package a\n\nfunc Serve() {}\n',
  });
});
afterAll(() => space.dispose());

describe('search_symbols', () => {
  it('finds definitions by name, exact ones first', async () => {
    const { content } = await space.ask(searchSymbols, { query: 'greet' });
    expect(content.split('\n')).toEqual(['src/greet.ts:2  function greet', 'src/other.ts:1  function greet']);
  });

  it('finds names whose letters are left out in part', async () => {
    const { content, data } = await space.ask(searchSymbols, { query: 'bldevery' });
    expect(content).toBe('tools/make.py:1  function build_everything');
    expect(data).toMatchObject({ matches: [{ name: 'build_everything', uri: 'tools/make.py' }] });
  });

  it('narrows to a class', async () => {
    expect((await space.ask(searchSymbols, { query: 'Engine.run' })).content).toBe(
      'src/other.ts:3  method Engine.run',
    );
  });

  it('shows nothing that .cursorignore names, and says when nothing is found', async () => {
    expect((await space.ask(searchSymbols, { query: 'greetSecretly' })).content).toContain(
      'No symbol resembles',
    );
    expect(await space.call(searchSymbols, { query: '..' })).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
  });
});

describe('go_to_definition', () => {
  it('asks TypeScript itself and follows an import under another name', async () => {
    const { content, attachments, data } = await space.ask(goToDefinition, {
      relative_workspace_path: 'src/main.ts',
      symbol: 'hello',
      start_line: 3,
      end_line: 3,
    });
    expect(attachments).toMatchObject({ source: 'typescript' });
    expect(content).toBe(
      'src/greet.ts:2-4  function  greet\n     2|export function greet(name: string): string {\n     3|  return name;\n     4|}',
    );
    expect(data).toMatchObject({
      definitions: [
        { relative_workspace_path: 'src/greet.ts', start_line: 2, end_line: 4, symbol_kind: 'function' },
      ],
    });
  });

  it('sees a file that has changed since the last question', async () => {
    space.write(
      'src/greet.ts',
      'const filler = 1;\n\nexport function greet(name: string): string {\n  return name + filler;\n}\n',
    );
    const { content } = await space.ask(goToDefinition, {
      path: path.join(space.root, 'src/main.ts'),
      symbol: 'hello',
      line: 3,
    });
    expect(content).toContain('src/greet.ts:3-5');
  });

  it('finds definitions by name where no server knows the language', async () => {
    const python = await space.ask(goToDefinition, {
      path: 'tools/make.py',
      symbol: 'build_everything',
      line_number: 4,
    });
    expect(python.content).toContain('tools/make.py:1-2  function  build_everything');
    const anywhere = await space.ask(goToDefinition, { symbol: 'Store.run' });
    expect(anywhere.content).toContain('src/other.ts:2-2  method  Store.run');
  });

  it('says what to do when there is none', async () => {
    expect(await space.call(goToDefinition, { symbol: 'nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'NO_MATCH' },
    });
    expect(await space.call(goToDefinition, { symbol: 'x', path: 'nope.ts' })).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
    });
    expect(await space.call(goToDefinition, { symbol: 'x', path: 'secret/hidden.ts' })).toMatchObject({
      ok: false,
      error: { code: 'EACCES' },
    });
  });

  it('needs no permission for its own server', async () => {
    const touches = await goToDefinition.touches(
      goToDefinition.args.parse({ symbol: 'x', path: 'src/main.ts' }),
      space.context,
    );
    expect(touches.map((touch) => touch.type)).toEqual(['path', 'path']);
  });

  it('leaves no process behind', async () => {
    const servers = space.context.resources.get(languageServers);
    expect(servers.count).toBe(1);
    await servers.dispose();
    expect(servers.count).toBe(0);
  });
});
