import { invalidRequest, type Message, textOf } from '../../core/index.ts';

/** A conversation as the agent protocol wants it: instructions, what was said, what is said now. */
export interface SplitConversation {
  readonly system: string;
  readonly history: readonly Message[];
  /** The user messages at the end; none when the conversation ends with results or with the model's own words. */
  readonly current: readonly Message[];
}

export function splitConversation(messages: readonly Message[]): SplitConversation {
  const instructions = messages.filter(isInstruction).map(({ content }) => textOf(content));
  const said = messages.filter((message) => !isInstruction(message));
  if (said.length === 0) {
    throw invalidRequest('The agent backend needs at least one user message.', 'messages');
  }
  const lastOther = said.findLastIndex(({ role }) => role !== 'user');
  return {
    system: instructions.filter((text) => text !== '').join('\n\n'),
    history: said.slice(0, lastOther + 1),
    current: said.slice(lastOther + 1),
  };
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}
