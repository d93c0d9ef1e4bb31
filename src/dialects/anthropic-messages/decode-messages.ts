// `system` and `messages`, wire to canon. `role: "system"` inside `messages` is what Claude Code sends (observed in
// 2.1.325); it keeps its place. Tool results leave their user message and stand before the rest of it.
import {
  type Extra,
  invalidRequest,
  type JsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ToolResultPart,
} from '../../core/index.ts';
import { expectObject, optionalBoolean, restOf, wrongType } from '../../wire/expect-field.ts';
import { decodeCache } from './cache-control.ts';
import { decodePart, decodeResultContent } from './decode-parts.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';

/** The calls of the last assistant turn that no result has answered yet. */
type OpenCalls = Set<string>;

export function decodeSystem(value: JsonValue | undefined): Message[] {
  if (value === undefined || value === null) return [];
  const content = decodeContent(value, 'system', new Set()).parts;
  return content.length > 0 ? [{ role: 'system', content }] : [];
}

export function decodeMessages(value: JsonValue | undefined): Message[] {
  if (!Array.isArray(value)) throw wrongType('messages', 'an array', value);
  if (value.length === 0) {
    throw invalidRequest('`messages` must hold at least one message, but it is empty.', 'messages');
  }
  const openCalls: OpenCalls = new Set();
  return value.flatMap((item, index) => {
    const path = `messages[${index}]`;
    return decodeMessage(expectObject(item, path), path, openCalls);
  });
}

function decodeMessage(message: JsonObject, path: string, openCalls: OpenCalls): Message[] {
  const { role } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw wrongType(`${path}.role`, '"user", "assistant" or "system"', role);
  }
  const { parts, results } = decodeContent(message.content, `${path}.content`, openCalls);
  if (role === 'assistant') {
    openCalls.clear();
    for (const part of parts) if (part.type === 'tool-call') openCalls.add(part.callId);
  }
  const rest = restOf(message, ['role', 'content']);
  const extra: Extra | undefined = rest && { [ANTHROPIC_MESSAGES]: rest };
  const decoded: Message[] = [];
  if (results.length > 0) decoded.push({ role: 'tool', content: results });
  if (parts.length > 0 || results.length === 0)
    decoded.push({ role, content: parts, ...omitUndefined({ extra }) });
  return decoded;
}

function decodeContent(
  value: JsonValue | undefined,
  path: string,
  openCalls: OpenCalls,
): { parts: Part[]; results: ToolResultPart[] } {
  if (typeof value === 'string') {
    return { parts: value === '' ? [] : [{ type: 'text', text: value }], results: [] };
  }
  if (!Array.isArray(value)) throw wrongType(path, 'a string or an array of blocks', value);
  const parts: Part[] = [];
  const results: ToolResultPart[] = [];
  for (const [index, item] of value.entries()) {
    const blockPath = `${path}[${index}]`;
    const block = expectObject(item, blockPath);
    if (block.type === 'tool_result') results.push(...decodeResult(block, blockPath, openCalls));
    else parts.push(...decodePart(block, blockPath));
  }
  return { parts, results };
}

/** A result without an id belongs to the one call that waits; where several or none wait, nobody can tell. */
function decodeResult(block: JsonObject, path: string, openCalls: OpenCalls): ToolResultPart[] {
  const named = block.tool_use_id;
  if (named !== undefined && named !== null && typeof named !== 'string') {
    throw wrongType(`${path}.tool_use_id`, 'a string', named);
  }
  const [waiting] = openCalls.size === 1 ? openCalls : [];
  const callId = named || waiting;
  if (!callId) return [];
  const kind = openCalls.delete(callId) ? ('function' as const) : undefined;
  const rest = restOf(block, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);
  return [
    omitUndefined({
      type: 'tool-result' as const,
      callId,
      kind,
      content: decodeResultContent(block.content, `${path}.content`),
      isError: optionalBoolean(block.is_error, `${path}.is_error`),
      cache: decodeCache(block.cache_control),
      extra: rest && { [ANTHROPIC_MESSAGES]: rest },
    }),
  ];
}
