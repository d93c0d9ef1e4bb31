// Whether and how the model may think, canon to wire. The rules are Anthropic's: a budget of at least 1024 tokens and
// below `max_tokens`, no forced tool, and a tool turn in progress must begin with the signed thought it came from.
import type { JsonObject, ReasoningOptions, TurnRequest, Warning } from '../../core/index.ts';
import { isJsonObject, omitUndefined } from '../../core/index.ts';
import type { WireMessage } from './encode-messages.ts';
import type { MessagesEncoding } from './encoding-options.ts';
import { messagesExtra } from './schema.ts';

const MIN_BUDGET = 1024;
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: MIN_BUDGET,
  low: 4096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_768,
  max: 49_152,
};

export interface ThinkingContext {
  readonly messages: readonly WireMessage[];
  readonly toolChoice: JsonObject | undefined;
  readonly maxTokens: number;
  readonly encoding: MessagesEncoding;
  readonly warnings: Warning[];
}

/** The fields `thinking` and `effort` (of `output_config`); absent ones are left to the model's default. */
export function encodeThinking(
  request: TurnRequest,
  context: ThinkingContext,
): { thinking?: JsonObject; effort?: string } {
  const wanted = wantedThinking(request, context);
  const { thinking } = wanted;
  if (!thinking || thinking.type === 'disabled') return wanted;
  const obstacle = findObstacle(context);
  if (!obstacle) return wanted;
  const message = `Thinking was switched off for this turn: ${obstacle}.`;
  context.warnings.push({ type: 'warning', code: 'thinking-disabled', message });
  return omitUndefined({ effort: wanted.effort });
}

function wantedThinking(
  request: TurnRequest,
  context: ThinkingContext,
): { thinking?: JsonObject; effort?: string } {
  const { reasoning } = request;
  const extra = messagesExtra(request);
  const ownEffort = isJsonObject(extra?.output_config) ? extra.output_config.effort : undefined;
  const saysEffort = typeof ownEffort === 'string';
  if (isJsonObject(extra?.thinking)) {
    // The client's own words, in which `adaptive` and `display` have no other name.
    const { thinking } = extra;
    const isBudgeted = typeof thinking.budget_tokens === 'number';
    const budget = isBudgeted ? capBudget(Number(thinking.budget_tokens), context.maxTokens - 1) : undefined;
    // A model that thinks adaptively takes an effort, also one that configuration adds.
    const effort = saysEffort || thinking.type === 'adaptive' ? reasoning?.effort : undefined;
    if (!isBudgeted) return omitUndefined({ thinking, effort });
    return omitUndefined({ thinking: budget ? { ...thinking, budget_tokens: budget } : undefined, effort });
  }
  if (saysEffort) return omitUndefined({ effort: reasoning?.effort });
  return fromOptions(reasoning, context);
}

function fromOptions(
  reasoning: ReasoningOptions | undefined,
  context: ThinkingContext,
): { thinking?: JsonObject; effort?: string } {
  const { effort, budgetTokens, enabled } = reasoning ?? {};
  if (enabled === false || effort === 'none') return { thinking: { type: 'disabled' } };
  if (context.encoding.adaptiveThinking && (effort !== undefined || enabled)) {
    return omitUndefined({ thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort });
  }
  const wanted = budgetTokens ?? (effort === undefined ? undefined : BUDGETS[effort]);
  const fallback = enabled ? BUDGETS.medium : undefined;
  // A quarter is left for the answer: the client did not choose this budget and may have set a tight limit.
  const budget = capBudget(wanted ?? fallback, Math.floor(context.maxTokens * 0.75));
  return budget === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Below the limit, as the API wants it; undefined when that leaves too little for a thought. */
function capBudget(budget: number | undefined, most: number): number | undefined {
  if (budget === undefined) return undefined;
  const capped = Math.min(Math.max(budget, MIN_BUDGET), most);
  return capped >= MIN_BUDGET ? capped : undefined;
}

function findObstacle({ messages, toolChoice }: ThinkingContext): string | undefined {
  if (toolChoice?.type === 'any' || toolChoice?.type === 'tool') return 'the request insists on a tool call';
  const last = messages.findLast(({ role }) => role === 'assistant');
  const isToolTurn = last?.content.some(({ type }) => type === 'tool_use');
  const first = last?.content[0]?.type;
  if (!isToolTurn || first === 'thinking' || first === 'redacted_thinking') return undefined;
  return 'the history lacks the signed thought before its last tool calls';
}
