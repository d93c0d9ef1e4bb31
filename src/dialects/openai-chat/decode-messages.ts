// The messages of a chat request, wire to canon.
// Replayed reasoning is not OpenAI's: `reasoning_content` is DeepSeek's and Moonshot's, `reasoning` and
// `reasoning_details` are OpenRouter's. Legacy `function_call` and role `function` follow OpenAI's 2023 reference.
import {
  type Extra,
  invalidRequest,
  type JsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ToolCallKind,
  type ToolCallPart,
} from '../../core/index.ts';
import {
  expectArray,
  expectName,
  expectObject,
  expectString,
  optionalObject,
  optionalString,
  restOf,
  wrongType,
} from '../../wire/expect-field.ts';
import { decodeContent, decodeResultContent } from './decode-parts.ts';
import { decodeCache } from './decode-tools.ts';
import { decodeReplayedReasoning, REASONING_FIELDS } from './reasoning.ts';
import { OPENAI_CHAT } from './schema.ts';

/** The calls made so far, so that a result knows what it answers. */
interface CallLedger {
  readonly kinds: Map<string, { kind: ToolCallKind; name: string }>;
  /** Legacy calls have no id; the result names the function. */
  readonly legacyIds: Map<string, string>;
}

export function decodeMessages(value: JsonValue | undefined): Message[] {
  if (!Array.isArray(value)) throw wrongType('messages', 'an array', value);
  if (value.length === 0) {
    throw invalidRequest('`messages` must hold at least one message, but it is empty.', 'messages');
  }
  const ledger: CallLedger = { kinds: new Map(), legacyIds: new Map() };
  return value.map((item, index) => decodeMessage(item, `messages[${index}]`, index, ledger));
}

function decodeMessage(value: JsonValue, path: string, index: number, ledger: CallLedger): Message {
  const message = expectObject(value, path);
  const role = expectString(message.role, `${path}.role`);
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const content = withMessageCache(decodeContent(message.content, `${path}.content`, false), message);
      return finish(message, path, role, content, ['content']);
    }
    case 'assistant':
      return decodeAssistant(message, path, index, ledger);
    case 'tool':
      return decodeToolMessage(message, path, ledger);
    case 'function':
      return decodeLegacyResult(message, path, index, ledger);
    default:
      throw wrongType(`${path}.role`, '"system", "developer", "user", "assistant" or "tool"', role);
  }
}

function decodeAssistant(message: JsonObject, path: string, index: number, ledger: CallLedger): Message {
  const parts: Part[] = [
    ...decodeReplayedReasoning(message),
    ...withMessageCache(decodeContent(message.content, `${path}.content`, true), message),
  ];
  const refusal = optionalString(message.refusal, `${path}.refusal`);
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  const audio = optionalObject(message.audio, `${path}.audio`);
  if (audio)
    parts.push({ type: 'audio', source: { type: 'id', id: expectName(audio.id, `${path}.audio.id`) } });
  parts.push(...decodeCalls(message, path, index));
  for (const part of parts) {
    if (part.type === 'tool-call') ledger.kinds.set(part.callId, { kind: part.kind, name: part.name });
  }
  const legacy = optionalObject(message.function_call, `${path}.function_call`);
  if (legacy) ledger.legacyIds.set(String(legacy.name), legacyCallId(index));
  return finish(message, path, 'assistant', parts, [
    'content',
    'refusal',
    'audio',
    'tool_calls',
    'function_call',
    ...REASONING_FIELDS,
  ]);
}

function decodeCalls(message: JsonObject, path: string, index: number): ToolCallPart[] {
  const legacy = optionalObject(message.function_call, `${path}.function_call`);
  const calls = message.tool_calls ?? [];
  const decoded = expectArray(calls, `${path}.tool_calls`).map((item, position) =>
    decodeCall(item, `${path}.tool_calls[${position}]`),
  );
  if (!legacy) return decoded;
  const name = expectName(legacy.name, `${path}.function_call.name`);
  const argumentsText = decodeArguments(legacy.arguments, `${path}.function_call.arguments`);
  return [
    ...decoded,
    { type: 'tool-call', callId: legacyCallId(index), name, kind: 'function', argumentsText },
  ];
}

