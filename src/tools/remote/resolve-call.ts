import { findClientTool, MCP_TOOL_NUMBER } from '../../catalogue/index.ts';
import { isJsonObject, type JsonValue } from '../../core/index.ts';
import type { RemotePort } from '../../native/remote-port.ts';
import { chooseTool } from '../registry.ts';
import { findTool } from '../runtime/find-tool.ts';
import { type ListedMcpTool, McpCatalogue } from './mcp/mcp-catalogue.ts';
import { REMOTE_TOOLS } from './remote-registry.ts';
import type { RemoteTool } from './remote-tool.ts';

export type Resolved =
  | { readonly kind: 'builtin'; readonly program: RemoteTool }
  | { readonly kind: 'mcp'; readonly target: ListedMcpTool };

const TOOLS = REMOTE_TOOLS.map(({ tool }) => tool);
const BY_TOOL = new Map(REMOTE_TOOLS.map((program) => [program.tool, program]));

/**
 * What a name means: a tool of the client by the very name it was offered under, else a built-in one by any name the
 * catalogue knows, else a tool of the client by any spelling that is clear.
 */
export function resolveCall(
  name: string,
  input: JsonValue | undefined,
  port: RemotePort,
): Resolved | undefined {
  const mcp = McpCatalogue.of(port);
  const offered = mcp.get(name);
  if (offered) return { kind: 'mcp', target: offered };
  const args = isJsonObject(input) ? input : {};
  const tool = findTool({ id: '', name, args }, TOOLS, chooseTool);
  const program = tool && BY_TOOL.get(tool);
  if (program) return { kind: 'builtin', program };
  const target = mcp.find(name);
  return target && { kind: 'mcp', target };
}

/** The member of `ToolCall` under which callers allow it. */
export function memberOf(resolved: Resolved): string {
  const number = resolved.kind === 'mcp' ? MCP_TOOL_NUMBER : resolved.program.tool.number;
  return findClientTool(number)?.agentToolCall?.name ?? '';
}

export function isAllowed(resolved: Resolved, port: RemotePort): boolean {
  return port.allowedTools === undefined || port.allowedTools.includes(memberOf(resolved));
}
