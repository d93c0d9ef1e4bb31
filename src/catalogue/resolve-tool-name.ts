// From the function name a model emits to the client tool it means. The names changed twice (2025 snake_case, 2026
// PascalCase) and several rows share one; this table says which row wins. Known from published prompts and requests.
import { isJsonObject, type JsonValue } from '../core/index.ts';
import type { ClientTool } from './client-tool.ts';
import { CLIENT_TOOLS, clientTool, MCP_TOOL_NUMBER } from './client-tools.ts';
import { foldToolName } from './fold-tool-name.ts';

/** Names that several rows claim. */
const PREFERRED: Readonly<Record<string, number>> = {
  read_file: 40,
  list_dir: 39,
  edit_file: 7, // a sketch that an apply model must merge; every other edit is 38
  search_replace: 38,
  edit_notebook: 38,
  str_replace: 38,
  grep: 41,
  grep_search: 41,
  codebase_search: 9,
  task: 48,
};

const BY_FOLDED_NAME: ReadonlyMap<string, ClientTool> = buildIndex();

function buildIndex(): Map<string, ClientTool> {
  const index = new Map<string, ClientTool>();
  const claim = (name: string, tool: ClientTool) => {
    const folded = foldToolName(name);
    if (!index.has(folded)) index.set(folded, tool);
  };
  for (const [name, number] of Object.entries(PREFERRED)) claim(name, clientTool(number));
  for (const tool of CLIENT_TOOLS) for (const name of tool.names) claim(name, tool);
  for (const tool of CLIENT_TOOLS) if (tool.number !== MCP_TOOL_NUMBER) claim(tool.caseName, tool);
  return index;
}

/** The tool a name means; `input` (the parsed arguments) tells the old schema of a shared name from the new one. */
export function resolveToolName(name: string, input?: JsonValue): ClientTool {
  const tool = BY_FOLDED_NAME.get(foldToolName(name)) ?? clientTool(MCP_TOOL_NUMBER);
  return isJsonObject(input) ? clientTool(olderTwin(tool.number, input)) : tool;
}

function olderTwin(number: number, input: Readonly<Record<string, JsonValue>>): number {
  const has = (key: string) => Object.hasOwn(input, key);
  if (number === 40 && (has('start_line_one_indexed') || has('should_read_entire_file'))) return 5;
  if (number === 39 && has('relative_workspace_path') && !has('target_directory')) return 6;
  return number;
}
