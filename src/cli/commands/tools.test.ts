import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS, resolveToolName } from '../../catalogue/index.ts';
import { statePaths } from '../../config/index.ts';
import { serveHttp } from '../../mcp/fixtures/hub-bench.ts';
import { createTestCli, type TestCli } from '../fixtures/test-context.ts';
import type { ToolRow } from '../tool-rows.ts';

async function readRows(...flags: string[]): Promise<ToolRow[]> {
  const { code, output, errors } = await createTestCli().run('tools', '--json', ...flags);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  return JSON.parse(output);
}

async function readRow(name: string): Promise<ToolRow> {
  const { code, output } = await createTestCli().run('tools', name, '--json');
  expect(code).toBe(0);
  return JSON.parse(output);
}

describe('crosspoint tools', () => {
  it('prints every row of the catalogue with exactly the promised keys', async () => {
    const rows = await readRows();
    expect([...new Set(rows.map(({ number }) => number))]).toEqual(CLIENT_TOOLS.map(({ number }) => number));
    for (const row of rows) {
      expect(Object.keys(row)).toEqual([
        'number',
        'enum',
        'name',
        'names',
        'schema',
        'modes',
        'risk',
        'status',
      ]);
      expect(row.schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      expect(row.names.length).toBeGreaterThan(0);
    }
    expect(rows.filter(({ status }) => status === 'local').length).toBeGreaterThanOrEqual(40);
  });

  it('lists only names that lead to the number, retired twins aside', async () => {
    for (const { names, number, status } of await readRows()) {
      if (status === 'retired') continue;
      for (const name of names) expect([name, resolveToolName(name).number]).toEqual([name, number]);
    }
  });

  it('gives a name to one tool of a number that several share', async () => {
    const edits = (await readRows()).filter(({ number }) => number === 38);
    const names = edits.flatMap((row) => row.names);
    expect(edits.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
  });

  it('lists the first read as retired, with the schema of the tool that serves it', async () => {
    expect(await readRow('5')).toEqual({
      ...(await readRow('read_file')),
      number: 5,
      enum: 'READ_FILE',
      names: ['read_file'],
      status: 'retired',
    });
  });

  it.each([
    ['StrReplace', 'search_replace'],
    ['Bash', 'run_terminal_command'],
    ['ReadFile', 'read_file'],
    ['READ_FILE_V2', 'read_file'],
    ['42', 'glob_file_search'],
    ['38', 'search_replace'],
    ['list_dir_v1', 'list_dir_v1'],
  ])('finds %s as %s', async (name, expected) => {
    expect((await readRow(name)).name).toBe(expected);
  });

  it('shows a table for people', async () => {
    const { output } = await createTestCli().run('tools');
    expect(output).toMatch(/^NUMBER {2}NAME +RISK +STATUS +MODES +OTHER NAMES\n/);
    expect(output).toMatch(/^40 +read_file +read +local +all +Read, ReadFile/m);
    expect(output).toMatch(/\n\d+ tools, \d+ of them local\.\n$/);
  });

  it('shows one tool with its description, risk and schema', async () => {
    const { output } = await createTestCli().run('tools', 'Delete');
    expect(output).toMatch(/^delete_file\n.{20,}\n/);
    expect(output).toContain('enum     DELETE_FILE (11)');
    expect(output).toContain('risk     write: changes files');
    expect(output).toContain('"type": "object"');
  });

  it('shows what a mode offers', async () => {
    const names = (await readRows('--mode', 'plan')).map(({ name }) => name);
    expect(names).toContain('create_plan');
    expect(names).toContain('read_file');
    for (const name of ['write', 'run_terminal_command', 'list_dir_v1', 'connect_scm'])
      expect(names).not.toContain(name);
  });

  it.each([
    [['tools', 'Reed'], 'There is no tool "Reed". Nearest: Read'],
    [['tools', 'mcp__a__b'], 'Tools of MCP servers are called through call_mcp_tool.'],
    [['tools', 'write', '--mode', 'chat'], 'write is not offered in chat mode.'],
    [['tools', '--mode', 'yolo'], 'Allowed choices are agent, chat, plan, debug, search'],
  ])('ends %j with exit code 2 and a reason', async (argv, reason) => {
    const { code, output, errors } = await createTestCli().run(...argv);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(reason);
  });

  describe('with MCP servers', () => {
    const program = path.resolve(import.meta.dirname, '../../mcp/fixtures/serve-stdio.mjs');

    function withServer(more = ''): TestCli {
      const cli = createTestCli();
      const server = `{ command: ${process.execPath}, args: [${program}] }`;
      writeFileSync(
        path.join(cli.folder, 'crosspoint.yaml'),
        `mcp: { servers: { test: ${server}${more} } }\n`,
      );
      return cli;
    }

    it('lists their tools with server and consent, and says which server cannot be asked', async () => {
      const cli = withServer(', broken: { command: no-such-program }');
      const { code, output } = await cli.run('tools');
      expect(code).toBe(0);
      expect(output).toMatch(/^test +echo +asked for at the first call +mcp__test__echo$/m);
      expect(output).toContain('! The program of the MCP server broken was not found');
      const rows: (ToolRow & { server?: string; consent?: string })[] = JSON.parse(
        (await cli.run('tools', '--json')).output,
      );
      expect(rows.filter(({ server }) => server === 'test')).toContainEqual(
        expect.objectContaining({ name: 'mcp__test__echo', number: 19, consent: 'none', status: 'local' }),
      );
    });

    it('shows one of them, and none with --no-mcp', async () => {
      const cli = withServer();
      const { output } = await cli.run('tools', 'test:echo');
      expect(output).toContain('Repeats a text.');
      expect((await cli.run('tools', 'test:echo', '--no-mcp')).code).toBe(2);
      expect((await cli.run('tools', '--no-mcp')).output).not.toContain('mcp__test__');
    });

    it('says of a server of the workspace that was changed after it was trusted how to agree to it', async () => {
      const cli = createTestCli();
      const define = (...args: string[]) =>
        writeFileSync(
          path.join(cli.folder, '.mcp.json'),
          JSON.stringify({ mcpServers: { repo: { command: process.execPath, args: [program, ...args] } } }),
        );
      define();
      expect((await cli.run('tools')).output).not.toContain('mcp__repo__');
      await cli.run('policy', 'trust');
      expect((await cli.run('tools')).output).toMatch(/^repo +echo/m);
      define('changed');
      const { output } = await cli.run('tools');
      expect(output).toMatch(
        /! repo \(.*\.mcp\.json\) is held back: its definition is not the one you agreed to/,
      );
      expect(output).not.toMatch(/^repo +echo/m);
    });

    it('still lists the built-in tools when the configuration is wrong', async () => {
      const cli = createTestCli();
      writeFileSync(path.join(cli.folder, 'crosspoint.yaml'), 'mcp: { sever: {} }\n');
      const { code, output } = await cli.run('tools');
      expect(code).toBe(0);
      expect(output).toContain('read_file');
      expect(output).toContain('mcp.sever is not a known key. Did you mean servers?');
    });

    it('signs in to one: prints the address, takes the browser back, keeps the token privately', async () => {
      const server = await serveHttp('oauth');
      let address = '';
      const cli = createTestCli();
      const write = cli.context.stdout.write;
      Object.assign(cli.context.stdout, {
        write(text: string) {
          write(text);
          if (address !== '') return;
          address = /https?:\S+/.exec(text)?.[0] ?? '';
          if (address !== '') void fetch(address);
        },
      });
      const text = `mcp: { servers: { remote: { url: "${server.url}/mcp" } } }\n`;
      writeFileSync(path.join(cli.folder, 'crosspoint.yaml'), text);
      const { code, output } = await cli.run('tools', '--sign-in', 'remote');
      expect({ code, isDone: output.includes('Signed in to remote') }).toEqual({ code: 0, isDone: true });
      const file = path.join(statePaths(cli.context).home, 'mcp', 'credentials.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect((await cli.run('tools')).output).toMatch(/^remote +echo/m);
      const wrong = await cli.run('tools', '--sign-in', 'nobody');
      expect(wrong).toMatchObject({
        code: 2,
        errors: expect.stringContaining('There is no MCP server named'),
      });
      await server.stop();
    });
  });
});
