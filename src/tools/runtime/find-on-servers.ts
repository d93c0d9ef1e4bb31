import type { Tool } from '../tool.ts';
import { fail, type ToolFailure } from '../tool-outcome.ts';
import { nearestTools } from './find-tool.ts';
import type { McpPort } from './mcp-port.ts';
import { mcpTool } from './mcp-tool.ts';

/** The tool of an MCP server that a name means which no built-in tool has, or why there is none. */
export async function findOnServers(
  name: string,
  mcp: McpPort | undefined,
  builtinNames: readonly string[],
  signal: AbortSignal,
): Promise<Tool | ToolFailure> {
  const target = await mcp?.resolve(name, signal);
  if (mcp && target && !('ok' in target)) return mcpTool(name, target, mcp);
  const near = nearestTools(name, builtinNames);
  // What the servers say fits names that are meant for them; a slip in a built-in name has a better answer.
  const isForServers = /^mcp[_-]/i.test(name) || near.length === 0;
  if (target && 'ok' in target && (isForServers || signal.aborted)) return target;
  const hint =
    near.length === 0 ? `Known tools: ${builtinNames.join(', ')}.` : `Nearest: ${near.join(', ')}.`;
  return fail('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name)}. ${hint}`);
}
