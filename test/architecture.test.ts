// Who may import whom. Each folder of src/ lists the folders it may see; everything else is an arrow the wrong way.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  wire: ['core'],
  catalogue: ['core'],
  config: ['core'],
  observe: ['core', 'store', 'config'],
  store: ['core', 'config', 'observe'],
  gen: [],
  native: ['core', 'gen'],
  agent: ['core'],
  dialects: ['core', 'wire', 'gen', 'native', 'catalogue', 'config', 'observe'],
  tools: ['core', 'gen', 'native', 'catalogue', 'config', 'observe'],
  mcp: ['core', 'catalogue', 'tools', 'config', 'observe'],
  gateway: [
    'core',
    'gen',
    'native',
    'agent',
    'catalogue',
    'dialects',
    'tools',
    'mcp',
    'store',
    'config',
    'observe',
  ],
  server: [
    'core',
    'wire',
    'gen',
    'agent',
    'catalogue',
    'tools',
    'mcp',
    'dialects',
    'store',
    'gateway',
    'config',
    'observe',
  ],
  cli: [
    'core',
    'wire',
    'agent',
    'catalogue',
    'tools',
    'mcp',
    'dialects',
    'store',
    'gateway',
    'server',
    'config',
    'observe',
  ],
};

/** Packages from outside that a folder may use; a folder that is not listed may use any. */
const OUTSIDE: Record<string, readonly RegExp[]> = {
  core: [/^zod$/],
  wire: [],
};

/** Only these may touch sockets, the environment or the terminal. */
const MAY_TOUCH_THE_WORLD = new Set(['server', 'cli', 'config', 'observe']);
/** The ways out to upstreams: they call, they never listen. */
const MAY_CALL_OUT = /^dialects\/upstream-[\w-]+\.ts$/;
const WORLD = [
  { what: 'a socket module', pattern: /from 'node:(http|http2|net|tls)'/ },
  { what: 'process.env', pattern: /\bprocess\.env\b/ },
  { what: 'console', pattern: /\bconsole\.(log|error|warn|info|debug)\b/ },
];

interface SourceFile {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const files: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('gen/'))
  .filter((name) => !name.includes('/fixtures/')) // tests and what only they use may join everything
  .map((name) => {
    const text = readFileSync(join(SRC, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(
      (match) => match[1] ?? [],
    );
    return { path: name, folder: name.includes('/') ? name.slice(0, name.indexOf('/')) : '', text, imports };
  });

function folderOf(file: SourceFile, specifier: string): string {
  const target = relative(SRC, resolve(join(SRC, dirname(file.path)), specifier));
  return target.includes('/') ? target.slice(0, target.indexOf('/')) : '';
}

describe('the borders of src/', () => {
  it('finds the source files', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it('every folder is known to this test', () => {
    const unknown = new Set(
      files.map((file) => file.folder).filter((folder) => folder && !(folder in MAY_IMPORT)),
    );
    expect([...unknown]).toEqual([]);
  });

  it('imports point downward only', () => {
    const offences = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => folderOf(file, specifier))
        .filter((folder) => file.folder !== '' && folder !== file.folder)
        .filter((folder) => !MAY_IMPORT[file.folder]?.includes(folder))
        .map((folder) => `${file.path} imports ${folder}`),
    );
    expect(offences).toEqual([]);
  });

  it('core and wire bring nothing from outside', () => {
    const offences = files.flatMap((file) =>
      file.imports
        .filter((specifier) => !specifier.startsWith('.'))
        .filter((specifier) => OUTSIDE[file.folder]?.some((allowed) => allowed.test(specifier)) === false)
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(offences).toEqual([]);
  });

  it('dialects do not look at each other, schemas aside', () => {
    const offences = files
      .filter((file) => file.path.split('/').length > 2 && file.folder === 'dialects')
      .flatMap((file) => {
        const own = file.path.split('/')[1];
        return file.imports
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => relative(SRC, resolve(join(SRC, dirname(file.path)), specifier)).split('/'))
          .filter(([folder, dialect, name]) => folder === 'dialects' && name !== undefined && dialect !== own)
          .filter((target) => target.at(-1) !== 'schema.ts')
          .map((target) => `${file.path} imports ${target.join('/')}`);
      });
    expect(offences).toEqual([]);
  });

  it('sockets, the environment and the terminal stay at the edge', () => {
    const offences = files
      .filter((file) => !MAY_TOUCH_THE_WORLD.has(file.folder) && !MAY_CALL_OUT.test(file.path))
      .flatMap((file) =>
        WORLD.filter(({ pattern }) => pattern.test(file.text)).map(({ what }) => `${file.path} uses ${what}`),
      );
    expect(offences).toEqual([]);
  });
});
