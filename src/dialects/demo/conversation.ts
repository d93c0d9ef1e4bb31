// Reads a conversation the way coding agents write it: the user's words wrapped in context blocks, calls and results after them.
// Wrappers are those that OpenCode, Claude Code, Codex, Cline, Continue and Cursor were seen to send; other blocks are guessed by name.
import type { Message, Part, ToolCallPart, ToolResultPart } from '../../core/index.ts';
import { omitUndefined } from '../../core/index.ts';

/** A call this model made since the user last spoke, and what came back. */
export interface Exchange {
  readonly call: ToolCallPart;
  readonly result?: ToolResultPart;
}

export interface Conversation {
  /** What the user wants, without the context that clients put around it. */
  readonly ask: string;
  readonly exchanges: readonly Exchange[];
  readonly workingDirectory?: string;
  /** The client wants a title for the conversation, not an answer. */
  readonly wantsTitle: boolean;
}

const MAX_ASK_CHARACTERS = 200_000;

/** Blocks whose inside is what the user typed. */
const ASK_TAGS = ['user_query', 'user_input', 'user_request', 'user_message', 'task', 'feedback', 'question'];

/** Blocks that clients add; the ends of names catch the ones not listed. */
const CONTEXT_TAG =
  /^(?:system|instructions|context|rules|env|environment|memory|memories|skills|workspace|additional_data|git_status|permissions|collaboration_mode)$|(?:[-_](?:reminder|details|context|info|information|files?|data|layout|status|instructions|rules|contents?|caveat|stdout|stderr|name|args|skills|metadata|state|transcripts?|notification))$/i;

export function readConversation(messages: readonly Message[]): Conversation {
  const askIndex = findAskIndex(messages);
  const ask = askIndex < 0 ? '' : unwrapAsk(joinText(messages[askIndex]?.content ?? []));
  return omitUndefined({
    ask,
    exchanges: collectExchanges(messages.slice(askIndex + 1)),
    workingDirectory: findWorkingDirectory(messages.slice(0, askIndex + 1)),
    wantsTitle: wantsTitle(messages),
  });
}

/** The user's own words inside one message. */
export function unwrapAsk(text: string): string {
  const bounded = text.length > MAX_ASK_CHARACTERS ? text.slice(-MAX_ASK_CHARACTERS) : text;
  for (const tag of ASK_TAGS) {
    const end = bounded.lastIndexOf(`</${tag}>`);
    const start = end < 0 ? -1 : bounded.lastIndexOf(`<${tag}`, end);
    const open = start < 0 ? -1 : bounded.indexOf('>', start);
    if (open >= 0 && open < end) return dropContext(bounded.slice(open + 1, end));
  }
  return dropContext(bounded);
}

function dropContext(text: string): string {
  const opening = /<([A-Za-z][\w-]*)(?:\s[^<>]*)?>/g;
  let kept = '';
  let position = 0;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const tag = match[1] ?? '';
    if (!CONTEXT_TAG.test(tag)) continue;
    const end = text.indexOf(`</${tag}>`, opening.lastIndex);
    if (end < 0) continue;
    kept += text.slice(position, match.index);
    position = end + tag.length + 3;
    opening.lastIndex = position;
  }
  kept += text.slice(position);
  // Codex puts this heading above the instructions block it sends as a user message.
  return unquote(kept.replace(/^# AGENTS\.md instructions[^\n]*$/gm, '').trim());
}

/** OpenCode quotes every command-line word that holds a space, so `run "read a.txt"` arrives with its quotes. */
function unquote(text: string): string {
  const inside = /^"((?:[^"\\]|\\[\s\S])*)"$/.exec(text)?.[1];
  return inside === undefined ? text : inside.replace(/\\(["\\])/g, '$1').trim();
}

function findAskIndex(messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => message.role === 'user' && unwrapAsk(joinText(message.content)) !== '',
  );
}

function joinText(content: readonly Part[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Pairs in order: some clients' ids (`call_0`) come again in every answer. */
function collectExchanges(messages: readonly Message[]): Exchange[] {
  const exchanges: { call: ToolCallPart; result?: ToolResultPart }[] = [];
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === 'tool-call') exchanges.push({ call: part });
    if (part.type !== 'tool-result') continue;
    const open = exchanges.findLast(({ call, result }) => call.callId === part.callId && !result);
    if (open) open.result = part;
  }
  return exchanges;
}

const ABSOLUTE = '((?:/|[A-Za-z]:[\\\\/])[^\\n<>"\'`(),;]*)';
const DIRECTORY_PATTERNS = [
  new RegExp(`<cwd>\\s*${ABSOLUTE}`, 'i'),
  new RegExp(`working directory(?:\\s+is)?\\s*[:=(]?\\s*["'\`]?${ABSOLUTE}`, 'i'),
  new RegExp(`\\bcwd["'\`]?\\s*[:=]\\s*["'\`]?${ABSOLUTE}`, 'i'),
  new RegExp(`\\bworkspace (?:path|root|folder|directory)s?\\s*[:=]\\s*["'\`]?${ABSOLUTE}`, 'i'),
];

/** Where the client says it works; only text before the tools ran counts, so that the answer never shifts. */
function findWorkingDirectory(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'tool') continue;
    const text = joinText(message.content);
    for (const pattern of DIRECTORY_PATTERNS) {
      const found = pattern.exec(text)?.[1]?.split(/\.\s/)[0];
      const path = found?.trim().replace(/(?<=[^/\\:])[/\\.]+$/, '');
      if (path) return path;
    }
  }
  return undefined;
}

/** OpenCode and others ask for a title beside the real turn, with a prompt of their own and no tools. */
function wantsTitle(messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      message.role !== 'assistant' &&
      message.role !== 'tool' &&
      /\b(?:generate|write|create|output|produce)\b[^.\n]{0,60}\btitle\b|\btitle generator\b/i.test(
        joinText(message.content).slice(0, 4000),
      ),
  );
}
