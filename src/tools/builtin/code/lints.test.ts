import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { fixLints } from './fix-lints.ts';
import { readLints } from './read-lints.ts';

const NODE_PATH = `${path.dirname(process.execPath)}:/usr/bin:/bin`;
const BIOME = path.resolve(import.meta.dirname, '../../../../node_modules/.bin/biome');

/** Speaks as ESLint's manual says: an array of results, fixed text in `output`. */
const FAKE_ESLINT = `#!/usr/bin/env node
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
const isFix = args.includes('--fix-dry-run');
const read = (text, file) => {
  const line = text.split('\\n').findIndex((item) => item.includes('var ')) + 1;
  const messages = line && !isFix ? [{ ruleId: 'no-var', severity: 2, message: 'Unexpected var.', line, column: 1, endLine: line, endColumn: 4 }] : [];
  return { filePath: path.resolve(file), messages, ...(isFix && line ? { output: text.replaceAll('var ', 'let ') } : {}) };
};
if (isFix) console.log(JSON.stringify([read(fs.readFileSync(0, 'utf8'), args.find((item) => item.startsWith('--stdin-filename=')).slice(17))]));
else console.log(JSON.stringify(['a.js', 'b.js'].filter((file) => fs.existsSync(file)).map((file) => read(fs.readFileSync(file, 'utf8'), file))));
`;

