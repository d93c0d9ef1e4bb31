// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDefinitions } from './load-definitions.ts';
import { mcpSchema } from './mcp-schema.ts';
import { parseClientFile, readClientFiles } from './read-client-files.ts';

let base = '';

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'crosspoint-mcp-files-'));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(file: string, content: object | string): void {
  const whole = path.join(base, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, typeof content === 'string' ? content : JSON.stringify(content));
}

function options(isWorkspaceTrusted: boolean) {
  return {
    homeFolder: path.join(base, 'home'),
    workspaceFolder: path.join(base, 'work'),
    env: { TOKEN: 'secret-token', EMPTY: '' },
    isWorkspaceTrusted,
  };
}

describe('files of other clients', () => {
  beforeEach(() => {
    write('home/.cursor/mcp.json', { mcpServers: { mine: { command: 'npx', args: ['-y', 'mine'] } } });
    write('work/.cursor/mcp.json', {
      mcpServers: { cursor: { url: 'https://example.org/mcp' }, mine: { command: 'evil' } },
    });
    write(
      'work/.vscode/mcp.json',
      '{ // comments are usual here\n "servers": { "code": { "type": "sse", "url": "http://127.0.0.1:1/", }, } }',
    );
    write('work/.mcp.json', { mcpServers: { claude: { command: 'uvx', args: ['${workspaceFolder}/x'] } } });
  });

  it('of a workspace are not read before it is trusted', async () => {
    const { servers } = await readClientFiles(options(false));
    expect(servers.map(({ name }) => name)).toEqual(['mine']);
  });

  it('are read in their own spellings, and the user comes before the workspace', async () => {
    const { servers, problems } = await readClientFiles(options(true));
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      { name: 'mine', isFromWorkspace: false, config: { command: 'npx', args: ['-y', 'mine'] } },
      { name: 'cursor', isFromWorkspace: true, config: { url: 'https://example.org/mcp' } },
      { name: 'code', config: { transport: 'sse' } },
      { name: 'claude', config: { command: 'uvx', args: [`${path.join(base, 'work')}/x`] } },
    ]);
  });

  it('come after the configuration, and can be switched off', async () => {
    const servers = { cursor: { command: 'own' } };
    const { definitions } = await loadDefinitions(mcpSchema.parse({ servers }), options(true));
    expect(definitions.filter(({ name }) => name === 'cursor')).toMatchObject([{ origin: 'config' }]);
    expect(definitions).toHaveLength(4);
    const alone = await loadDefinitions(mcpSchema.parse({ servers, readClientFiles: false }), options(true));
    expect(alone.definitions).toHaveLength(1);
  });
});

describe('one file', () => {
  const parse = (content: object | string) =>
    parseClientFile(typeof content === 'string' ? content : JSON.stringify(content), {
      file: '/w/.mcp.json',
      isFromWorkspace: true,
      variables: options(true),
    });

  it('has its variables filled in', () => {
    const env = { A: '${env:TOKEN}', B: '${TOKEN}', C: '${NOPE:-other}', D: '${EMPTY:-full}', PORT: 80 };
    const { servers } = parse({ mcpServers: { x: { command: '${userHome}/run', env } } });
    expect(servers).toMatchObject([
      {
        config: {
          command: `${path.join(base, 'home')}/run`,
          env: { A: 'secret-token', B: 'secret-token', C: 'other', D: 'full', PORT: '80' },
        },
      },
    ]);
    expect(servers[0]?.problem).toBeUndefined();
  });

  it('says which variable has no value', () => {
    const { servers } = parse({ servers: { x: { command: 'run', args: ['${input:key}', '${env:NOPE}'] } } });
    expect(servers[0]?.problem).toBe(
      '/w/.mcp.json refers to ${input:key}, ${env:NOPE}, which has no value here; set it or write the value.',
    );
  });

  it('never takes consent that was given to another client', () => {
    const { servers } = parse({
      mcpServers: { x: { command: 'run', autoApprove: ['*'], alwaysAllow: ['y'] } },
    });
    expect(Object.keys(servers[0]?.config ?? {})).not.toContain('autoApprove');
  });

  it('with mistakes names them and keeps the rest', () => {
    const { servers, problems } = parse({
      mcpServers: {
        good: { command: 'run' },
        bad: { args: ['x'] },
        'a:b': { command: 'run' },
        off: { disabled: true },
      },
    });
    expect(servers.map(({ name }) => name)).toEqual(['good', 'bad', 'off']);
    expect(servers[1]?.problem).toBe(
      '/w/.mcp.json: it needs command (a program to start) or url (an address to call).',
    );
    expect(problems).toEqual(['/w/.mcp.json names a server "a:b"; leave out : and *.']);
    expect(parse('{"mcpServers": ').problems[0]).toContain('/w/.mcp.json is not JSON');
    expect(parse('[]').problems[0]).toContain('must hold an object');
    expect(parse('').servers).toEqual([]);
  });
});

describe('the section mcp', () => {
  it('refuses what cannot work, in words', () => {
    const issues = (servers: object) =>
      mcpSchema.safeParse({ servers }).error?.issues.map(({ message }) => message);
    expect(issues({ x: {} })).toEqual(['needs command (a program to start) or url (an address to call)']);
    expect(issues({ x: { command: 'a', url: 'http://b' } })).toEqual([
      'has command and url; keep one of them',
    ]);
    expect(issues({ x: { url: 'file:///etc/passwd' } })).toEqual(['must be an http:// or https:// address']);
    expect(mcpSchema.parse({})).toEqual({ servers: {}, readClientFiles: true, consent: 'changes' });
  });

  it('takes a server as other clients write it', () => {
    const { servers } = mcpSchema.parse({
      servers: {
        a: { type: 'Streamable-HTTP', url: 'https://a.test/mcp', headers: { 'x-count': 3 } },
        b: { command: 'npx', env: { PORT: 8080, DEBUG: true, GONE: null }, enabled: false },
      },
    });
    expect(servers).toMatchObject({
      a: { transport: 'http', headers: { 'x-count': '3' } },
      b: { env: { PORT: '8080', DEBUG: 'true' }, disabled: true },
    });
    expect(servers.b?.env).not.toHaveProperty('GONE');
  });

  it('has the variables of such files filled in; a missing one costs that server alone', async () => {
    const config = mcpSchema.parse({
      servers: {
        a: { command: 'x', args: ['${workspaceFolder}', '${env:NAME}'] },
        b: { command: 'x', env: { KEY: '${env:MISSING}' } },
      },
      readClientFiles: false,
    });
    const { definitions } = await loadDefinitions(config, {
      env: { NAME: 'n' },
      homeFolder: '/h',
      workspaceFolder: '/w',
      isWorkspaceTrusted: false,
    });
    expect(definitions).toMatchObject([{ config: { args: ['/w', 'n'] } }, { name: 'b' }]);
    expect(definitions[0]).not.toHaveProperty('problem');
    expect(definitions[1]?.problem).toBe(
      'mcp.servers.b refers to ${env:MISSING}, which has no value here; set it or write the value.',
    );
  });
});
