import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CONNECT_CLIENTS } from '../connect/index.ts';
import { createTestCli, type TestCli } from '../fixtures/test-context.ts';

const WRITABLE = [
  ['opencode', '.config/opencode/opencode.json'],
  ['codex', '.codex/config.toml'],
  ['claude-code', '.claude/settings.json'],
  ['continue', '.continue/config.yaml'],
] as const;

const PRINTED = ['cline', 'cursor', 'cursor-sdk', 'cursor-cli', 'openai-sdk', 'ai-sdk'];

function put(cli: TestCli, name: string, text: string): string {
  const file = path.join(cli.context.home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (file: string) => readFileSync(file, 'utf8');

describe('connect', () => {
  it('knows the clients the documentation names', () => {
    expect(CONNECT_CLIENTS.map(({ name }) => name).toSorted()).toEqual(
      [...WRITABLE.map(([name]) => name), ...PRINTED].toSorted(),
    );
  });

  it.each([...WRITABLE.map(([name]) => name), ...PRINTED])(
    'prints settings for %s and writes nothing',
    async (client) => {
      const cli = createTestCli();
      const { code, output } = await cli.run(
        'connect',
        client,
        '--url',
        'https://gw.example/v1/',
        '--model',
        'm/x',
        '--key',
        'K1',
      );
      expect(code).toBe(0);
      expect(output).toContain('https://gw.example');
      expect(output).not.toContain('/v1/v1');
      expect(existsSync(cli.context.home)).toBe(false);
    },
  );

  it.each(WRITABLE)('writes %s into a file that was not there, for its owner only', async (client, name) => {
    const cli = createTestCli();
    const { code, output } = await cli.run('connect', client, '--write');
    const file = path.join(cli.context.home, name);
    expect(code).toBe(0);
    expect(output).toContain(`Changed ${file}:`);
    expect(read(file)).toContain('http://127.0.0.1:18741');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
  });

  it.each(WRITABLE)('changes nothing when %s is written twice', async (client, name) => {
    const cli = createTestCli();
    await cli.run('connect', client, '--write', '--model', 'a/b');
    const file = path.join(cli.context.home, name);
    const before = read(file);
    const { code, output } = await cli.run('connect', client, '--write', '--model', 'a/b');
    expect(code).toBe(0);
    expect(output).toBe(`${file} is up to date; nothing was changed.\n`);
    expect(read(file)).toBe(before);
    expect(readdirSync(path.dirname(file))).toHaveLength(1);
  });

  it('edits an existing OpenCode file and keeps comments, other keys, mode and a backup', async () => {
    const cli = createTestCli();
    const text =
      '{\n  // my theme\n  "theme": "dark",\n  "provider": {\n    "other": { "npm": "x" }, // keep\n  },\n}\n';
    const file = put(cli, '.config/opencode/opencode.jsonc', text);
    chmodSync(file, 0o640);
    const { output } = await cli.run(
      'connect',
      'opencode',
      '--write',
      '--model',
      'demo/demo',
      '--key',
      'xp_key',
    );
    const backup = `${file}.bak-20260102-030405`;
    expect(read(backup)).toBe(text);
    expect(output).toContain(`The old file is kept as ${backup}.`);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(statSync(backup).mode & 0o777).toBe(0o640);
    const after = read(file);
    expect(after).toContain('// my theme');
    expect(after).toContain('// keep');
    expect(parseJson(after)).toEqual({
      theme: 'dark',
      provider: {
        other: { npm: 'x' },
        crosspoint: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Crosspoint',
          options: { baseURL: 'http://127.0.0.1:18741/v1', apiKey: 'xp_key' },
          models: { 'demo/demo': { name: 'demo/demo' } },
        },
      },
      model: 'crosspoint/demo/demo',
    });
    expect(output).toMatch(/^\+ .*"crosspoint": \{/m);
  });

  it('edits an existing Codex file key by key', async () => {
    const cli = createTestCli();
    const file = put(
      cli,
      '.codex/config.toml',
      '# mine\nmodel = "gpt" # old\napproval_policy = "never"\n\n[model_providers.crosspoint]\nbase_url = "http://old/v1"\n\n[mcp_servers.x]\ncommand = "y"\n',
    );
    await cli.run('connect', 'codex', '--write', '--model', 'a/b');
    expect(read(file)).toBe(
      '# mine\nmodel = "a/b" # old\napproval_policy = "never"\nmodel_provider = "crosspoint"\n\n' +
        '[model_providers.crosspoint]\nbase_url = "http://127.0.0.1:18741/v1"\nname = "Crosspoint"\n' +
        'wire_api = "responses"\nenv_key = "CROSSPOINT_API_KEY"\n\n[mcp_servers.x]\ncommand = "y"\n',
    );
  });

  it('edits existing Claude Code settings', async () => {
    const cli = createTestCli();
    const file = put(cli, '.claude/settings.json', '{"permissions":{"allow":["Read"]},"env":{"FOO":"1"}}');
    await cli.run('connect', 'claude-code', '--write', '--model', 'a/b', '--key', 'k');
    expect(JSON.parse(read(file))).toEqual({
      permissions: { allow: ['Read'] },
      env: {
        FOO: '1',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:18741',
        ANTHROPIC_AUTH_TOKEN: 'k',
        ANTHROPIC_MODEL: 'a/b',
      },
    });
  });

  it('edits an existing Continue file and keeps its comments and models', async () => {
    const cli = createTestCli();
    const file = put(
      cli,
      '.continue/config.yaml',
      'name: Mine # n\nversion: 1.0.0\nschema: v1\nmodels:\n  # first\n  - name: GPT\n    provider: openai\n',
    );
    await cli.run('connect', 'continue', '--write', '--model', 'a/b');
    const after = read(file);
    expect(after).toContain('name: Mine # n');
    expect(after).toContain('# first');
    expect(parseYaml(after)).toMatchObject({
      models: [
        { name: 'GPT', provider: 'openai' },
        { name: 'Crosspoint', provider: 'openai', model: 'a/b', apiBase: 'http://127.0.0.1:18741/v1' },
      ],
    });
    await cli.run('connect', 'continue', '--write', '--model', 'c/d');
    expect(parseYaml(read(file)).models).toHaveLength(2);
  });

  it.each([
    ['opencode', '.config/opencode/opencode.json', '{ "provider": '],
    ['opencode', '.config/opencode/opencode.json', '[]'],
    ['codex', '.codex/config.toml', 'model = "unfinished\n'],
    ['claude-code', '.claude/settings.json', 'not json'],
    ['continue', '.continue/config.yaml', 'models: [\n'],
    ['continue', '.continue/config.yaml', 'models: 5\n'],
  ])('leaves a broken file of %s alone (%s: %j)', async (client, name, text) => {
    const cli = createTestCli();
    const file = put(cli, name, text);
    const { code, errors } = await cli.run('connect', client, '--write');
    expect(code).toBe(1);
    expect(errors).toContain('left alone');
    expect(read(file)).toBe(text);
    expect(readdirSync(path.dirname(file))).toHaveLength(1);
  });

  it('shows the change and keeps its hands off with --dry-run', async () => {
    const cli = createTestCli();
    const file = put(cli, '.codex/config.toml', 'model = "gpt"\n');
    const { output } = await cli.run('connect', 'codex', '--write', '--dry-run', '--model', 'a/b');
    expect(output).toContain(`Would change ${file}:\n\n- model = "gpt"\n+ model = "a/b"`);
    expect(read(file)).toBe('model = "gpt"\n');
  });

  it('follows a link to the real file and leaves the link in place', async () => {
    const cli = createTestCli();
    const real = put(cli, 'dotfiles/settings.json', '{}\n');
    const link = path.join(cli.context.home, '.claude', 'settings.json');
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(real, link);
    await cli.run('connect', 'claude-code', '--write');
    expect(read(real)).toContain('ANTHROPIC_BASE_URL');
    expect(existsSync(`${real}.bak-20260102-030405`)).toBe(true);
  });

  it('writes the file that --file names, and honours the clients’ own variables', async () => {
    const cli = createTestCli();
    await cli.run('connect', 'codex', '--write', '--file', 'here.toml');
    expect(read(path.join(cli.folder, 'here.toml'))).toContain('[model_providers.crosspoint]');
    const other = createTestCli({ env: { CODEX_HOME: path.join(cli.folder, 'ch') } });
    await other.run('connect', 'codex', '--write');
    expect(existsSync(path.join(cli.folder, 'ch', 'config.toml'))).toBe(true);
  });

  it.each(PRINTED)('says that there is nothing to write for %s', async (client) => {
    const cli = createTestCli();
    const { code, output } = await cli.run('connect', client, '--write');
    expect(code).toBe(0);
    expect(output).toContain('there is nothing to write. Do this instead:');
    expect(existsSync(cli.context.home)).toBe(false);
  });

  it('says plainly when this version does not serve what the client speaks', async () => {
    const dialects = async () => ({ kinds: [], fronts: [], natives: [] });
    const { errors } = await createTestCli({ dialects }).run('connect', 'codex');
    expect(errors).toContain('Codex CLI speaks openai-responses, which this version does not serve yet.');
    const served = await createTestCli().run('connect', 'opencode');
    expect(served.errors).toBe('');
  });

  it('explains why loopback cannot work for Cursor', async () => {
    const local = await createTestCli().run('connect', 'cursor');
    expect(local.output).toContain('refuse loopback');
    expect(local.output).toContain('<public https url>/cursor');
    const open = await createTestCli().run('connect', 'cursor', '--url', 'https://gw.example', '--key', 'k');
    expect(open.output).toContain('https://gw.example/cursor');
  });

  it('prints JSON', async () => {
    const cli = createTestCli();
    const { output } = await cli.run('connect', 'opencode', '--write', '--json');
    expect(JSON.parse(output)).toMatchObject({
      client: 'opencode',
      front: 'openai-chat',
      isServed: true,
      url: 'http://127.0.0.1:18741',
      model: 'demo/demo',
      file: path.join(cli.context.home, '.config/opencode/opencode.json'),
      changed: true,
    });
  });

  it('refuses an address that is none', async () => {
    const { code, errors } = await createTestCli().run('connect', 'cline', '--url', 'gw.example');
    expect(code).toBe(2);
    expect(errors).toContain('--url gw.example: the address must begin with http:// or https://.');
  });

  it('takes address and default model from the configuration', async () => {
    const cli = createTestCli();
    writeFileSync(
      path.join(cli.folder, 'crosspoint.yaml'),
      'server: { port: 5555 }\ndefault: fast\nmodels: { fast: { upstream: demo, model: demo } }\n',
    );
    const { output } = await cli.run('connect', 'cline');
    expect(output).toContain('http://127.0.0.1:5555/v1');
    expect(output).toContain('-m fast');
  });
});
