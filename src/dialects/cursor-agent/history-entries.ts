// What was said before, one entry per model message, in the order the providers demand: every call has its result.
import {
  isJsonObject,
  type JsonObject,
  type Message,
  type Part,
  parseArguments,
  type ToolCallPart,
  type ToolResultPart,
} from '../../core/index.ts';
import type { AgentTools } from './agent-tools.ts';

export interface HistoryImage {
  readonly data: string;
  readonly mediaType: string;
}

export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export type HistoryEntry =
  | { readonly role: 'user'; readonly text: string; readonly images: readonly HistoryImage[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly HistoryCall[] }
  | {
      readonly role: 'tool';
      readonly call: HistoryCall;
      readonly text: string;
      readonly images: readonly HistoryImage[];
      readonly isError: boolean;
    };

/** A call that nobody answered would make the provider refuse the whole conversation. */
const UNANSWERED = 'This call was not answered.';

export function historyEntries(messages: readonly Message[], tools: AgentTools): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let open: HistoryCall[] = [];
  const settle = () => {
    for (const call of open)
      entries.push({ role: 'tool', call, text: UNANSWERED, images: [], isError: true });
    open = [];
  };
  for (const { role, content } of messages) {
    for (const result of content.filter(isResult)) {
      const call = open.find(({ id }) => id === result.callId) ?? unknownCall(result);
      open = open.filter((other) => other !== call);
      const isError = result.isError === true;
      entries.push({
        role: 'tool',
        call,
        text: readableText(result.content),
        images: imagesOf(result.content),
        isError,
      });
    }
    const own = content.filter((part) => part.type !== 'tool-result');
    if (own.length === 0) continue;
    settle();
    const text = readableText(own);
    if (role !== 'assistant') {
      entries.push({ role: 'user', text, images: imagesOf(own) });
      continue;
    }
    open = own.filter(isCall).map((part) => historyCall(part, tools));
    entries.push({ role: 'assistant', text, calls: open });
  }
  settle();
  return entries;
}

/** The text of parts; what has no text is named, so that the model knows that something was there. */
export function readableText(content: readonly Part[]): string {
  return content.flatMap(readPart).join('\n');
}

function readPart(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [part.text];
    case 'image':
      return part.source.type === 'url' ? [`[image: ${part.source.url}]`] : [];
    case 'file':
      return [`[file: ${part.filename ?? 'without a name'}]`];
    case 'audio':
      return [part.transcript ?? '[audio]'];
    default:
      return []; // thoughts are another provider's; calls and results have entries of their own
  }
}

export function imagesOf(content: readonly Part[]): HistoryImage[] {
  return content.flatMap((part) => {
    if (part.type !== 'image' || part.source.type !== 'base64') return [];
    return [{ data: part.source.data, mediaType: part.source.mediaType ?? 'image/png' }];
  });
}

function historyCall(part: ToolCallPart, tools: AgentTools): HistoryCall {
  const parsed = part.kind === 'custom' ? { input: undefined } : parseArguments(part.argumentsText);
  const input = 'input' in parsed ? parsed.input : undefined;
  const args = isJsonObject(input) ? input : { input: part.argumentsText };
  return { id: part.callId, name: tools.modelName(part), args };
}

/** A result whose call a compacted history no longer has. */
function unknownCall({ callId, name }: ToolResultPart): HistoryCall {
  return { id: callId, name: name ?? 'unknown', args: {} };
}

function isResult(part: Part): part is ToolResultPart {
  return part.type === 'tool-result';
}

function isCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call';
}
