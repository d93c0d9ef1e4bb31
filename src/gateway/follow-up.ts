import { createHash } from 'node:crypto';
import type { Message, Part, ToolResultPart, TurnRequest } from '../core/index.ts';

/** A request that answers calls of an earlier turn: a stateless client's way to go on. */
export interface FollowUp {
  /** In the order of the messages, one for each call. */
  readonly results: readonly ToolResultPart[];
}

/**
 * Reads the results at the end of a conversation, or undefined when it ends with something else.
 * Words that came along with the results (Claude Code's reminders, a user who steers) are put into the last result:
 * a live stream takes results only, and nothing may be lost.
 */
export function readFollowUp({ messages }: TurnRequest): FollowUp | undefined {
  const calling = messages.findLastIndex(({ role, content }) => role === 'assistant' && content.some(isCall));
  if (calling === -1) return undefined;
  const tail = messages.slice(calling + 1);
  if (tail.some(({ role }) => role === 'assistant')) return undefined;
  const byCall = new Map<string, ToolResultPart>();
  const beside: ToolResultPart['content'][number][] = [];
  for (const part of tail.flatMap(({ content }) => content)) {
    if (part.type === 'tool-result') byCall.set(part.callId, part);
    else if (isResultContent(part)) beside.push(part);
  }
  const results = [...byCall.values()];
  const last = results.pop();
  if (!last) return undefined;
  results.push(beside.length === 0 ? last : { ...last, content: [...last.content, ...beside] });
  return { results };
}

function isCall(part: Part): boolean {
  return part.type === 'tool-call';
}

function isResultContent(part: Part): part is ToolResultPart['content'][number] {
  return part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'audio';
}

/**
 * What a conversation said up to a point, so that an edited or compacted one is noticed. System prompts are left out:
 * some clients write the time into them.
 */
export function fingerprint(messages: readonly Message[]): string {
  const hash = createHash('sha256');
  for (const { role, content } of messages) {
    if (role === 'system' || role === 'developer') continue;
    hash.update(`\n${role}\n`);
    for (const part of content) hash.update(describePart(part));
  }
  return hash.digest('base64url');
}

function describePart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'tool-call':
      return `call ${part.callId} ${part.name}`;
    case 'tool-result':
      return `result ${part.callId} ${part.content.map(describePart).join('')}`;
    case 'image':
    case 'file':
    case 'audio':
      return JSON.stringify(part.source);
    case 'reasoning': // clients replay it or not, as they like
    case 'opaque':
      return '';
    default:
      return part satisfies never;
  }
}
