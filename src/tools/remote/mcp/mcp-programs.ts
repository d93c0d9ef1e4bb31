import { MCP_TOOL_NUMBER } from '../../../catalogue/index.ts';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { Touch } from '../../tool.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { askClient, refusalIn } from '../people/ask-client.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';
import type { ListedMcpTool } from './mcp-catalogue.ts';

/** Rules may speak of it by the name that models use or by its full one, whichever way it was called. */
async function judgeByName({ server, tool, modelName }: ListedMcpTool, call: RemoteCall): Promise<void> {
  const touches: readonly Touch[] = [{ type: 'mcp', server, tool }];
  for (const name of new Set([modelName, `mcp_${server}_${tool}`]))
    await call.session.judge({
      tool: { number: MCP_TOOL_NUMBER, risk: 'execute', name },
      touches,
      mode: call.mode,
    });
}

export async function runMcpTool(
  target: ListedMcpTool,
  args: JsonObject,
  call: RemoteCall,
): Promise<RemoteAnswer> {
  await judgeByName(target, call);
  return runExec(call, 'mcp', {
    name: target.tool,
    server: target.server,
    wire_name: target.wireName,
    arguments: args,
  });
}

interface ServerCall {
  readonly server?: string;
  readonly name?: string;
  readonly toolName?: string;
  readonly arguments: JsonObject;
}

/** The tools are offered by their own names; these two are for models that know the older ways to call them. */
function defineCaller(name: string) {
  return defineRemoteTool<ServerCall>(name, {
    isListed: () => false,
    touches: ({ server = '', name: tool, toolName }): readonly Touch[] => [
      { type: 'mcp', server, tool: toolName ?? tool ?? '' },
    ],
    async run(args, call) {
      const wanted = args.toolName ?? args.name ?? '';
      const { mcp } = call.session;
      const target = args.server === undefined ? mcp.find(wanted) : mcp.findOn(args.server, wanted);
      if (target) return runMcpTool(target, args.arguments, call);
      const known = mcp.list.map((tool) => `${tool.server}:${tool.tool}`).join(', ');
      const where = args.server === undefined ? '' : ` of the server ${args.server}`;
      return {
        outcome: fail(
          'UNKNOWN_TOOL',
          `The client has no tool ${wanted}${where}. ${known === '' ? 'It has no MCP tools.' : `It has: ${known}.`}`,
        ),
      };
    },
  });
}

export const mcp = defineCaller('mcp');
export const callMcpTool = defineCaller('call_mcp_tool');

export const getMcpTools = defineRemoteTool<{ server?: string; toolName?: string; pattern?: string }>(
  'get_mcp_tools',
  {
    isListed: () => false,
    async run({ server, toolName, pattern }, call) {
      const found = call.session.mcp.list.filter(
        (tool) =>
          (server === undefined || tool.server === server) &&
          (toolName === undefined || [tool.tool, tool.modelName].includes(toolName)) &&
          (pattern === undefined ||
            `${tool.tool} ${tool.description}`.toLowerCase().includes(pattern.toLowerCase())),
      );
      const content =
        found.length === 0
          ? 'No tool of an MCP server fits.'
          : found
              .map(
                (tool) => `${tool.modelName}: ${tool.description}\narguments: ${JSON.stringify(tool.schema)}`,
              )
              .join('\n\n');
      return { outcome: succeed(content, { data: { content } }) };
    },
  },
);

export const listMcpResources = defineRemoteTool<{ server?: string }>('list_mcp_resources', {
  isListed: ({ mcp: { list } }) => list.length > 0,
  run: ({ server }, call) => runExec(call, 'list-resources', omitUndefined({ server })),
});

interface ResourceArguments {
  readonly server: string;
  readonly uri: string;
  readonly downloadPath?: string;
}

export const readMcpResource = defineRemoteTool<ResourceArguments>('read_mcp_resource', {
  isListed: ({ mcp: { list } }) => list.length > 0,
  touches: ({ downloadPath }) =>
    downloadPath === undefined ? [] : [{ type: 'path', path: downloadPath, access: 'write' }],
  run: ({ server, uri, downloadPath }, call) =>
    runExec(
      call,
      'read-resource',
      omitUndefined({
        server,
        uri,
        downloadPath: downloadPath === undefined ? undefined : call.session.folder.absolute(downloadPath),
      }),
    ),
});

export const mcpAuth = defineRemoteTool<{ server_identifier: string }>('mcp_auth', {
  isListed: ({ port }) => port.requestContext?.supportsMcpAuth === true,
  async run({ server_identifier }, call) {
    const answer = await askClient(call, {
      case: 'mcpAuthRequestQuery',
      value: { args: { serverIdentifier: server_identifier, toolCallId: call.callId } },
    });
    const refusal = refusalIn(answer, 'mcpAuthRequestResponse', `the sign-in to ${server_identifier}`);
    return {
      outcome: refusal ?? succeed(`Signed in to ${server_identifier}.`, { data: { server_identifier } }),
    };
  },
});
