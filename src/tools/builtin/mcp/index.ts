import type { Tool } from '../../tool.ts';
import { callMcpTool } from './call-mcp-tool.ts';
import { getMcpTools } from './get-mcp-tools.ts';
import { listMcpResources } from './list-mcp-resources.ts';
import { mcp } from './mcp.ts';
import { mcpAuth } from './mcp-auth.ts';
import { readMcpResource } from './read-mcp-resource.ts';

export const MCP_TOOLS: readonly Tool[] = [
  mcp,
  listMcpResources,
  readMcpResource,
  callMcpTool,
  mcpAuth,
  getMcpTools,
];
