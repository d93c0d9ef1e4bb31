// The input items of a request, wire to canon. What a model said in one go (thoughts, text, calls) becomes one
// assistant message; its items stay apart through marks in `extra`, so that they encode back one to one.
// Items without a canonical meaning are kept in their place as opaque parts.
import {
  type Extra,
  type JsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type Role,
  type ToolCallPart,
  type ToolResultPart,
} from '../../core/index.ts';
import {
  expectArray,
  expectName,
  expectObject,
  expectString,
  optionalString,
  restWithoutNulls,
  wrongType,
} from '../../wire/expect-field.ts';
import { decodeContent, decodeResultContent } from './decode-parts.ts';
import { OPENAI, OPENAI_RESPONSES } from './schema.ts';
import { openProof, openSummary } from './sealed-content.ts';

export function decodeInput(value: JsonValue): Message[] {
  if (typeof value === 'string') return [{ role: 'user', content: [{ type: 'text', text: value }] }];
  if (!Array.isArray(value)) throw wrongType('input', 'a string or an array of items', value);
  const messages: Message[] = [];
  let assistant: Part[] | undefined;
  for (const [index, item] of value.entries()) {
    const decoded = decodeItem(item, `input[${index}]`);
    if (Array.isArray(decoded)) {
      if (decoded.length === 0) continue;
      if (!assistant) {
        assistant = [];
        messages.push({ role: 'assistant', content: assistant });
      }
      assistant.push(...decoded);
    } else {
      assistant = undefined;
      messages.push(decoded);
    }
  }
  return messages;
}

/** Parts are what the model said and belong to the running assistant message; a message stands alone. */
function decodeItem(value: JsonValue, path: string): Part[] | Message {
  // A bare string among the items is not documented; it can only be meant as the user's words.
  if (typeof value === 'string') return { role: 'user', content: [{ type: 'text', text: value }] };
  const item = expectObject(value, path);
  const type = item.type ?? (item.role === undefined ? undefined : 'message');
  switch (type) {
    case 'message':
      return decodeMessage(item, path);
    case 'reasoning':
      return decodeReasoning(item, path);
    case 'function_call':
      return [decodeCall(item, 'function', 'arguments', path)];
    case 'custom_tool_call':
      return [decodeCall(item, 'custom', 'input', path)];
    case 'function_call_output':
      return decodeResult(item, 'function', path);
    case 'custom_tool_call_output':
      return decodeResult(item, 'custom', path);
    case 'compaction':
      return decodeCompaction(item);
    case undefined:
    case null:
      // OpenAI lets `type` be left out of references.
      if (typeof item.id === 'string') return decodeOpaque({ ...item, type: 'item_reference' });
      throw wrongType(`${path}.type`, 'a string', item.type ?? undefined);
    default:
      expectString(type, `${path}.type`);
      return decodeOpaque(item);
  }
}

const MESSAGE_ROLES: readonly unknown[] = ['system', 'developer', 'user', 'assistant'];

function decodeMessage(item: JsonObject, path: string): Part[] | Message {
  if (!MESSAGE_ROLES.includes(item.role)) {
    throw wrongType(`${path}.role`, 'system, developer, user or assistant', item.role);
  }
  const role = item.role as Role; // just checked
  const content = decodeContent(item.content, `${path}.content`);
  const rest = restWithoutNulls(item, ['type', 'role', 'content', 'id', 'parsed']);
  const id = optionalString(item.id, `${path}.id`);
  if (role !== 'assistant') return omitUndefined({ role, content, id, extra: rest && extraOf(rest) });
  return content.map((part, index) => {
    if (index > 0) return part;
    // The mark on the first part says: here begins a message item, and this is what else it held.
    const message = omitUndefined({ id, ...rest }) as JsonObject; // JSON without the undefined
    return { ...part, extra: extraOf({ ...part.extra?.[OPENAI_RESPONSES], message }) };
  });
}

