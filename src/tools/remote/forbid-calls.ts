// For clients that are handed whole calls, each under the number of its tool: what is forbidden never leaves.
import { MCP_TOOL_NUMBER } from '../../catalogue/index.ts';
import { type AgentCall, type CallContext, isJsonObject, type ToolPort } from '../../core/index.ts';
import { BUILTIN_TOOLS, chooseTool } from '../registry.ts';
import { findTool } from '../runtime/find-tool.ts';
import type { Touch } from '../tool.ts';
import { callTouches } from './call-touches.ts';
import type { JudgedTool, RemoteToolsOptions } from './remote-options.ts';

export interface ForbidOptions extends Required<Pick<RemoteToolsOptions, 'forbids'>> {
  /** The client's workspaces. */
  readonly folders: readonly string[];
}

/** The same tools, without the calls that are forbidden. */
export function forbidCalls(tools: ToolPort, options: ForbidOptions): ToolPort {
  return {
    list: (mode, signal) => tools.list(mode, signal),
    ...(tools.knows && { knows: (name) => tools.knows?.(name) === true }),
    parallelOf: (call) => tools.parallelOf(call),
    isReadOnly: (call) => tools.isReadOnly(call),
    async run(call, context) {
      const reason = await findReason(call, context, options);
      if (reason === undefined) return tools.run(call, context);
      return { content: [{ type: 'text', text: reason }], isError: true };
    },
  };
}

async function findReason(
  { name, input }: AgentCall,
  { mode }: Pick<CallContext, 'mode'>,
  { forbids, folders }: ForbidOptions,
): Promise<string | undefined> {
  const judge = (tool: JudgedTool, touches: readonly Touch[]) => forbids({ tool, touches, mode, folders });
  const args = isJsonObject(input) ? input : {};
  const found = /^mcp_/.test(name) ? undefined : findTool({ id: '', name, args }, BUILTIN_TOOLS, chooseTool);
  if (!found || found.number === MCP_TOOL_NUMBER) {
    const tool: JudgedTool = { name, number: MCP_TOOL_NUMBER, risk: 'execute' };
    for (const touch of serverTouches(name)) {
      const reason = await judge(tool, [touch]);
      if (reason !== undefined) return reason;
    }
    return judge(tool, []);
  }
  const parsed = found.args.safeParse(input ?? {});
  const touches = parsed.success ? callTouches(found, parsed.data) : []; // what does not parse is refused later
  return (await judge(found, [])) ?? (touches.length === 0 ? undefined : judge(found, touches));
}

/** `mcp_<server>_<tool>`: either name may hold a `_`, so every way to part them is meant. */
function serverTouches(name: string): readonly Touch[] {
  const words = name.replace(/^mcp_/, '').split('_');
  return words.slice(1).map((_word, index) => ({
    type: 'mcp',
    server: words.slice(0, index + 1).join('_'),
    tool: words.slice(index + 1).join('_'),
  }));
}
