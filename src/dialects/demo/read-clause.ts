import type { JsonObject } from '../../core/index.ts';
import { calculate } from './arithmetic.ts';
import type { ClauseReader } from './clause-reader.ts';
import { readDelete, readEdit, readFind, readList, readRead, readSearch, readWrite } from './file-readers.ts';
import { jobsOf } from './find-tool.ts';
import type { Intent, ToolIntent } from './intent.ts';
import { type MaskedText, PLACEHOLDER } from './mask-quotes.ts';
import { isPathLike } from './paths.ts';

/** Quoted text counts as one character here; a longer clause is prose, and the patterns are not made for it. */
const MAX_CLAUSE_CHARACTERS = 1000;

const POLITE =
  /^(?:(?:please|pls|kindly|now|ok(?:ay)?|so|first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|finally|also|just|and|but|go ahead and|try to|your task is to|task:|(?:could|can|would|will) (?:you|we)(?: please)?|let'?s|let us|i(?: want|'d like| would like| need) (?:you )?to|i want|you (?:should|must|can|need to))[,:]?|\d{1,2}[.)]|[-*•])\s+/i;
const POLITE_END = /(?:[\s,]+(?:please|pls|for me|thanks|thank you|right now))+$/i;

/** Understands one clause, or says that it does not. The first reader that answers wins. */
export function readClause(clause: string, masked: MaskedText): readonly Intent[] | undefined {
  if (clause.length > MAX_CLAUSE_CHARACTERS) return undefined;
  const text = trimClause(clause);
  if (text === '') return undefined;
  const hinted = readToolHint(text, masked);
  if (hinted) return hinted;
  for (const read of READERS) {
    const intents = read(text, masked);
    if (intents) return intents;
  }
  return undefined;
}

/** Without the courtesies at both ends and the punctuation after the last word. */
export function trimClause(clause: string): string {
  let text = clause.replace(/\s+/g, ' ').trim();
  for (let round = 0; round < 8; round++) {
    const shorter = text.replace(POLITE, '');
    if (shorter === text) break;
    text = shorter;
  }
  return dropFullStop(dropFullStop(text).replace(POLITE_END, ''));
}

function dropFullStop(text: string): string {
  // "run ls ." keeps its dot: there it is an argument.
  return text.replace(/(?<=[^\s.])[.!?,;:]+$/, '');
}

function readToolHint(text: string, masked: MaskedText): readonly Intent[] | undefined {
  const match = new RegExp(
    `^(?:use|using|with|via|invoke|call) (?:the |your )?(${PLACEHOLDER}|[\\w.-]+)(?: (?:tool|function|command))?(?:,| to| and|:)* (.+)$`,
    'i',
  ).exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  const tool = masked.value(match[1]);
  const json = /^(?:with|on|using)? ?(?:the |these )?(?:arguments?|args|input|parameters?)?:? ?(.+)$/i.exec(
    match[2],
  )?.[1];
  if (json !== undefined && (masked.isJson(json) || /^(?:call|invoke)/i.test(text))) {
    return [{ kind: 'call', tool, input: parseInput(json, masked) }];
  }
  if (!/ (?:tool|function|command)\b|^use |^using /i.test(text)) return undefined;
  // "use the bash tool to echo hello": for a shell, whatever follows is the command.
  const isShell = jobsOf(tool).includes('run');
  const command = { kind: 'run', command: commandOf(match[2], masked) } as const;
  const inner = readClause(match[2], masked) ?? (isShell ? [command] : undefined);
  return inner?.map((intent) => ({ ...intent, toolHint: tool }));
}

function parseInput(text: string, masked: MaskedText): JsonObject | string {
  if (!masked.isJson(text)) return masked.value(text);
  return JSON.parse(masked.source(text.trim())) as JsonObject; // masked as JSON only when it parsed to an object
}

const readCall: ClauseReader = (text, masked) => {
  const match = new RegExp(
    `^(?:call|invoke) (?:the )?(?:tool |function )?(${PLACEHOLDER}|[\\w.-]+)(?: tool| function)?$`,
    'i',
  ).exec(text);
  return match?.[1] ? [{ kind: 'call', tool: masked.value(match[1]), input: {} }] : undefined;
};

const readTalk: ClauseReader = (text) => {
  if (
    /^(?:what|which) (?:\w+ ){0,3}?tools\b|^(?:list|show|name)(?: me)?(?: all)?(?: the| your)?(?: available)? tools\b|^tools$/i.test(
      text,
    )
  ) {
    return [{ kind: 'list-tools' }];
  }
  if (
    /^(?:who|what) are you\b|^what(?:'s| is) your name\b|^(?:what|which) (?:ai |language )?model\b|^are you (?:an? )?(?:ai|real|human|llm|language model|bot)\b|^what can you do\b|^help$|^introduce yourself\b/i.test(
      text,
    )
  ) {
    return [{ kind: 'introduce' }];
  }
  if (
    /^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|ping|say (?:hi|hello))(?: (?:there|demo|model|crosspoint|world|again|to me))*$/i.test(
      text,
    )
  ) {
    return [{ kind: 'greet' }];
  }
  return undefined;
};

