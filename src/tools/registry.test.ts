import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CLIENT_TOOLS, findClientTool, resolveToolName } from '../catalogue/index.ts';
import { isJsonObject, type JsonValue } from '../core/index.ts';
import { declareTools } from './declare-tools.ts';
import { isOffered, RETIRED_TOOLS } from './modes.ts';
import { BUILTIN_TOOLS, chooseTool } from './registry.ts';
import { findTool } from './runtime/find-tool.ts';
import { MODES } from './tool.ts';

/** Rows of the catalogue without a tool of their own, and the one that takes their calls. */
const SERVED_BY_ANOTHER: Readonly<Record<number, string>> = {
  5: 'read_file', // READ_FILE: the arguments of the first read are spellings of the second's
};

/** The group of MCP tools may be left out of a build of the registry. */
const OPTIONAL: ReadonlySet<number> = new Set([19, 44, 45, 49, 60, 63]);

const RISKS = ['none', 'read', 'write', 'execute', 'network', 'interact'];

function refsOf(node: JsonValue | undefined): string[] {
  if (Array.isArray(node)) return node.flatMap(refsOf);
  if (!isJsonObject(node)) return [];
  const own = typeof node.$ref === 'string' ? [node.$ref] : [];
  return [...own, ...Object.values(node).flatMap(refsOf)];
}

function lookUp(root: JsonValue, ref: string): JsonValue | undefined {
  const steps = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
  return steps.reduce<JsonValue | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), root);
}

describe.each(BUILTIN_TOOLS.map((tool) => [tool.name, tool] as const))('the tool %s', (_, tool) => {
  it('has a row in the catalogue', () => {
    expect(findClientTool(tool.number)).toBeDefined();
  });

  it('has a schema that a model can be given as it is', () => {
    const schema = z.toJSONSchema(tool.args, { io: 'input' }) as JsonValue; // JSON by nature
    expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    for (const ref of refsOf(schema)) expect(lookUp(schema, ref), ref).toBeDefined();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
    const undescribed = Object.entries(properties).filter(
      ([, property]) => !isJsonObject(property) || typeof property.description !== 'string',
    );
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });

  it('says what it is for, how dangerous it is and where it runs', () => {
    expect(tool.description.length).toBeGreaterThanOrEqual(20);
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(RISKS).toContain(tool.risk);
    expect(['local', 'remote-only', 'retired']).toContain(tool.status);
    expect(['any', 'few', 'alone']).toContain(tool.parallel);
    expect(tool.modes.length).toBeGreaterThan(0);
    expect(new Set(tool.modes).size).toBe(tool.modes.length);
    for (const mode of tool.modes) expect(MODES).toContain(mode);
  });

  it('is reached by its own name', () => {
    expect(findTool({ id: '1', name: tool.name, args: {} }, BUILTIN_TOOLS, chooseTool)).toBe(tool);
    if (tool.status !== 'retired') expect(resolveToolName(tool.name).number).toBe(tool.number);
  });

  it('is in no mode that would refuse each of its calls', () => {
    const gates = { knowledge_base_enabled: true, ask_question_all_modes: true };
    for (const mode of tool.modes) expect(isOffered(tool.number, mode, gates), mode).toBe(true);
  });
});

