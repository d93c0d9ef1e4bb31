// What `mcp` (19) and `call_mcp_tool` (49) share: one call of one tool of one server, whatever it was called by.
import type { JsonObject } from '../../../core/index.ts';
import { type McpTool, mcpPort } from '../../mcp-port.ts';
import type { Touch } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ToolFailure, ToolOutcome } from '../../tool-outcome.ts';

export interface ServerCall {
  /** Left out: `tool` says it too, as in `mcp__server__tool`. */
  readonly server?: string | undefined;
  readonly tool: string;
  readonly args: JsonObject;
}

/** What each call was judged by, so that consent to it is consent to that and not to what the tool became since. */
const judged = new WeakMap<ToolContext, McpTool>();

function resolve({ server, tool }: ServerCall, context: ToolContext): Promise<McpTool | ToolFailure> {
  return context.resources.get(mcpPort).resolve(tool, context.signal, server);
}

/** By the server's own names, whatever spelling the call used: rules are about those. */
export async function callTouches(call: ServerCall, context: ToolContext): Promise<readonly Touch[]> {
  const found = await resolve(call, context);
  if ('ok' in found) return [{ type: 'mcp', server: call.server ?? 'unknown', tool: call.tool }];
  if (!judged.has(context)) judged.set(context, found);
  return [{ type: 'mcp', server: found.server, tool: found.name }];
}

export async function runCall(call: ServerCall, context: ToolContext): Promise<ToolOutcome> {
  const started = context.nowMs();
  const found = judged.get(context) ?? (await resolve(call, context));
  if ('ok' in found) return found;
  const outcome = await context.resources.get(mcpPort).call({
    server: found.server,
    tool: found.name,
    args: call.args,
    signal: context.signal,
    clearedFor: judged.get(context)?.fingerprint,
    progress: (update) => context.progress(update),
  });
  const attachments = { ...outcome.attachments, duration_ms: context.nowMs() - started };
  return { ...outcome, attachments };
}

/** For the user who decides: the call, and for a changed tool what has changed. */
export async function previewCall(call: ServerCall, context: ToolContext): Promise<string> {
  const found = judged.get(context) ?? (await resolve(call, context));
  const args = JSON.stringify(call.args, null, 2);
  if ('ok' in found) return `${call.server ?? ''}:${call.tool} ${args}`;
  const line = `${found.server}:${found.name} ${args}`;
  if (!found.change) return line;
  return `${line}\n\nIts server has changed this tool since it was agreed to:\n${found.change.diff}`;
}