const FAKE_RUFF = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv.includes('--fix')) process.stdout.write(fs.readFileSync(0, 'utf8').replace('import os\\n', ''));
else console.log(JSON.stringify(fs.readFileSync('m.py', 'utf8').includes('import os') ? [{ code: 'F401', filename: require('node:path').resolve('m.py'), message: 'os imported but unused', location: { row: 1, column: 8 }, end_location: { row: 1, column: 10 } }] : []));
`;

let space: TempWorkspace;
afterEach(() => space.dispose());

function install(name: string, script: string, folder = 'node_modules/.bin'): void {
  space.write(`${folder}/${name}`, script);
  chmodSync(path.join(space.root, folder, name), 0o755);
}

function installBiome(): void {
  mkdirSync(path.join(space.root, 'node_modules/.bin'), { recursive: true });
  symlinkSync(BIOME, path.join(space.root, 'node_modules/.bin/biome'));
  space.write('biome.json', '{"linter":{"enabled":true}}');
}

describe('read_lints', () => {
  it('gives the diagnostics of TypeScript, again after a change', async () => {
    space = tempWorkspace({
      'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[]}}',
      'a.ts': 'const x: number = "one";\nexport default x;\n',
      'b.ts': 'export const fine = 1;\n',
    });
    const { content, data } = await space.ask(readLints, { paths: ['a.ts'] });
    expect(content).toContain(
      "a.ts\n  1:7  error  Type 'string' is not assignable to type 'number'.  (ts 2322)",
    );
    expect(data).toMatchObject({
      linter_errors_by_file: [
        {
          relative_workspace_path: 'a.ts',
          errors: [{ severity: 1, range: { start_position: { line: 1, column: 7 } } }],
        },
      ],
    });
    space.write('a.ts', 'const x: number = 1;\nexport default x;\n');
    expect((await space.ask(readLints, {})).content).toContain('No linter errors found');
  });

  it('checks the syntax of languages without a server', async () => {
    space = tempWorkspace({ 'bad.py': 'def f(:\n  pass\n', 'good.go': 'package a\n', 'bad.json.txt': '{' });
    const { content } = await space.ask(readLints, {});
    expect(content).toMatch(/bad\.py\n {2}1:\d+ {2}error {2}.*\(syntax\)/);
    expect(content).not.toContain('good.go');
  });

  it('runs Biome of the project and names the command first', async () => {
    space = tempWorkspace(
      { 'a.js': 'let a = 1;\nif (a == 1) { debugger; }\n' },
      { env: { PATH: NODE_PATH } },
    );
    installBiome();
    const touches = await readLints.touches(readLints.args.parse({ paths: ['a.js'] }), space.context);
    expect(touches).toContainEqual({ type: 'path', path: path.join(space.root, 'a.js'), access: 'read' });
    expect(touches.find((touch) => touch.type === 'command')).toMatchObject({
      command: expect.stringContaining('node_modules/.bin/biome lint'),
    });
    const { content } = await space.ask(readLints, { paths: ['a.js'] });
    expect(content).toContain('(biome lint/suspicious/noDebugger)');
  });

  it('reads the reports of ESLint and Ruff', async () => {
    space = tempWorkspace(
      { 'eslint.config.js': '', 'a.js': 'var x = 1;\n', 'm.py': 'import os\n', 'ruff.toml': '' },
      { env: { PATH: NODE_PATH } },
    );
    install('eslint', FAKE_ESLINT);
    install('ruff', FAKE_RUFF, '.venv/bin');
    const { content } = await space.ask(readLints, {});
    expect(content).toContain('a.js\n  1:1  error  Unexpected var.  (eslint no-var)');
    expect(content).toContain('m.py\n  1:8  warning  os imported but unused  (ruff F401)');
  });

  it('says when a linter fails, and still gives the rest', async () => {
    space = tempWorkspace({ 'eslint.config.js': '', 'bad.py': 'def f(:\n' }, { env: { PATH: NODE_PATH } });
    install('eslint', '#!/bin/sh\necho "cannot find plugin" >&2\nexit 2\n');
    const { content } = await space.ask(readLints, {});
    expect(content).toContain('[eslint gave no report (exit code 2): cannot find plugin]');
    expect(content).toContain('bad.py');
  });

  it('runs no program of the project where commands may not run', async () => {
    space = tempWorkspace(
      { 'eslint.config.js': '', 'a.js': 'var x = 1;\n' },
      { mode: 'plan', env: { PATH: NODE_PATH } },
    );
    install('eslint', '#!/bin/sh\ntouch ran\n');
    const touches = await readLints.touches(readLints.args.parse({}), space.context);
    expect(touches.map((touch) => touch.type)).toEqual(['path']);
    expect((await space.ask(readLints, {})).content).not.toContain('eslint');
    expect(() => statSync(path.join(space.root, 'ran'))).toThrow();
  });

  it('refuses a path that is not there or outside', async () => {
    space = tempWorkspace({});
    expect(await space.call(readLints, { path: 'nope.ts' })).toMatchObject({
      ok: false,
      error: { code: 'ENOENT' },
    });
    expect(await space.call(readLints, { paths: ['/etc'] })).toMatchObject({
      ok: false,
      error: { code: 'EACCES' },
    });
  });
});

describe('fix_lints', () => {
  it('applies what Biome calls safe, shows the diff and what is left', async () => {
    space = tempWorkspace(
      { 'a.js': 'export function f(a) {\n  let y = a == 1;\n  return y;\n}\n' },
      { env: { PATH: NODE_PATH } },
    );
    installBiome();
    const { content, attachments } = await space.ask(fixLints, {});
    expect(readFileSync(path.join(space.root, 'a.js'), 'utf8')).toContain('const y = a == 1;');
    expect(content).toContain('-  let y = a == 1;\n+  const y = a == 1;');
    expect(content).toMatch(/findings are left.*noDoubleEquals/s);
    expect(attachments).toMatchObject({ edits_applied: 1 });
  });

  it('applies fixes of ESLint and Ruff, and only to the paths given', async () => {
    space = tempWorkspace(
      { 'eslint.config.js': '', 'a.js': 'var x = 1;\n', 'm.py': 'import os\nprint(1)\n', 'ruff.toml': '' },
      { env: { PATH: NODE_PATH } },
    );
    install('eslint', FAKE_ESLINT);
    install('ruff', FAKE_RUFF, '.venv/bin');
    const { content, data } = await space.ask(fixLints, { paths: [] });
    expect(content).toContain('Fixed 2 files.');
    expect(readFileSync(path.join(space.root, 'a.js'), 'utf8')).toBe('let x = 1;\n');
    expect(readFileSync(path.join(space.root, 'm.py'), 'utf8')).toBe('print(1)\n');
    expect(data).toMatchObject({
      file_results: [
        { file_path: 'a.js', is_applied: true },
        { file_path: 'm.py', is_applied: true },
      ],
    });
  });

  it('names the workspace as written to, and the commands', async () => {
    space = tempWorkspace({ 'eslint.config.js': '' }, { env: { PATH: NODE_PATH } });
    install('eslint', FAKE_ESLINT);
    const touches = await fixLints.touches(fixLints.args.parse({}), space.context);
    expect(touches[0]).toEqual({ type: 'path', path: space.root, access: 'write' });
    expect(touches.filter((touch) => touch.type === 'command')).toHaveLength(2);
  });

  it('says how to get a linter when there is none', async () => {
    space = tempWorkspace({ 'a.js': 'var x' });
    expect(await space.call(fixLints, {})).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });

  it('changes no file when the linter prints nothing or fails', async () => {
    space = tempWorkspace({ 'eslint.config.js': '', 'a.js': 'var x = 1;\n' }, { env: { PATH: NODE_PATH } });
    install('eslint', FAKE_ESLINT.replace('if (isFix)', 'if (isFix) process.exit(1); else if (false)'));
    expect((await space.ask(fixLints, {})).content).toContain('Nothing could be fixed automatically.');
    expect(readFileSync(path.join(space.root, 'a.js'), 'utf8')).toBe('var x = 1;\n');
  });
});