describe('the registry', () => {
  it('has each name once', () => {
    const names = BUILTIN_TOOLS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has retired what the catalogue has retired', () => {
    const ofRetiredRows = BUILTIN_TOOLS.filter(({ number }) => RETIRED_TOOLS.has(number));
    expect(ofRetiredRows.map(({ number }) => number)).toEqual(expect.arrayContaining([3, 6, 16, 33]));
    for (const { name, status } of ofRetiredRows) expect(status, name).toBe('retired');
    for (const mode of MODES) {
      const declared = declareTools(mode, {}, [], BUILTIN_TOOLS).supportedTools;
      for (const { number, status } of BUILTIN_TOOLS)
        if (status === 'retired') expect(declared).not.toContain(number);
    }
  });

  it('runs at least forty tools here', () => {
    const local = BUILTIN_TOOLS.filter(({ status }) => status === 'local').length;
    process.stdout.write(`${local} of ${BUILTIN_TOOLS.length} built-in tools are local\n`);
    expect(local).toBeGreaterThanOrEqual(40);
  });

  it.each(CLIENT_TOOLS.map((row) => [row.number, row.enumName, row] as const))(
    'serves row %i, %s',
    (number, _, row) => {
      const own = BUILTIN_TOOLS.filter((tool) => tool.number === number);
      const lent = BUILTIN_TOOLS.find((tool) => tool.name === SERVED_BY_ANOTHER[number]);
      if (own.length === 0 && !lent) expect(OPTIONAL).toContain(number);
      if (own.length > 0) expect(lent, 'a row with a tool needs no other').toBeUndefined();
      // Whatever a model calls this row, some tool answers; names that rows share go to the newer one.
      if (own.length > 0 || lent) {
        for (const name of [...row.names, row.caseName])
          expect(findTool({ id: '1', name, args: {} }, BUILTIN_TOOLS, chooseTool), name).toBeDefined();
      }
    },
  );

  it('leads every name that only one row has to a tool of that row', () => {
    const rowsOf = (name: string) => CLIENT_TOOLS.filter((row) => row.names.includes(name));
    for (const row of CLIENT_TOOLS) {
      if (!BUILTIN_TOOLS.some((tool) => tool.number === row.number)) continue;
      for (const name of row.names.filter((one) => rowsOf(one).length === 1)) {
        const tool = findTool({ id: '1', name, args: {} }, BUILTIN_TOOLS, chooseTool);
        const { number } = resolveToolName(name);
        expect(tool?.number, name).toBe(number);
        if (foldsAlone(name)) expect(number, name).toBe(row.number);
      }
    }
  });

  it.each([
    ['edit_file_v2', { path: 'a', contents: 'b' }, 'write'],
    ['edit_file_v2', { path: 'a', old_string: 'b', new_string: 'c' }, 'search_replace'],
    ['edit_file_v2', { patch: '*** Begin Patch' }, 'apply_patch'],
    ['edit_file_v2', { target_notebook: 'a.ipynb', cell_idx: 0 }, 'edit_notebook'],
    ['Write', {}, 'write'],
    ['StrReplace', {}, 'search_replace'],
    ['ApplyPatch', {}, 'apply_patch'],
    ['EditNotebook', {}, 'edit_notebook'],
    ['Edit', {}, 'search_replace'],
    ['Bash', {}, 'run_terminal_command'],
    ['exec_command', { cmd: 'ls' }, 'run_terminal_command'],
    ['local_shell', { command: ['ls'] }, 'run_terminal_command'],
    ['write_stdin', { session_id: 1, chars: 'y' }, 'write_shell_stdin'],
    ['BashOutput', { bash_id: '1' }, 'await'],
    ['KillShell', { shell_id: '1' }, 'await'],
    ['fetch', { url: 'https://e.org' }, 'web_fetch'],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }, 'edit_notebook'],
    ['MultiEdit', { file_path: 'a', edits: [] }, 'search_replace'],
    ['read_file', { target_file: 'a', should_read_entire_file: true }, 'read_file'],
    ['list_dir', { relative_workspace_path: '.' }, 'list_dir_v1'],
    ['list_dir', { target_directory: '.' }, 'list_dir'],
  ])('takes %s %j for %s', (name, args, expected) => {
    expect(findTool({ id: '1', name, args }, BUILTIN_TOOLS, chooseTool)?.name).toBe(expected);
  });
});

/** Whether no other row has the same name in another spelling (`task` and `Task`). */
function foldsAlone(name: string): boolean {
  const fold = (text: string) => text.toLowerCase().replaceAll('_', '');
  const rows = CLIENT_TOOLS.filter((row) => row.names.some((other) => fold(other) === fold(name)));
  return rows.length === 1;
}