const readCalculation: ClauseReader = (text) => {
  const body =
    /^(?:what(?:'s| is| are)|calculate|compute|evaluate|solve|how much (?:is|are)|tell me)? ?(.*)$/i.exec(
      text,
    )?.[1] ?? '';
  const expression = body
    .replace(/\bplus\b/gi, '+')
    .replace(/\bminus\b/gi, '-')
    .replace(/\btimes\b|\bmultiplied by\b/gi, '*')
    .replace(/\bdivided by\b|\bover\b/gi, '/')
    .replace(/\bmod(?:ulo)?\b/gi, '%')
    .replace(/\bto the power of\b/gi, '^')
    .replace(/(?<=\d) ?x ?(?=\d)/gi, '*')
    .replace(/ ?= ?$/, '');
  if (
    !/\d/.test(expression) ||
    !/[-+*/%^×÷]/.test(expression.slice(1)) ||
    !/^[-\d+*/%^×÷().\s]+$/.test(expression)
  )
    return undefined;
  const isDate =
    /^\d{1,4}[-/]\d{1,2}[-/]\d{1,4}$/.test(expression) && 'value' in calculate(expression) && body === text;
  return isDate ? undefined : [{ kind: 'calculate', expression: expression.trim() }];
};

const readFetch: ClauseReader = (text, masked) => {
  const match = new RegExp(
    `^(?:fetch|get|download|open|read|visit|curl|load|browse(?: to)?|go to|look at|summari[sz]e|show)(?: me)? (?:.{0,40} )?(https?://\\S+|${PLACEHOLDER})`,
    'i',
  ).exec(text);
  const url = match?.[1] === undefined ? '' : masked.value(match[1]).replace(/[.,;:!?)\]]+$/, '');
  return /^https?:\/\/[^\s]+$/i.test(url) ? [{ kind: 'fetch', url }] : undefined;
};

const readWebSearch: ClauseReader = (text, masked) => {
  const match =
    /^(?:search|look(?: on| up on)?|check)(?: on)? (?:the )?(?:web|internet|google|online)(?: for| about)? (.+)$/i.exec(
      text,
    ) ??
    /^(?:web[- ]?search|google)(?: for)? (.+)$/i.exec(text) ??
    /^(?:search|look up|look)(?: for)? (.+) (?:online|on the (?:web|internet))$/i.exec(text);
  return match?.[1] ? [{ kind: 'web-search', query: masked.value(match[1]) }] : undefined;
};

const readTodo: ClauseReader = (text, masked) => {
  const match =
    /^(?:remember|add|note|create|make|write|save)(?: down)?(?: an?| the| my| to (?:my|the))? ?(?:new )?(?:todos?|to-dos?|tasks?)(?: list)?(?: items?)?(?: to| that)?[:,-]* (.+)$/i.exec(
      text,
    );
  if (!match?.[1]) return undefined;
  const items = match[1].split(/\s*[,;]\s*/).map((item) => masked.value(item));
  return [{ kind: 'todo', items: items.filter((item) => item !== '') }];
};

/** Commands people type without a verb before them. */
const BARE_COMMAND =
  /^(?:git|npm|npx|pnpm|yarn|node|python3?|pip|cargo|docker|kubectl|echo|cat -|ls -|grep -|rg -|curl -|find \.|cd) ?\S|^(?:pwd|whoami|uname|date)$/;

const readRun: ClauseReader = (text, masked) => {
  if (BARE_COMMAND.test(text)) return [{ kind: 'run', command: commandOf(text, masked) }];
  const match =
    /^(?:run|execute|exec)(?: the| this| a)?(?: (?:following|shell|terminal|bash))*(?: commands?)?:? (.+?)(?: in (?:the |a )?(?:terminal|shell|bash|console))?$/i.exec(
      text,
    );
  if (!match?.[1]) return undefined;
  if (/^(?:all )?(?:the |my |our )?(?:unit )?tests?(?: suite)?$/i.test(match[1]))
    return [{ kind: 'run', command: 'npm test' }];
  return [{ kind: 'run', command: commandOf(match[1], masked) }];
};

function commandOf(text: string, masked: MaskedText): string {
  const command = masked.value(text);
  return text.trim().length === 1 ? command.trim() : command;
}

const readSay: ClauseReader = (text, masked) => {
  const match =
    /^(?:reply|respond|answer|say|repeat)(?: with)?(?: exactly| only| just)*(?: (?:the|this|these) (?:words?|text|line|sentence))?:? (.+)$/i.exec(
      text,
    );
  return match?.[1] ? [{ kind: 'say', text: masked.value(match[1]) }] : undefined;
};

/** "tell me the version (in package.json)": answered from what the tools returned. */
const readTell: ClauseReader = (text, masked) => {
  const match =
    /^(?:tell me|report|say|give me|what(?:'s| is)|show me|extract)(?: what)? (?:the|its) (?:value of (?:the )?)?([\w.-]+)(?: (?:field|value|number|property|key))?(?: is)?(?: (?:in|of|from|inside) (?:the )?(?:file )?(\S+))?$/i.exec(
      text,
    );
  if (!match?.[1] || /^(?:contents?|text|files?|code)$/i.test(match[1])) return undefined;
  const path = masked.value(match[2] ?? '');
  const tell = { kind: 'tell', what: match[1] } as const;
  return isPathLike(path) ? [{ kind: 'read', path } satisfies ToolIntent, tell] : [tell];
};

const READERS: readonly ClauseReader[] = [
  readCall,
  readTalk,
  readCalculation,
  readFetch,
  readWebSearch,
  readTodo,
  readEdit,
  readWrite,
  readDelete,
  readRun,
  readFind,
  readList,
  readTell,
  readRead,
  readSearch,
  readSay,
];
