// The tools of MCP servers for `crosspoint tools`: from the gateway that runs, else by asking the servers from here.
import { statePaths } from '../config/index.ts';
import { GatewayError, type JsonObject } from '../core/index.ts';
import type { ShownMcpServer, ShownMcpTool } from '../server/admin/tool-routes-schema.ts';
import { MODES, type Mode } from '../tools/tool.ts';
import { findAdminClient } from './admin-client.ts';
import type { CliContext } from './context.ts';
import { loadToolSections, openUserPolicy } from './load-policy.ts';
import type { ToolRow } from './tool-rows.ts';

/** A tool of an MCP server as `crosspoint tools --json` prints it. */
export interface McpRow extends ToolRow {
  readonly server: string;
  readonly consent: ShownMcpTool['consent'];
}

export interface McpList {
  readonly rows: readonly { readonly row: McpRow; readonly tool: ShownMcpTool }[];
  readonly servers: readonly ShownMcpServer[];
  readonly problems: readonly string[];
}

const LIST_TIMEOUT_MS = 20_000;
const NOTHING: McpList = { rows: [], servers: [], problems: [] };

export async function listMcpTools(context: CliContext, configFile?: string): Promise<McpList> {
  try {
    const client = configFile === undefined ? await findAdminClient(context) : undefined;
    return await (client ? askGateway(client) : askServers(context, configFile));
  } catch (thrown) {
    // The built-in tools are there whatever is wrong with the rest.
    return { ...NOTHING, problems: [GatewayError.from(thrown).message] };
  }
}

async function askGateway({ get }: { get(path: string): Promise<unknown> }): Promise<McpList> {
  const { toolListSchema } = await import('../server/admin/tool-routes-schema.ts');
  const { mcp } = toolListSchema.parse(await get('/api/tools'));
  return { ...mcp, rows: mcp.tools.map(toRow) };
}

async function askServers(context: CliContext, configFile: string | undefined): Promise<McpList> {
  const { sections } = await loadToolSections(context, configFile);
  const { openMcp } = await import('../server/tool-service/open-mcp.ts');
  const { listMcpTools: listFrom } = await import('../server/tool-service/list-mcp-tools.ts');
  const { showMcpServer, showMcpTool } = await import('../server/admin/tool-routes-schema.ts');
  const { isTrusted, workspace } = await openUserPolicy(context, sections, context.cwd);
  const { env, home: homeFolder, version } = context;
  const stateHome = statePaths(context).home;
  const { hub, problems } = await openMcp({
    config: sections.mcp,
    workspace,
    isTrusted,
    stateHome,
    homeFolder,
    env,
    version,
  });
  try {
    const listed = await listFrom(hub, LIST_TIMEOUT_MS);
    const tools = listed.tools.map(showMcpTool);
    return {
      rows: tools.map(toRow),
      servers: hub.servers().map(showMcpServer),
      problems: [...problems, ...listed.problems],
    };
  } finally {
    await hub.close();
  }
}

const MCP_NUMBER = 19;
/** What an MCP tool does is its server's to say; without its word it is taken to change things. */
const CHANGING_MODES: readonly Mode[] = ['agent', 'debug'];

function toRow(tool: ShownMcpTool): McpList['rows'][number] {
  const row: McpRow = {
    number: MCP_NUMBER,
    enum: 'MCP',
    name: tool.modelName,
    names: [tool.modelName, `${tool.server}:${tool.name}`],
    schema: tool.schema as JsonObject, // it came as JSON
    modes: tool.isReadOnly ? MODES : CHANGING_MODES,
    risk: 'execute',
    status: 'local',
    server: tool.server,
    consent: tool.consent,
  };
  return { row, tool };
}