function decodeCall(value: JsonValue, path: string): ToolCallPart {
  const call = expectObject(value, path);
  const kind = decodeKind(call, path);
  const callId = expectName(call.id, `${path}.id`);
  const inner = expectObject(call[kind], `${path}.${kind}`);
  const name = expectName(inner.name, `${path}.${kind}.name`);
  const field = kind === 'function' ? 'arguments' : 'input';
  const argumentsText = decodeArguments(inner[field], `${path}.${kind}.${field}`);
  const innerRest = restOf(inner, ['name', field]);
  const rest = restOf(call, ['id', 'type', kind, 'cache_control']);
  const kept =
    rest || innerRest ? { ...rest, ...(innerRest ? { [kind]: innerRest } : undefined) } : undefined;
  const extra: Extra | undefined = kept && { [OPENAI_CHAT]: kept };
  const cache = decodeCache(call.cache_control);
  return omitUndefined({ type: 'tool-call' as const, callId, name, kind, argumentsText, cache, extra });
}

function decodeKind(call: JsonObject, path: string): 'function' | 'custom' {
  if (call.type === undefined || call.type === null) return call.custom === undefined ? 'function' : 'custom';
  if (call.type === 'function' || call.type === 'custom') return call.type;
  throw wrongType(`${path}.type`, '"function" or "custom"', call.type);
}

/** Text passes byte for byte. An object (sent by clients that parsed it) becomes compact JSON; nothing becomes ''. */
function decodeArguments(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  throw wrongType(path, 'a string of JSON', value);
}

function decodeToolMessage(message: JsonObject, path: string, ledger: CallLedger): Message {
  const callId = message.tool_call_id;
  if (typeof callId !== 'string' || callId === '') {
    throw invalidRequest(
      `\`${path}.tool_call_id\` is missing: a tool message must name the call that it answers (the \`id\` of an earlier tool call).`,
      `${path}.tool_call_id`,
    );
  }
  const content = decodeResultContent(message.content, `${path}.content`);
  const call = ledger.kinds.get(callId);
  const name = optionalString(message.name, `${path}.name`);
  const cache = decodeCache(message.cache_control);
  const result = omitUndefined({
    type: 'tool-result' as const,
    callId,
    kind: call?.kind,
    name,
    content,
    cache,
  });
  const rest = restOf(message, ['role', 'content', 'tool_call_id', 'name', 'cache_control']);
  return omitUndefined({ role: 'tool' as const, content: [result], extra: rest && { [OPENAI_CHAT]: rest } });
}

function decodeLegacyResult(message: JsonObject, path: string, index: number, ledger: CallLedger): Message {
  const name = expectName(message.name, `${path}.name`);
  const callId = ledger.legacyIds.get(name) ?? legacyCallId(index - 1);
  const content = decodeResultContent(message.content, `${path}.content`);
  return { role: 'tool', content: [{ type: 'tool-result', callId, kind: 'function', name, content }] };
}

function legacyCallId(messageIndex: number): string {
  return `call_legacy_${messageIndex}`;
}

/** A mark on the whole message means the end of it. */
function withMessageCache<P extends Part>(parts: P[], message: JsonObject): P[] {
  const cache = decodeCache(message.cache_control);
  const last = parts.at(-1);
  return cache && last ? [...parts.slice(0, -1), { ...last, cache: last.cache ?? cache }] : parts;
}

function finish(
  message: JsonObject,
  path: string,
  role: 'system' | 'developer' | 'user' | 'assistant',
  content: Part[],
  known: readonly string[],
): Message {
  const name = optionalString(message.name, `${path}.name`);
  const rest = restOf(message, ['role', 'name', 'cache_control', ...known]);
  return omitUndefined({ role, content, name, extra: rest && { [OPENAI_CHAT]: rest } });
}
