// Calls without results. A conversation that ends with some is taken up by settling them; before anything else is said
// in it they must have results, since providers refuse a call that nobody answered.
import type { Message, ToolCallPart, ToolResultPart } from '../../../core/index.ts';

const INTERRUPTED =
  'This call was interrupted before its result came. It is not known whether it took effect; check before repeating it.';

export function callsOf(message: Message | undefined): ToolCallPart[] {
  return message?.role === 'assistant'
    ? message.content.flatMap((part) => (part.type === 'tool-call' && part.kind !== 'hosted' ? [part] : []))
    : [];
}

export function resultsOf(messages: readonly Message[]): ToolResultPart[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
  );
}

/** The messages from the last one with open calls on; empty when every call has its result. */
export function findOpenRound(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const round = at === -1 ? [] : messages.slice(at);
  if (round.slice(1).some(({ role }) => role !== 'tool')) return [];
  const answered = new Set(resultsOf(round.slice(1)).map(({ callId }) => callId));
  return callsOf(round[0]).some(({ callId }) => !answered.has(callId)) ? round : [];
}

/** Gives every open call of the conversation a result: the one that is known, or word that it was interrupted. */
export function settleOpenCalls(
  messages: readonly Message[],
  known: ReadonlyMap<string, ToolResultPart> = new Map(),
): Message[] {
  const settled: Message[] = [];
  let open: ToolCallPart[] = [];
  const settle = () => {
    if (open.length === 0) return;
    const content = open.map(
      ({ callId, name }): ToolResultPart =>
        known.get(callId) ?? {
          type: 'tool-result',
          callId,
          name,
          content: [{ type: 'text', text: INTERRUPTED }],
          isError: true,
        },
    );
    settled.push({ role: 'tool', content });
    open = [];
  };
  for (const message of messages) {
    const results = new Set(resultsOf([message]).map(({ callId }) => callId));
    open = open.filter(({ callId }) => !results.has(callId));
    if (message.role !== 'tool') settle();
    settled.push(message);
    open.push(...callsOf(message));
  }
  settle();
  return settled;
}

/** A round that was open, with what the loop says it has become. */
export function settleRound(open: readonly Message[], added: readonly Message[]): Message[] {
  const [head, ...rest] = open;
  if (!head) return [...added];
  const ids = new Set(callsOf(head).map(({ callId }) => callId));
  const repeatsHead = callsOf(added[0]).some(({ callId }) => ids.has(callId));
  const news = repeatsHead ? added.slice(1) : added;
  const answered = new Set(resultsOf(news).map(({ callId }) => callId));
  const kept = rest.filter((message) => !resultsOf([message]).some(({ callId }) => answered.has(callId)));
  return [(repeatsHead ? added[0] : undefined) ?? head, ...kept, ...news];
}
