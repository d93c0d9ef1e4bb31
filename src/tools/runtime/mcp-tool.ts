import { z } from 'zod';
import { MCP_TOOL_NUMBER } from '../../catalogue/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { MODES, type Tool } from '../tool.ts';
import type { McpPort, McpTarget } from './mcp-port.ts';

/** An MCP server's tool in the shape of a built-in one, so that it goes the same way. */
export function mcpTool(name: string, target: McpTarget, mcp: McpPort): Tool {
  const isReadOnly = mcp.facts(target)?.isReadOnly === true;
  return {
    number: MCP_TOOL_NUMBER,
    name,
    description: '',
    args: z.record(z.string(), z.unknown()),
    risk: 'execute',
    modes: MODES,
    parallel: isReadOnly ? 'any' : 'alone',
    status: 'local',
    touches: () => [{ type: 'mcp', ...target }],
    run: (args, context) => mcp.call(target, args as JsonObject, context), // parsed as an object just above
    preview: (args) => previewOf(target, args, mcp),
  };
}

function previewOf(target: McpTarget, args: unknown, mcp: McpPort): string {
  const line = `${target.server}:${target.tool} ${JSON.stringify(args, undefined, 2)}`;
  const change = mcp.change?.(target);
  return change === undefined
    ? line
    : `${line}\n\nIts server has changed this tool since it was agreed to:\n${change}`;
}
