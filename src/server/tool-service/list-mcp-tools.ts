import { McpFault } from '../../mcp/mcp-fault.ts';
import type { McpPort, McpTool } from '../../tools/mcp-port.ts';

export interface McpListing {
  /** Those that changed since they were agreed to included. */
  readonly tools: readonly McpTool[];
  readonly problems: readonly string[];
}

/** The tools of every server that answers in time; the others go on starting and may be there at the next listing. */
export async function listMcpTools(
  port: McpPort,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<McpListing> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new McpFault('ETIMEDOUT', `no answer within ${timeoutMs} ms; try again in a moment.`)),
    timeoutMs,
  );
  try {
    const { tools, withheld, problems } = await port.tools(
      signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    );
    return {
      tools: [...tools, ...withheld],
      problems: problems.map(({ server, message }) =>
        message.includes(server) ? message : `${server}: ${message}`,
      ),
    };
  } finally {
    clearTimeout(timer);
  }
}
