import {
  type AgentCall,
  type CallResult,
  type Message,
  omitUndefined,
  parseArguments,
  type ToolCallPart,
  type ToolResultPart,
} from '../core/index.ts';

export interface OpenRound {
  readonly message: Message;
  readonly calls: readonly AgentCall[];
}

/** The calls at the end of a conversation that have no result yet. */
export function findOpenRound(messages: readonly Message[]): OpenRound | undefined {
  const index = messages.findLastIndex(({ role }) => role !== 'tool');
  const message = messages[index];
  if (message?.role !== 'assistant') return undefined;
  const calls = unansweredCalls(message, messages.slice(index + 1)).map(toAgentCall);
  return calls.length === 0 ? undefined : { message, calls };
}

/**
 * The conversation with a result for every call, those at its end aside. A user who cancels and then says something
 * else leaves calls behind that nobody will answer, and no API takes a history with such calls.
 */
export function closeAbandonedCalls(messages: readonly Message[]): readonly Message[] {
  const closed: Message[] = [];
  for (let index = 0; index < messages.length; ) {
    const message = messages[index];
    if (!message) break;
    let end = index + 1;
    while (messages[end]?.role === 'tool') end++;
    closed.push(...messages.slice(index, end));
    const isLast = end >= messages.length;
    if (message.role === 'assistant' && !isLast) {
      const abandoned = unansweredCalls(message, messages.slice(index + 1, end));
      if (abandoned.length > 0) {
        closed.push({ role: 'tool', content: abandoned.map((part) => toResultPart(part, ABANDONED)) });
      }
    }
    index = end;
  }
  return closed;
}

/** One message that answers the calls, in their order. */
export function resultMessage(calls: readonly AgentCall[], results: readonly CallResult[]): Message {
  const content = calls.map((call, index) => toResultPart(call, results[index] ?? ABANDONED));
  return { role: 'tool', content };
}

const ABANDONED: CallResult = {
  content: [
    {
      type: 'text',
      text: 'This call was interrupted before its result arrived. It is unknown whether it took effect; check before repeating it.',
    },
  ],
  isError: true,
};

function unansweredCalls(message: Message, following: readonly Message[]): ToolCallPart[] {
  const answered = new Set<string>();
  for (const { content } of [message, ...following]) {
    for (const part of content) if (part.type === 'tool-result') answered.add(part.callId);
  }
  return message.content.filter(
    (part): part is ToolCallPart =>
      part.type === 'tool-call' && part.kind !== 'hosted' && !answered.has(part.callId),
  );
}

function toAgentCall(part: ToolCallPart): AgentCall {
  const { callId, name, kind, argumentsText } = part;
  const parsed = kind === 'custom' ? { input: argumentsText } : parseArguments(argumentsText);
  return { callId, name, kind, argumentsText, ...parsed };
}

function toResultPart(call: Pick<AgentCall, 'callId' | 'name' | 'kind'>, result: CallResult): ToolResultPart {
  const { callId, name, kind } = call;
  const { content, isError } = result;
  return omitUndefined({ type: 'tool-result' as const, callId, name, kind, content, isError });
}
