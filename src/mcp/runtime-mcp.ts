import type { McpPort as HubPort, McpTool } from '../tools/mcp-port.ts';
import type { McpPort, McpTarget } from '../tools/runtime/mcp-port.ts';
import type { ToolFailure } from '../tools/tool-outcome.ts';

interface Found extends McpTarget {
  /** Of the tool when the call came in: what is approved afterwards is this. */
  readonly fingerprint: string;
}

/** How resources are named in rules. Reading one changes nothing, whichever mode it is. */
const READ_RESOURCE = 'resources/read';

export interface RuntimeMcpOptions {
  /** Ask for every tool that nobody has agreed to yet. */
  readonly asksForNew?: boolean;
}

/**
 * The hub in the shape the runtime wants. Lists and facts do not wait: they tell of the last listing, so list the tools
 * before each declaration. Changed tools are found, because a call to one is how the user comes to be asked, but not
 * listed.
 */
export function runtimeMcp(hub: HubPort, { asksForNew = false }: RuntimeMcpOptions = {}): McpPort {
  const known = (server: string, name: string) =>
    hub.known().find((tool) => tool.server === server && tool.name === name);
  return {
    async resolve(name, signal): Promise<Found | ToolFailure> {
      const tool = await hub.resolve(name, signal);
      if ('ok' in tool) return tool;
      return { server: tool.server, tool: tool.name, fingerprint: tool.fingerprint };
    },
    change: ({ server, tool }) => known(server, tool)?.change?.diff,
    list() {
      const offered = hub.known().filter(({ consent }) => consent !== 'changed');
      return [...new Set(offered.map(({ server }) => server))].map((server) => ({
        server,
        tools: offered.filter((tool) => tool.server === server).map(declare),
      }));
    },
    facts({ server, tool }) {
      if (tool !== READ_RESOURCE) {
        const facts = hub.facts(server, tool);
        return facts && { ...facts, isNew: asksForNew && known(server, tool)?.consent === 'none' };
      }
      return { isPlaywright: hub.findServer(server)?.isPlaywright ?? false, isReadOnly: true };
    },
    call: ({ server, tool, ...found }, args, context) =>
      hub.call({
        server,
        tool,
        args,
        signal: context.signal,
        clearedFor:
          'fingerprint' in found && typeof found.fingerprint === 'string' ? found.fingerprint : undefined,
        progress: (update) => context.progress(update),
      }),
  };
}

function declare({ name, description, inputSchema, annotations }: McpTool) {
  return { name, description, schema: inputSchema, isReadOnly: annotations?.readOnlyHint === true };
}
