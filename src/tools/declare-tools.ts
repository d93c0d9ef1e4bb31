// What a client tells a model's server about its tools: `supportedTools` as numbers of the enum ClientSideToolV2, and
// `mcpTools` by server. MCP's own number (19) never stands in the list; its tools are sent apart.
import { CLIENT_TOOLS, MCP_TOOL_NUMBER } from '../catalogue/index.ts';
import { type JsonObject, omitUndefined } from '../core/index.ts';
import { type FeatureGates, isOffered, isReadOnlyMode, RETIRED_TOOLS } from './modes.ts';
import type { Mode, Tool } from './tool.ts';

export interface McpToolEntry {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly schema?: JsonObject;
  /** The server vouches that it only reads; in modes that only read, the others are left out. */
  readonly isReadOnly?: boolean;
}

export interface McpServerEntry {
  readonly server: string;
  readonly tools: readonly McpToolEntry[];
}

export interface ToolDeclaration {
  readonly supportedTools: readonly number[];
  readonly mcpTools: readonly {
    readonly server_name: string;
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string;
      readonly schema?: JsonObject;
    }[];
  }[];
}

/** `tools` narrows the answer to what a runtime really has; without it the whole catalogue is declared. */
export function declareTools(
  mode: Mode,
  gates: FeatureGates,
  mcp: readonly McpServerEntry[],
  tools?: readonly Tool[],
): ToolDeclaration {
  const numbers = tools ? numbersOf(tools, mode) : CLIENT_TOOLS.map((tool) => tool.number);
  const supportedTools = numbers.filter(
    (number) => number !== MCP_TOOL_NUMBER && !RETIRED_TOOLS.has(number) && isOffered(number, mode, gates),
  );
  return { supportedTools, mcpTools: mcp.flatMap((server) => declareServer(server, mode)) };
}

function numbersOf(tools: readonly Tool[], mode: Mode): number[] {
  const offered = tools.filter((tool) => tool.status === 'local' && tool.modes.includes(mode));
  return [...new Set(offered.map((tool) => tool.number))].sort((left, right) => left - right);
}

function declareServer({ server, tools }: McpServerEntry, mode: Mode): ToolDeclaration['mcpTools'] {
  const offered = isReadOnlyMode(mode) ? tools.filter((tool) => tool.isReadOnly === true) : tools;
  if (offered.length === 0) return [];
  const declared = offered.map(({ name, description, schema }) =>
    omitUndefined({ name, description, schema }),
  );
  return [{ server_name: server, tools: declared }];
}
