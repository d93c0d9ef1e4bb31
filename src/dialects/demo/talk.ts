import { findValue } from './answer-results.ts';
import { calculate, formatNumber } from './arithmetic.ts';
import type { Exchange } from './conversation.ts';
import type { CallableTool } from './find-tool.ts';
import type { TalkIntent, ToolIntent } from './intent.ts';

export const INTRODUCTION =
  "I am Crosspoint's built-in demo model: a small rule-based program that works offline, not an AI.";

const ABILITIES =
  'I understand plain wishes such as "read package.json", "run ls", "search for TODO in src", "create hello.txt with hello world", "replace foo with bar in a.txt", "fetch https://example.com" or "what is 2+2", several at once ("read a.txt and run ls", "… then …"), and "call TOOL with {json}".';

const MAX_LISTED = 60;

/** What the model says by itself. */
export function talk(
  intent: TalkIntent,
  tools: readonly CallableTool[],
  exchanges: readonly Exchange[],
): string {
  switch (intent.kind) {
    case 'greet':
      return `Hello! ${INTRODUCTION} ${ABILITIES}`;
    case 'introduce':
      return `${INTRODUCTION} ${ABILITIES}`;
    case 'list-tools':
      return tools.length === 0
        ? 'This request declares no tools that I could call.'
        : `This request declares ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}: ${listTools(tools)}.`;
    case 'calculate':
      return sayResult(intent.expression);
    case 'say':
      return intent.text;
    case 'tell': {
      const value = findValue(exchanges, intent.what);
      return value === undefined
        ? `I found no ${intent.what} in what the tools returned.`
        : `The ${intent.what} is ${value}.`;
    }
    default:
      return intent satisfies never;
  }
}

/** For a request no rule fits: honest, and with a way on. */
export function sayNotUnderstood(ask: string, tools: readonly CallableTool[]): string {
  const subject = ask === '' ? 'There is no text to answer here.' : 'I have no rule for this request.';
  const known = tools.length === 0 ? '' : ` The tools I could call here: ${listTools(tools)}.`;
  return `${INTRODUCTION} ${subject} ${ABILITIES}${known}`;
}

const NEEDS: Readonly<Record<Exclude<ToolIntent['kind'], 'call'>, string>> = {
  read: 'a tool that reads files (or a shell)',
  run: 'a shell tool',
  list: 'a tool that lists folders (or a shell)',
  search: 'a tool that searches in files (or a shell)',
  find: 'a tool that finds files (or a shell)',
  write: 'a tool that writes files (or a shell)',
  edit: 'a tool that edits files (or a shell)',
  delete: 'a tool that deletes files (or a shell)',
  fetch: 'a tool that fetches web pages (or a shell)',
  'web-search': 'a web search tool',
  todo: 'a to-do list tool',
};

/** For a wish that none of the declared tools can fulfil. */
export function sayToolMissing(intent: ToolIntent, purpose: string, tools: readonly CallableTool[]): string {
  const need = intent.kind === 'call' ? `a tool named ${intent.tool}` : NEEDS[intent.kind];
  const declared =
    tools.length === 0 ? 'this request offers me none' : `only these are declared: ${listTools(tools)}`;
  return `To ${purpose} I would need ${need}, but ${declared}.`;
}

function listTools(tools: readonly CallableTool[]): string {
  const names = tools.slice(0, MAX_LISTED).map((tool) => `\`${tool.name}\``);
  return tools.length > MAX_LISTED
    ? `${names.join(', ')} and ${tools.length - MAX_LISTED} more`
    : names.join(', ');
}

function sayResult(expression: string): string {
  const result = calculate(expression);
  return 'value' in result
    ? `${expression} = ${formatNumber(result.value)}`
    : `I cannot calculate ${expression}: ${result.problem}.`;
}
