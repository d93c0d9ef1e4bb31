import {
  type AgentCall,
  isJsonObject,
  type JsonValue,
  type Parallel,
  type ToolPort,
} from '../../core/index.ts';
import type { RemotePort } from '../../native/remote-port.ts';
import { listRemoteTools } from './list-remote-tools.ts';
import type { RemoteToolsOptions } from './remote-options.ts';
import { RemoteSession } from './remote-session.ts';
import { resolveCall } from './resolve-call.ts';
import { runRemoteCall } from './run-remote-call.ts';

/** They change nothing although they reach out or belong to no class of risk. */
const ALSO_READ_ONLY: ReadonlySet<string> = new Set([
  'todo_read',
  'web_search',
  'web_fetch',
  'get_mcp_tools',
]);

/** The tools of one client, for the length of one run. */
export function createRemoteTools(port: RemotePort, options: RemoteToolsOptions = {}): ToolPort {
  const session = new RemoteSession(port, options);
  return {
    list: async (mode) => listRemoteTools(session, mode),
    knows: (name) => resolveCall(name, undefined, port) !== undefined,
    run: (call, context) => runRemoteCall(session, call, context),
    parallelOf: (call) => parallelOf(call, port),
    isReadOnly: (call) => isReadOnly(call, port),
  };
}

function parallelOf(call: AgentCall, port: RemotePort): Parallel {
  const resolved = resolveCall(call.name, objectIn(call), port);
  if (!resolved) return 'any'; // it fails without touching anything
  // The client decides: what it declares is its own, and behind a proxy the calls must all be out before any returns.
  if (resolved.kind === 'mcp') return 'any';
  return resolved.program.tool.parallel;
}

function isReadOnly(call: AgentCall, port: RemotePort): boolean {
  const input = objectIn(call);
  const resolved = resolveCall(call.name, input, port);
  if (!resolved) return true;
  if (resolved.kind === 'mcp') return resolved.target.isReadOnly;
  const { tool, touches } = resolved.program;
  if (tool.risk !== 'read') return ALSO_READ_ONLY.has(tool.name);
  const parsed = tool.args.safeParse(input ?? {});
  // Saving a resource to a file is writing, whatever the tool is called.
  return !parsed.success || (touches?.(parsed.data) ?? []).length === 0;
}

function objectIn({ input }: AgentCall): JsonValue | undefined {
  return isJsonObject(input) ? input : undefined;
}
