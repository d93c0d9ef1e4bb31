import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS } from './client-tools.ts';
import { impliedArguments } from './foreign-tools.ts';
import { resolveToolName } from './resolve-tool-name.ts';

const EXPECTED: Readonly<Record<string, number>> = {
  read_file: 40,
  Read: 40,
  list_dir: 39,
  LS: 39,
  edit_file: 7,
  search_replace: 38,
  StrReplace: 38,
  Edit: 38,
  MultiEdit: 38,
  write: 38,
  Write: 38,
  edit_notebook: 38,
  EditNotebook: 38,
  ApplyPatch: 38,
  apply_patch: 38,
  delete_file: 11,
  Delete: 11,
  run_terminal_cmd: 15,
  run_terminal_command: 15,
  Shell: 15,
  Bash: 15,
  Await: 62,
  grep_search: 41,
  grep: 41,
  Grep: 41,
  glob_file_search: 42,
  Glob: 42,
  file_search: 8,
  codebase_search: 9,
  SemanticSearch: 9,
  read_lints: 30,
  ReadLints: 30,
  todo_write: 35,
  TodoWrite: 35,
  todo_read: 34,
  CreatePlan: 43,
  AskQuestion: 51,
  SwitchMode: 52,
  task: 48,
  Task: 48,
  WebSearch: 18,
  WebFetch: 57,
  CallMcpTool: 49,
  ListMcpResources: 44,
  FetchMcpResource: 45,
  GenerateImage: 53,
  update_memory: 25,
  fetch_rules: 16,
  fetch_pull_request: 26,
  create_diagram: 28,
  reapply: 12,
  deep_search: 27,
  BashOutput: 62,
  KillShell: 62,
  KillBash: 62,
  exec_command: 15,
  shell: 15,
  local_shell: 15,
  write_stdin: 55,
  fetch: 57,
  NotebookEdit: 38,
};

describe('resolving a tool name', () => {
  it.each(Object.entries(EXPECTED))('%s is tool %i', (name, number) => {
    expect(resolveToolName(name).number).toBe(number);
  });

  it('knows what the name of another agent’s tool says besides', () => {
    expect(impliedArguments('KillShell')).toEqual({ stop: true });
    expect(impliedArguments('bash_output')).toEqual({ block_until_ms: 0 });
    expect(impliedArguments('await')).toEqual({});
  });

  it('takes every unknown name as an MCP tool', () => {
    for (const name of ['mcp_github_search', 'mcp__github__search', 'frobnicate', '', '___', '日本語']) {
      expect(resolveToolName(name).number, name).toBe(19);
    }
  });

  it('tells the V1 schema of a shared name by its arguments', () => {
    expect(resolveToolName('read_file', { start_line_one_indexed: 1 }).number).toBe(5);
    expect(resolveToolName('read_file', { should_read_entire_file: true }).number).toBe(5);
    expect(resolveToolName('read_file', { target_file: 'a', offset: 1 }).number).toBe(40);
    expect(resolveToolName('list_dir', { relative_workspace_path: '.' }).number).toBe(6);
    expect(resolveToolName('list_dir', { target_directory: '.' }).number).toBe(39);
  });

  it('finds every row by the lower-case form of its enum name, or by a row that shares it', () => {
    for (const tool of CLIENT_TOOLS) {
      const found = resolveToolName(tool.caseName);
      const shares = found.number === tool.number || found.names.includes(tool.caseName);
      expect(shares || tool.caseName in EXPECTED || tool.number === 19, tool.caseName).toBe(true);
    }
  });

  it('ignores case and punctuation', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(EXPECTED)),
        fc.constantFrom('-', '.', '_', '/'),
        (name, mark) => {
          const number = resolveToolName(name).number;
          expect(resolveToolName(name.toUpperCase()).number).toBe(number);
          expect(resolveToolName([...name].join(mark)).number).toBe(number);
        },
      ),
    );
  });
});
