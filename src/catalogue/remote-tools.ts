// MCP servers, the web, pictures and pull requests.
import { type ClientTool, defineClientTool } from './client-tool.ts';

export const REMOTE_TOOLS: readonly ClientTool[] = [
  // Runs on Cursor's server; the client only approves it.
  defineClientTool(18, 'WEB_SEARCH', {
    names: ['web_search', 'WebSearch'],
    agent: ['web_search_tool_call', 18],
  }),
  // Every name that no other row claims ends here.
  defineClientTool(19, 'MCP', { names: [], agent: ['mcp_tool_call', 15], exec: [['mcp_args', 11]] }),
  defineClientTool(26, 'FETCH_PULL_REQUEST', { names: ['fetch_pull_request'] }),
  defineClientTool(44, 'LIST_MCP_RESOURCES', {
    names: ['list_mcp_resources', 'ListMcpResources'],
    agent: ['list_mcp_resources_tool_call', 20],
    exec: [['list_mcp_resources_exec_args', 17]],
  }),
  defineClientTool(45, 'READ_MCP_RESOURCE', {
    names: ['read_mcp_resource', 'fetch_mcp_resource', 'FetchMcpResource'],
    agent: ['read_mcp_resource_tool_call', 21],
    exec: [['read_mcp_resource_exec_args', 18]],
  }),
  defineClientTool(49, 'CALL_MCP_TOOL', {
    names: ['call_mcp_tool', 'CallMcpTool'],
    agent: ['mcp_tool_call', 15],
    exec: [['mcp_args', 11]],
  }),
  defineClientTool(53, 'GENERATE_IMAGE', {
    names: ['generate_image', 'GenerateImage'],
    agent: ['generate_image_tool_call', 28],
    lacks: 'params',
  }),
  // The server fetches; the client is asked whether the address is on its allow list.
  defineClientTool(57, 'WEB_FETCH', {
    names: ['web_fetch', 'WebFetch'],
    agent: ['web_fetch_tool_call', 37],
    exec: [['web_fetch_allowlist_precheck_args', 43]],
  }),
  defineClientTool(60, 'MCP_AUTH', { names: ['mcp_auth'], agent: ['mcp_auth_tool_call', 41] }),
  // Which exec variant carries it is not known; mcp_state_exec_args (36) is likely.
  defineClientTool(63, 'GET_MCP_TOOLS', {
    names: ['get_mcp_tools', 'GetMcpTools'],
    agent: ['get_mcp_tools_tool_call', 44],
  }),
];
