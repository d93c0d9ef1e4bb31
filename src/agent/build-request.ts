import {
  type AgentTask,
  type Message,
  omitUndefined,
  type ToolDefinition,
  type TurnRequest,
} from '../core/index.ts';

/** The turn that asks the model for its next step. */
export function buildRequest(
  task: AgentTask,
  system: string,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): TurnRequest {
  const prompt: Message = { role: 'system', content: [{ type: 'text', text: system, cache: {} }] };
  return omitUndefined({
    model: task.model,
    modelAlternatives: task.modelAlternatives,
    messages: [prompt, ...markForCache(messages)],
    tools,
    sampling: task.sampling ?? {},
    reasoning: task.reasoning,
    stream: true,
    includeUsage: true,
    session: task.session,
  });
}

/** Each step repeats everything before it; upstreams that cache on demand are asked to keep it up to here. */
function markForCache(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const part = last?.content.at(-1);
  if (!last || !part || part.cache || part.type === 'reasoning') return messages;
  const content = [...last.content.slice(0, -1), { ...part, cache: {} }];
  return [...messages.slice(0, -1), { ...last, content }];
}
