import type { JsonObject } from '../../core/index.ts';
import type { McpServerEntry } from '../declare-tools.ts';
import type { McpFacts } from '../policy/index.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ToolFailure, ToolOutcome } from '../tool-outcome.ts';

export interface McpTarget {
  readonly server: string;
  readonly tool: string;
}

/** MCP as the runtime sees it: somewhere else keeps the connections. */
export interface McpPort {
  /**
   * The tool a name means (`mcp_server_tool`, `mcp__server__tool`, a bare name that only one server has), as its server
   * describes it now; connects where needed.
   */
  resolve(name: string, signal: AbortSignal): Promise<McpTarget | ToolFailure>;
  list(): readonly McpServerEntry[];
  facts(target: McpTarget): (McpFacts & { readonly isReadOnly?: boolean }) | undefined;
  /** How the tool differs from what was agreed to, for the person who decides. */
  change?(target: McpTarget): string | undefined;
  call(target: McpTarget, args: JsonObject, context: ToolContext): Promise<ToolOutcome>;
}
