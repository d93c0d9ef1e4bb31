import type { ToolDefinition, TurnRequest } from '../core/index.ts';

export interface FittedRequest {
  readonly request: TurnRequest;
  /** Hosted tools that were left out because only another dialect's upstream has them. */
  readonly dropped: readonly string[];
}

/**
 * Leaves out hosted tools (web search and the like) that the upstream cannot have, when the request can live without
 * them: Cline and Codex declare some with every request. A request that has nothing else, or that forces one, stays as
 * it is, and the upstream refuses it by name.
 */
export function fitHostedTools(request: TurnRequest, upstreamKind: string): FittedRequest {
  const isForeign = (tool: ToolDefinition) => tool.kind === 'hosted' && tool.dialect !== upstreamKind;
  const foreign = request.tools.filter(isForeign);
  const isForced = request.toolChoice?.type === 'tool' && request.toolChoice.kind === 'hosted';
  if (foreign.length === 0 || foreign.length === request.tools.length || isForced)
    return { request, dropped: [] };
  return {
    request: { ...request, tools: request.tools.filter((tool) => !isForeign(tool)) },
    dropped: foreign.map((tool) => (tool.kind === 'hosted' ? tool.hostedType : tool.name)),
  };
}
