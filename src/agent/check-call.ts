import {
  type AgentCall,
  type CallResult,
  nearestName,
  type ToolDefinition,
  type ToolPort,
} from '../core/index.ts';

/** Why a call cannot be run at all, as a result that the model reads; undefined when it can. */
export function findCallProblem(
  call: AgentCall,
  tools: readonly ToolDefinition[],
  port: Pick<ToolPort, 'knows'>,
): CallResult | undefined {
  const isKnown = tools.some(({ name }) => name === call.name) || port.knows?.(call.name) === true;
  if (!isKnown) return errorResult(describeUnknown(call.name, tools));
  if (call.inputProblem !== undefined) {
    return errorResult(
      `The arguments of this call to ${call.name} are not valid JSON (${call.inputProblem}), so it was not run. Repeat it with one complete JSON object that fits the tool's schema.`,
    );
  }
  return undefined;
}

export function errorResult(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function describeUnknown(name: string, tools: readonly ToolDefinition[]): string {
  const names = tools.map((tool) => tool.name);
  const nearest = nearestName(name, names);
  const known =
    names.length === 0 ? 'No tools are available now.' : `The tools available now are: ${names.join(', ')}.`;
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no tool named "${name}" here, so nothing was run.${meant} ${known}`;
}
