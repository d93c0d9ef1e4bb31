// Searching the workspace and what is known about it: text, names, meaning, symbols, lints.
import { type ClientTool, defineClientTool } from './client-tool.ts';

export const SEARCH_TOOLS: readonly ClientTool[] = [
  defineClientTool(1, 'READ_SEMSEARCH_FILES', {
    names: ['codebase_search', 'read_semsearch_files'],
    agent: ['sem_search_tool_call', 16],
  }),
  defineClientTool(3, 'RIPGREP_SEARCH', {
    names: ['grep_search', 'grep'],
    agent: ['grep_tool_call', 5],
    exec: [['grep_args', 5]],
    isRetired: true,
  }),
  // No ToolCall of its own; the nearest is glob_tool_call.
  defineClientTool(8, 'FILE_SEARCH', { names: ['file_search'] }),
  defineClientTool(9, 'SEMANTIC_SEARCH_FULL', {
    names: ['codebase_search', 'SemanticSearch', 'semantic_search'],
    agent: ['sem_search_tool_call', 16],
  }),
  defineClientTool(23, 'SEARCH_SYMBOLS', { names: ['search_symbols'] }),
  defineClientTool(27, 'DEEP_SEARCH', { names: ['deep_search'] }),
  defineClientTool(29, 'FIX_LINTS', { names: ['fix_lints'] }),
  defineClientTool(30, 'READ_LINTS', {
    names: ['read_lints', 'ReadLints', 'diagnostics'],
    agent: ['read_lints_tool_call', 14],
    exec: [['diagnostics_args', 9]],
  }),
  defineClientTool(31, 'GO_TO_DEFINITION', { names: ['go_to_definition', 'gotodef'], stem: 'gotodef' }),
  defineClientTool(41, 'RIPGREP_RAW_SEARCH', {
    names: ['grep', 'Grep', 'grep_search'],
    agent: ['grep_tool_call', 5],
    exec: [['grep_args', 5]],
  }),
  // Which exec variant carries a glob is not known.
  defineClientTool(42, 'GLOB_FILE_SEARCH', {
    names: ['glob_file_search', 'Glob', 'glob'],
    agent: ['glob_tool_call', 4],
  }),
];
