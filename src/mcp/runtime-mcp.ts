import type { McpPort as HubPort, McpTool } from '../tools/mcp-port.ts';
import type { McpPort, McpTarget } from '../tools/runtime/mcp-port.ts';
import { findByName } from './tool-names.ts';

interface Found extends McpTarget {
  /** Of the tool when the call came in: what is approved afterwards is this. */
  readonly fingerprint: string;
}

/** How resources are named in rules. Reading one changes nothing, whichever mode it is. */
const READ_RESOURCE = 'resources/read';

/**
 * The hub in the shape the runtime wants, which does not wait: it knows the tools of the last listing, so list them
 * before each turn. Changed tools are found, because a call to one is how the user comes to be asked, but not listed.
 */
export function runtimeMcp(hub: HubPort): McpPort {
  return {
    find(name): Found | undefined {
      const [tool, ...others] = findByName(name, hub.known());
      if (!tool || others.length > 0) return undefined;
      return { server: tool.server, tool: tool.name, fingerprint: tool.fingerprint };
    },
    list() {
      const offered = hub.known().filter(({ consent }) => consent !== 'changed');
      return [...new Set(offered.map(({ server }) => server))].map((server) => ({
        server,
        tools: offered.filter((tool) => tool.server === server).map(declare),
      }));
    },
    facts({ server, tool }) {
      if (tool !== READ_RESOURCE) return hub.facts(server, tool);
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
