// Which number and params key a call has in the JSON form of Cursor's stream frames, by the model's name for it.
// The V1 keys for V2 tools are the form this dialect was first described with; real protobuf messages have a key of
// their own for each tool (see native-params.ts, `strictProto`). No public report shows a parser for either.
import { foldToolName } from './fold-tool-name.ts';

export type NativeShape =
  | 'read'
  | 'edit'
  | 'list'
  | 'shell'
  | 'delete'
  | 'grep'
  | 'glob'
  | 'file-search'
  | 'web-search'
  | 'semantic-search'
  | 'todos'
  | 'mcp';

export interface NativeTool {
  readonly number: number;
  readonly paramsKey: string;
  readonly shape: NativeShape;
}

/** Here case matters: the old spelling of a name means the V1 tool, the new one its V2 twin. */
const ROWS: readonly (readonly [number, NativeShape, string, readonly string[]])[] = [
  [5, 'read', 'read_file_params', ['read_file']],
  [40, 'read', 'read_file_params', ['Read', 'ReadFile']],
  [7, 'edit', 'edit_file_params', ['edit_file']],
  [38, 'edit', 'edit_file_params', ['StrReplace', 'Write']],
  [6, 'list', 'list_dir_params', ['list_dir']],
  [39, 'list', 'list_dir_params', ['LS']],
  [15, 'shell', 'run_terminal_command_v2_params', ['run_terminal_command', 'run_terminal_cmd', 'Shell']],
  [11, 'delete', 'delete_file_params', ['delete_file', 'Delete']],
  [3, 'grep', 'ripgrep_search_params', ['grep', 'grep_search']],
  [41, 'grep', 'ripgrep_search_params', ['Grep']],
  [42, 'glob', 'file_search_params', ['glob', 'Glob', 'glob_file_search']],
  [8, 'file-search', 'file_search_params', ['file_search']],
  [18, 'web-search', 'web_search_params', ['web_search', 'WebSearch']],
  [9, 'semantic-search', 'semantic_search_full_params', ['codebase_search', 'SemanticSearch']],
  [35, 'todos', 'todo_write_params', ['TodoWrite', 'todo_write']],
];

export const NATIVE_MCP: NativeTool = { number: 19, paramsKey: 'mcp_params', shape: 'mcp' };

const BY_NAME = new Map<string, NativeTool>();
const BY_FOLDED_NAME = new Map<string, NativeTool>();
for (const [number, shape, paramsKey, names] of ROWS) {
  const tool: NativeTool = { number, paramsKey, shape };
  for (const name of names) {
    BY_NAME.set(name, tool);
    const folded = foldToolName(name);
    if (!BY_FOLDED_NAME.has(folded)) BY_FOLDED_NAME.set(folded, tool);
  }
}

export function resolveNativeTool(name: string): NativeTool {
  return BY_NAME.get(name) ?? BY_FOLDED_NAME.get(foldToolName(name)) ?? NATIVE_MCP;
}
