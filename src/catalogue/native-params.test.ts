import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeNativeCall } from './native-params.ts';

function encode(name: string, input: unknown, strictProto = false) {
  return encodeNativeCall(name, JSON.stringify(input), { strictProto });
}

describe('native params', () => {
  it.each([
    ['read_file', 5, 'read_file_params'],
    ['Read', 40, 'read_file_params'],
    ['ReadFile', 40, 'read_file_params'],
    ['edit_file', 7, 'edit_file_params'],
    ['StrReplace', 38, 'edit_file_params'],
    ['Write', 38, 'edit_file_params'],
    ['list_dir', 6, 'list_dir_params'],
    ['LS', 39, 'list_dir_params'],
    ['run_terminal_command', 15, 'run_terminal_command_v2_params'],
    ['run_terminal_cmd', 15, 'run_terminal_command_v2_params'],
    ['Shell', 15, 'run_terminal_command_v2_params'],
    ['delete_file', 11, 'delete_file_params'],
    ['Delete', 11, 'delete_file_params'],
    ['grep', 3, 'ripgrep_search_params'],
    ['grep_search', 3, 'ripgrep_search_params'],
    ['Grep', 41, 'ripgrep_search_params'],
    ['glob', 42, 'file_search_params'],
    ['Glob', 42, 'file_search_params'],
    ['glob_file_search', 42, 'file_search_params'],
    ['file_search', 8, 'file_search_params'],
    ['web_search', 18, 'web_search_params'],
    ['WebSearch', 18, 'web_search_params'],
    ['codebase_search', 9, 'semantic_search_full_params'],
    ['SemanticSearch', 9, 'semantic_search_full_params'],
    ['TodoWrite', 35, 'todo_write_params'],
    ['todo_write', 35, 'todo_write_params'],
    ['ApplyPatch', 19, 'mcp_params'],
    ['mcp_github_search', 19, 'mcp_params'],
  ])('%s is number %i with %s', (name, tool, paramsKey) => {
    expect(encode(name, {})).toMatchObject({ tool, paramsKey });
  });

  it('reads the whole file when no range is given', () => {
    expect(encode('Read', { path: 'a.ts' }).params).toEqual({
      relative_workspace_path: 'a.ts',
      read_entire_file: true,
    });
  });

  it('turns offset and limit into first and last line', () => {
    expect(encode('Read', { path: 'a.ts', offset: 10, limit: 5 }).params).toEqual({
      relative_workspace_path: 'a.ts',
      read_entire_file: false,
      start_line_one_indexed: 10,
      end_line_one_indexed_inclusive: 14,
    });
    expect(encode('Read', { path: 'a.ts', limit: 5 }).params).toMatchObject({
      start_line_one_indexed: 1,
      end_line_one_indexed_inclusive: 5,
    });
    expect(encode('Read', { path: 'a.ts', offset: 7 }).params).toEqual({
      relative_workspace_path: 'a.ts',
      read_entire_file: false,
      start_line_one_indexed: 7,
    });
  });

  it('never ends a range from the end of the file beyond it', () => {
    expect(encode('Read', { path: 'a', offset: -3, limit: 9 }).params).not.toHaveProperty(
      'end_line_one_indexed_inclusive',
    );
  });

  it('takes the path from any of its names', () => {
    for (const key of ['path', 'file_path', 'target_file', 'relative_workspace_path']) {
      expect(encode('delete_file', { [key]: 'x' }).params, key).toEqual({ relative_workspace_path: 'x' });
    }
    for (const key of ['path', 'target_directory', 'directory_path', 'relative_workspace_path']) {
      expect(encode('LS', { [key]: 'x' }).params, key).toEqual({ directory_path: 'x' });
    }
  });

  it('gives Write contents and StrReplace old and new text', () => {
    expect(encode('Write', { path: 'a', contents: 'x' }).params).toEqual({
      relative_workspace_path: 'a',
      contents: 'x',
    });
    expect(encode('StrReplace', { path: 'a', old_string: 'x', new_string: '' }).params).toEqual({
      relative_workspace_path: 'a',
      old_string: 'x',
      new_string: '',
    });
  });

  it('asks for approval of every shell command and leaves absent options out', () => {
    expect(encode('Shell', { command: 'ls', working_directory: null }).params).toEqual({
      command: 'ls',
      is_background: false,
      require_user_approval: true,
    });
    expect(encode('Shell', { command: 'ls', working_directory: '/w', is_background: true }).params).toEqual({
      command: 'ls',
      cwd: '/w',
      is_background: true,
      require_user_approval: true,
    });
  });

  it('passes unknown tools as MCP calls with their text as it came', () => {
    expect(encodeNativeCall('ApplyPatch', '*** Begin Patch').params).toEqual({
      tools: [{ name: 'ApplyPatch', parameters: '*** Begin Patch' }],
    });
    expect(encodeNativeCall('mcp_x_y', '{ "a" : 1 }').params).toEqual({
      tools: [{ name: 'mcp_x_y', parameters: '{ "a" : 1 }' }],
    });
  });

  it('passes arguments that are no JSON object as raw text', () => {
    expect(encodeNativeCall('Read', '{"path": ')).toEqual({
      tool: 19,
      paramsKey: 'mcp_params',
      params: { tools: [{ name: 'Read', parameters: '{"path": ' }] },
    });
    expect(encodeNativeCall('Read', '[1]').tool).toBe(19);
  });

  it('takes no text at all as no arguments', () => {
    expect(encodeNativeCall('LS', '')).toMatchObject({ tool: 39, params: { directory_path: '' } });
  });

  it('uses the messages of the protobuf when asked to', () => {
    expect(encode('Read', { path: 'a', offset: 2, limit: 3 }, true)).toEqual({
      tool: 40,
      paramsKey: 'read_file_v2_params',
      params: { target_file: 'a', offset: 2, limit: 3 },
    });
    expect(encode('Write', { path: 'a', contents: 'x' }, true)).toEqual({
      tool: 38,
      paramsKey: 'edit_file_v2_params',
      params: { relative_workspace_path: 'a', contents_after_edit: 'x' },
    });
    expect(encode('StrReplace', { path: 'a', old_string: 'x', new_string: 'y' }, true)).toEqual({
      tool: 7,
      paramsKey: 'edit_file_params',
      params: { relative_workspace_path: 'a', old_string: 'x', new_string: 'y' },
    });
    expect(encode('LS', { target_directory: 'd' }, true)).toMatchObject({
      tool: 39,
      paramsKey: 'list_dir_v2_params',
    });
    expect(encode('Grep', { pattern: 'x', '-i': true, '-C': 2 }, true)).toEqual({
      tool: 41,
      paramsKey: 'ripgrep_raw_search_params',
      params: { pattern: 'x', case_insensitive: true, context: 2 },
    });
    expect(encode('grep_search', { query: 'x', include_pattern: '*.ts' }, true).params).toEqual({
      options: { include_pattern: { pattern: '*.ts' } },
      pattern_info: { pattern: 'x', is_reg_exp: true },
    });
    expect(encode('Glob', { glob_pattern: '*.ts' }, true)).toEqual({
      tool: 42,
      paramsKey: 'glob_file_search_params',
      params: { glob_pattern: '*.ts' },
    });
    expect(encode('Shell', { command: 'ls' }, true).paramsKey).toBe('run_terminal_command_v2_params');
  });

  it('never throws and never sends null', () => {
    const names = fc.constantFrom(
      'Read',
      'edit_file',
      'LS',
      'Shell',
      'Delete',
      'Grep',
      'grep',
      'Glob',
      'other',
    );
    fc.assert(
      fc.property(names, fc.oneof(fc.string(), fc.json()), fc.boolean(), (name, text, strictProto) => {
        const call = encodeNativeCall(name, text, { strictProto });
        expect(Object.values(call.params)).not.toContain(null);
      }),
    );
  });
});
