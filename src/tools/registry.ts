// THE list of built-in tools: one line a group, one file a tool.
import { findClientTool } from '../catalogue/index.ts';
import { CODE_TOOLS } from './builtin/code/index.ts';
import { chooseEditTool, FILES_TOOLS } from './builtin/files/index.ts';
import { MCP_TOOLS } from './builtin/mcp/index.ts';
import { PLANNING_TOOLS } from './builtin/planning/index.ts';
import { SEARCH_TOOLS } from './builtin/search/index.ts';
import { SHELL_TOOLS } from './builtin/shell/index.ts';
import { WEB_TOOLS } from './builtin/web/index.ts';
import type { Tool } from './tool.ts';

export const BUILTIN_TOOLS: readonly Tool[] = [
  ...FILES_TOOLS,
  ...SEARCH_TOOLS,
  ...CODE_TOOLS,
  ...SHELL_TOOLS,
  ...PLANNING_TOOLS,
  ...WEB_TOOLS,
  ...MCP_TOOLS,
].map(withStatus);

/** Which rows are retired is the catalogue's to say. */
function withStatus(tool: Tool): Tool {
  return findClientTool(tool.number)?.isRetired ? { ...tool, status: 'retired' } : tool;
}

/** One number of the catalogue may be several tools here: the name of the one that the arguments mean. */
export function chooseTool(number: number, args: unknown): string | undefined {
  return number === 38 ? chooseEditTool(args) : undefined;
}