function decodeCall(
  item: JsonObject,
  kind: 'function' | 'custom',
  field: 'arguments' | 'input',
  path: string,
): ToolCallPart {
  const text = item[field];
  const known = ['type', 'call_id', 'id', 'name', 'namespace', field, 'parsed_arguments'];
  const rest = restWithoutNulls(item, known);
  return omitUndefined({
    type: 'tool-call' as const,
    // Some clients keep only one of the two ids.
    callId: expectName(item.call_id ?? item.id, `${path}.call_id`),
    name: expectName(item.name, `${path}.name`),
    kind,
    argumentsText:
      typeof text === 'object' && text !== null
        ? JSON.stringify(text)
        : expectString(text ?? '', `${path}.${field}`),
    namespace: optionalString(item.namespace, `${path}.namespace`),
    itemId: optionalString(item.id, `${path}.id`),
    extra: rest && extraOf(rest),
  });
}

function decodeResult(item: JsonObject, kind: 'function' | 'custom', path: string): Message {
  const rest = restWithoutNulls(item, ['type', 'call_id', 'output', 'name']);
  const result: ToolResultPart = omitUndefined({
    type: 'tool-result' as const,
    callId: expectName(item.call_id, `${path}.call_id`),
    kind,
    name: optionalString(item.name, `${path}.name`),
    content: decodeResultContent(item.output, `${path}.output`),
    extra: rest && extraOf(rest),
  });
  return { role: 'tool', content: [result] };
}

/**
 * One part for each paragraph of the summary and of the raw thought. The last one carries the proof and the mark
 * `item`: here ends a reasoning item, and this is what else it held.
 */
function decodeReasoning(item: JsonObject, path: string): ReasoningPart[] {
  const id = optionalString(item.id, `${path}.id`);
  const encrypted = optionalString(item.encrypted_content, `${path}.encrypted_content`);
  const rest = restWithoutNulls(item, ['type', 'id', 'summary', 'content', 'encrypted_content']);
  const mark = { extra: extraOf({ item: omitUndefined({ id, ...rest }) as JsonObject }) }; // JSON values only
  const proof = encrypted === undefined ? undefined : openProof(encrypted);
  if (proof) return [{ type: 'reasoning', ...omitUndefined({ ...proof, id }), ...mark }];
  const parts: ReasoningPart[] = [
    ...decodeThoughts(item.summary, 'summary', `${path}.summary`),
    ...decodeThoughts(item.content, 'raw', `${path}.content`),
  ].map((part) => omitUndefined({ ...part, id }));
  const last =
    parts.pop() ?? omitUndefined({ type: 'reasoning' as const, text: '', form: 'redacted' as const, id });
  return [
    ...parts,
    { ...last, ...mark, ...(encrypted === undefined ? undefined : { encrypted, origin: OPENAI }) },
  ];
}

function decodeThoughts(
  value: JsonValue | undefined,
  form: 'summary' | 'raw',
  path: string,
): ReasoningPart[] {
  if (value === undefined || value === null) return [];
  return expectArray(value, path).map((item, index) => {
    const text = typeof item === 'string' ? item : expectObject(item, `${path}[${index}]`).text;
    return { type: 'reasoning', form, text: expectString(text, `${path}[${index}].text`) };
  });
}

/** Our own compaction holds readable text; that of another server is for that server. */
function decodeCompaction(item: JsonObject): Part[] | Message {
  const summary =
    typeof item.encrypted_content === 'string' ? openSummary(item.encrypted_content) : undefined;
  if (summary === undefined) return decodeOpaque(item);
  return { role: 'user', content: [{ type: 'text', text: summary }], extra: extraOf({ compaction: item }) };
}

function decodeOpaque(item: JsonObject): Part[] | Message {
  // The mark tells a whole item from a part of a message.
  const part: Part = {
    type: 'opaque',
    dialect: OPENAI_RESPONSES,
    value: item,
    extra: extraOf({ item: true }),
  };
  const type = String(item.type);
  if (type.endsWith('_output') || type.endsWith('_response')) return { role: 'tool', content: [part] };
  if (item.role !== 'assistant' && MESSAGE_ROLES.includes(item.role)) {
    return { role: item.role as Role, content: [part] }; // just checked
  }
  return [part];
}

function extraOf(value: JsonObject): Extra {
  return { [OPENAI_RESPONSES]: value };
}
