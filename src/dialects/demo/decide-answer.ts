import { isJsonObject, type JsonValue, parseArguments, type TurnRequest } from '../../core/index.ts';
import { describeExchange, purposeOf } from './answer-results.ts';
import { type Conversation, type Exchange, readConversation } from './conversation.ts';
import { type CallableTool, isCallable } from './find-tool.ts';
import { describeIntent, isToolIntent, type TalkIntent, type ToolIntent } from './intent.ts';
import { isSame } from './match-schema.ts';
import { type PlanContext, type PlannedCall, planCall, planForced } from './plan-call.ts';
import { createInstance, wordsOf } from './schema-instance.ts';
import { sayNotUnderstood, sayToolMissing, talk } from './talk.ts';
import { understandRequest } from './understand-request.ts';

/** Everything the model will say and do in one turn. */
export interface Answer {
  readonly plan: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

interface Wish {
  readonly intent: ToolIntent;
  readonly call: PlannedCall | undefined;
  /** The call already made for it since the user spoke. */
  exchange: Exchange | undefined;
}

/** A client that never returns results must not keep the model calling for ever. */
const MAX_UNPLANNED_CALLS = 3;

/** Decides from the messages alone: the same conversation always gets the same answer. */
export function decideAnswer(request: TurnRequest): Answer {
  const conversation = readConversation(request.messages);
  const tools = allowedTools(request);
  const context: PlanContext = {
    tools,
    words: wordsOf(conversation.ask),
    workingDirectory: conversation.workingDirectory,
  };
  if (conversation.wantsTitle && request.tools.length === 0 && !request.output) return titleAnswer(context);

  const { steps } = understandRequest(
    conversation.ask,
    tools.map((tool) => tool.name),
  );
  const wishes = steps.map((step) => step.filter(isToolIntent).map((intent) => wishFor(intent, context)));
  const talks = steps.flat().filter((intent): intent is TalkIntent => !isToolIntent(intent));
  const unplanned = matchExchanges(wishes.flat(), conversation.exchanges);

  const forced = forcedCall(request, tools, wishes.flat(), context, conversation.exchanges.length > 0);
  const calls = forced ?? nextCalls(wishes, request.parallelToolCalls !== false, unplanned.length);
  if (calls.length > 0) return callingAnswer(request, calls, wishes.flat(), forced !== undefined);
  return finalAnswer(request, conversation, wishes.flat(), talks, unplanned, tools);
}

/** The tools the model may call in this turn. */
export function allowedTools(request: TurnRequest): readonly CallableTool[] {
  const tools = request.tools.filter(isCallable);
  const choice = request.toolChoice;
  if (choice?.type === 'none') return [];
  if (choice?.type === 'tool') return tools.filter((tool) => tool.name === choice.name);
  if (choice?.type === 'allowed')
    return tools.filter((tool) => choice.tools.some(({ name }) => name === tool.name));
  return tools;
}

function wishFor(intent: ToolIntent, context: PlanContext): Wish {
  return { intent, call: planCall(intent, context), exchange: undefined };
}

/** Gives every wish the call that was made for it; returns the calls nobody wished for. */
function matchExchanges(wishes: readonly Wish[], exchanges: readonly Exchange[]): Exchange[] {
  const left = [...exchanges];
  const claim = (isMatch: (wish: Wish, exchange: Exchange) => boolean) => {
    for (const wish of wishes) {
      if (wish.exchange) continue;
      const index = left.findIndex((exchange) => isMatch(wish, exchange));
      if (index >= 0) wish.exchange = left.splice(index, 1)[0];
    }
  };
  claim(
    (wish, { call, result }) =>
      result !== undefined &&
      call.name === wish.call?.tool.name &&
      isSameCall(call.argumentsText, wish.call.argumentsText),
  );
  // Some clients normalise arguments or add defaults; a call of the same tool is then still the answer to the wish.
  claim((wish, { call, result }) => result !== undefined && call.name === wish.call?.tool.name);
  return left;
}

function isSameCall(made: string, planned: string): boolean {
  if (made === planned) return true;
  const [a, b] = [parseArguments(made), parseArguments(planned)];
  if (!('input' in a) || !('input' in b)) return false;
  return holds(a.input, b.input);
}

function holds(made: JsonValue, planned: JsonValue): boolean {
  if (!isJsonObject(made) || !isJsonObject(planned)) return isSame(made, planned);
  return Object.entries(planned).every(
    ([key, value]) => Object.hasOwn(made, key) && isSame(made[key] ?? null, value),
  );
}

/** The calls of the first step that still has some to make. */
function nextCalls(
  steps: readonly (readonly Wish[])[],
  isParallel: boolean,
  unplannedCalls: number,
): readonly PlannedCall[] {
  if (unplannedCalls >= MAX_UNPLANNED_CALLS) return [];
  for (const step of steps) {
    const open = step.flatMap((wish) => (wish.call && !wish.exchange ? [wish.call] : []));
    if (open.length > 0) return isParallel ? open : open.slice(0, 1);
  }
  return [];
}

/** When the client demands a call and no wish leads to one: the first tool it allows. Once is enough. */
function forcedCall(
  request: TurnRequest,
  tools: readonly CallableTool[],
  wishes: readonly Wish[],
  context: PlanContext,
  hasExchanges: boolean,
): readonly PlannedCall[] | undefined {
  const choice = request.toolChoice;
  const isForced =
    choice?.type === 'required' ||
    choice?.type === 'tool' ||
    (choice?.type === 'allowed' && choice.mode === 'required');
  const tool = tools[0];
  if (!isForced || !tool || hasExchanges || wishes.some((wish) => wish.call)) return undefined;
  return [planForced(tool, [], context)];
}

function callingAnswer(
  request: TurnRequest,
  calls: readonly PlannedCall[],
  wishes: readonly Wish[],
  isForced: boolean,
): Answer {
  const now = joinPhrases(calls.map((call) => call.purpose));
  const done = wishes.filter((wish) => wish.exchange).length;
  const plan = `${isForced ? 'The client demands a tool call. ' : ''}I will ${now} by calling ${joinPhrases(calls.map((call) => call.tool.name))}.${done > 0 ? ` ${done} of ${wishes.length} things are done.` : ''}`;
  const isQuiet =
    isForced ||
    (request.toolChoice !== undefined && request.toolChoice.type !== 'auto') ||
    wantsJson(request);
  return { plan, text: isQuiet ? '' : `I will ${now}.`, calls };
}

function finalAnswer(
  request: TurnRequest,
  conversation: Conversation,
  wishes: readonly Wish[],
  talks: readonly TalkIntent[],
  unplanned: readonly Exchange[],
  tools: readonly CallableTool[],
): Answer {
  const { exchanges, ask } = conversation;
  const parts = wishes.flatMap((wish) => {
    if (wish.exchange)
      return [describeExchange(wish.exchange, wish.call?.purpose ?? describeIntent(wish.intent))];
    return wish.call ? [] : [sayToolMissing(wish.intent, describeIntent(wish.intent), tools)];
  });
  parts.push(...unplanned.map((exchange) => describeExchange(exchange, purposeOf(exchange))));
  // A question about results has no answer before there are any.
  const answerable = talks.filter((intent) => intent.kind !== 'tell' || exchanges.length > 0);
  parts.push(...answerable.map((intent) => talk(intent, tools, exchanges)));
  if (parts.length === 0) parts.push(sayNotUnderstood(ask, tools));
  const text = parts.join('\n\n');
  const plan =
    exchanges.length > 0
      ? 'All results are here; I will report what they say.'
      : 'No tool call is needed or possible; I will answer in words.';
  return { plan, text: wantsJson(request) ? jsonAnswer(request, ask, text) : text, calls: [] };
}

function wantsJson(request: TurnRequest): boolean {
  return request.output !== undefined && request.output.type !== 'text';
}

function jsonAnswer(request: TurnRequest, ask: string, text: string): string {
  if (request.output?.type !== 'json-schema')
    return JSON.stringify({ model: 'demo', request: ask.slice(0, 500), answer: text });
  const root = request.output.schema;
  return JSON.stringify(createInstance(root, { root, words: wordsOf(ask) }));
}

function titleAnswer(context: PlanContext): Answer {
  const title = context.words.slice(0, 6).join(' ') || 'Demo conversation';
  return { plan: 'The client asks for a title; I will use the first words.', text: title, calls: [] };
}

function joinPhrases(phrases: readonly string[]): string {
  if (phrases.length < 2) return phrases[0] ?? '';
  return `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`;
}
