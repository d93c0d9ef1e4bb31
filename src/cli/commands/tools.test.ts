import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS, resolveToolName } from '../../catalogue/index.ts';
import { createTestCli } from '../fixtures/test-context.ts';
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
});
