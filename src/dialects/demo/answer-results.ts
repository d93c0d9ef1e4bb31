import { isJsonObject, type JsonValue, parseArguments, type ToolResultPart } from '../../core/index.ts';
import type { Exchange } from './conversation.ts';
import { jobsOf } from './find-tool.ts';

const MAX_LINES = 12;
const MAX_CHARACTERS = 1200;

/** What came back from one call, in words and with the beginning of the output. */
export function describeExchange(exchange: Exchange, purpose: string): string {
  const { call, result } = exchange;
  if (!result) return `\`${call.name}\` was called to ${purpose}, but no result came back.`;
  const output = outputOf(result);
  const text = output.text.trimEnd();
  if (result.isError)
    return `\`${call.name}\` failed to ${purpose}. The tool said: ${quote(text || '(nothing)')}`;
  // Only a command's own output tells its exit code; a file that was read may speak of another's.
  const exitCode = output.exitCode ?? (jobsOf(call.name).includes('run') ? findExitCode(text) : undefined);
  if (exitCode !== undefined && exitCode !== 0) {
    return `I called \`${call.name}\` to ${purpose}. It ended with exit code ${exitCode}. The tool said: ${quote(text || '(nothing)')}`;
  }
  const success = exitCode === 0 ? ' It ended with exit code 0.' : '';
  if (looksLikeError(text))
    return `I called \`${call.name}\` to ${purpose}, and what came back looks like an error. The tool said: ${quote(text)}`;
  const media = describeMedia(result);
  if (text === '')
    return `I called \`${call.name}\` to ${purpose}.${success} ${media || 'It returned no text.'}`;
  return `I called \`${call.name}\` to ${purpose}.${success} It returned ${countLines(text)}${media && `, and ${media}`}: ${quote(text)}`;
}

/** Looks up `what` in everything that came back: JSON by key, else a line that names it. */
export function findValue(exchanges: readonly Exchange[], what: string): string | undefined {
  for (const { result } of exchanges) {
    const text = result ? outputOf(result).text : '';
    const escaped = what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const match = new RegExp(
      `["'\`]?\\b${escaped}\\b["'\`]?\\s*[:=]\\s*("(?:[^"\\\\\\n]|\\\\.)*"|[^\\n]{1,200})`,
      'i',
    ).exec(text);
    const value = match?.[1]
      ?.trim()
      .replace(/[,;]$/, '')
      .replace(/^(["'])(.*)\1$/, '$2');
    if (value) return value;
  }
  return undefined;
}

interface Output {
  readonly text: string;
  readonly exitCode?: number;
}

/** Codex and others wrap output in JSON with an exit code beside it. */
function outputOf(result: ToolResultPart): Output {
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (!/^\s*\{/.test(text) || text.length > 1_000_000) return { text };
  const parsed = parseArguments(text);
  if (!('input' in parsed) || !isJsonObject(parsed.input)) return { text };
  const { output, stdout, metadata } = parsed.input;
  const inner = typeof output === 'string' ? output : typeof stdout === 'string' ? stdout : undefined;
  const holders: readonly (JsonValue | undefined)[] = [parsed.input, metadata];
  for (const holder of holders) {
    if (!isJsonObject(holder)) continue;
    const code = holder.exit_code ?? holder.exitCode;
    if (typeof code === 'number') return { text: inner ?? text, exitCode: code };
  }
  return { text: inner ?? text };
}

function findExitCode(text: string): number | undefined {
  const match = /\b(?:exit(?:ed with)?(?: code| status)|exited with code|exit_code)\s*[:=]?\s*(-?\d+)/i.exec(
    text.length > 4000 ? text.slice(0, 2000) + text.slice(-2000) : text,
  );
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

function looksLikeError(text: string): boolean {
  return /^\s*(?:<tool_use_error>|error\b[:\s]|failed\b|ENOENT\b|EACCES\b|permission denied|file not found|no such file|tool execution (?:failed|error)|the user (?:rejected|denied|doesn't want))/i.test(
    text.slice(0, 300),
  );
}

function describeMedia(result: ToolResultPart): string {
  const kinds = result.content.flatMap((part) => (part.type === 'text' ? [] : [part.type]));
  if (kinds.length === 0) return '';
  return `it returned ${kinds.map((kind) => (kind === 'opaque' ? 'a part I do not know' : `one ${kind}`)).join(', ')}, which this demo model cannot look at.`;
}

function countLines(text: string): string {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines === 1 ? '1 line' : `${lines} lines`;
}

/** The beginning of a text as a code block whose fence no line inside can close. */
function quote(text: string): string {
  let shown = text.split('\n', MAX_LINES).join('\n');
  if (shown.length > MAX_CHARACTERS) shown = shown.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  const rest = shown.length < text.length ? '\n… (the rest is left out here)' : '';
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}\n${shown}${rest}\n${fence}`;
}

/** What a call was for, told from its name and arguments alone. */
export function purposeOf(exchange: Exchange): string {
  const { name, argumentsText } = exchange.call;
  const line = [...argumentsText.slice(0, 200).replace(/\s+/g, ' ')].slice(0, 80).join('');
  const job = jobsOf(name)[0];
  return job === undefined ? `handle ${line || 'the request'}` : `${job} with ${line || 'no arguments'}`;
}
