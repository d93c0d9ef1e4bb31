// Reading, writing and listing files. V1 tools (5, 6, 7) are superseded by their V2 twins but still understood.
import { type ClientTool, defineClientTool } from './client-tool.ts';

export const FILE_TOOLS: readonly ClientTool[] = [
  defineClientTool(5, 'READ_FILE', {
    names: ['read_file'],
    agent: ['read_tool_call', 8],
    exec: [['read_args', 7]],
    isRetired: true,
  }),
  defineClientTool(6, 'LIST_DIR', {
    names: ['list_dir'],
    agent: ['ls_tool_call', 13],
    exec: [['ls_args', 8]],
    isRetired: true,
  }),
  defineClientTool(7, 'EDIT_FILE', {
    names: ['edit_file', 'search_replace', 'edit_notebook'],
    agent: ['edit_tool_call', 12],
    exec: [['write_args', 3]],
  }),
  defineClientTool(11, 'DELETE_FILE', {
    names: ['delete_file', 'Delete'],
    agent: ['delete_tool_call', 3],
    exec: [['delete_args', 4]],
  }),
  defineClientTool(12, 'REAPPLY', { names: ['reapply'] }),
  defineClientTool(38, 'EDIT_FILE_V2', {
    names: [
      'search_replace',
      'edit_file',
      'write',
      'StrReplace',
      'Write',
      'EditNotebook',
      'ApplyPatch',
      'apply_patch',
    ],
    agent: ['edit_tool_call', 12],
    // Carries the whole file text; a read may come first.
    exec: [
      ['write_args', 3],
      ['read_args', 7],
    ],
  }),
  defineClientTool(39, 'LIST_DIR_V2', {
    names: ['list_dir', 'LS', 'list_directory'],
    agent: ['ls_tool_call', 13],
    exec: [['ls_args', 8]],
  }),
  defineClientTool(40, 'READ_FILE_V2', {
    names: ['read_file', 'Read', 'ReadFile'],
    agent: ['read_tool_call', 8],
    exec: [
      ['read_args', 7],
      ['redacted_read_args', 29],
    ],
  }),
  defineClientTool(50, 'APPLY_AGENT_DIFF', {
    names: ['apply_agent_diff'],
    agent: ['apply_agent_diff_tool_call', 22],
  }),
];
