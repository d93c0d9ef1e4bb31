// Tool calls of the history, in any envelope. A call to a tool that the request declares as `custom` is a custom call
// even when it comes as a function: that is how Cursor replays what it was sent, with raw text for arguments.

import { foldToolName } from '../../catalogue/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import type { CallEntry } from './transcript.ts';

export interface DeclaredTools {
  readonly custom: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** Makes ids for calls that came without one; the same body always gets the same ids. */
export type CallIds = () => string;

/** One element of `tool_calls`: nested or flat, function or custom. Undefined when it names no tool. */
export function readChatCall(value: JsonValue, tools: DeclaredTools, newId: CallIds): CallEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const nested = [value.function, value.custom].find(isJsonObject);
  const payload = nested && Object.keys(nested).length > 0 ? nested : value;
  const isCustom = value.type === 'custom' || isJsonObject(value.custom);
  const argumentsText = isCustom
    ? (payload.input ?? payload.arguments)
    : (payload.arguments ?? payload.input);
  return readCall({ ids: [value.id, value.call_id], payload, isCustom, argumentsText }, tools, newId);
}

/** An Anthropic `tool_use` block. */
export function readToolUse(block: JsonObject, tools: DeclaredTools, newId: CallIds): CallEntry | undefined {
  const source = { ids: [block.id], payload: block, isCustom: false, argumentsText: block.input ?? {} };
  return readCall(source, tools, newId);
}

/** A `function_call` or `custom_tool_call` item. Some clients keep only one of its two ids. */
export function readCallItem(item: JsonObject, tools: DeclaredTools, newId: CallIds): CallEntry | undefined {
  const isCustom = item.type === 'custom_tool_call';
  const argumentsText = isCustom ? (item.input ?? item.arguments) : (item.arguments ?? item.input);
  const call = readCall(
    { ids: [item.call_id, item.id], payload: item, isCustom, argumentsText },
    tools,
    newId,
  );
  if (!call) return undefined;
  const { status, namespace } = item;
  // OpenAI checks that the prefix of an item's id fits its type, so an item that changes its type loses the id.
  const id = call.isCustom === isCustom ? item.id : undefined;
  return { ...call, item: omitUndefined({ id, status, namespace }) as JsonObject }; // JSON values only
}

interface CallSource {
  readonly ids: readonly (JsonValue | undefined)[];
  readonly payload: JsonObject;
  readonly isCustom: boolean;
  readonly argumentsText: JsonValue | undefined;
}

function readCall(source: CallSource, tools: DeclaredTools, newId: CallIds): CallEntry | undefined {
  const { name } = source.payload;
  if (typeof name !== 'string' || name === '') return undefined;
  const argumentsText = readArguments(source.argumentsText);
  const [callId, itemId] = source.ids.filter((id): id is string => typeof id === 'string' && id !== '');
  const isCustom =
    tools.custom.has(name) ||
    (source.isCustom && !tools.functions.has(name)) ||
    isUndeclaredPatch(name, argumentsText, tools);
  return omitUndefined({
    kind: 'call' as const,
    callId: callId ?? newId(),
    itemId,
    name,
    isCustom,
    argumentsText,
  });
}

/** After a change of mode the history holds patches whose tool is no longer declared. Raw text is no JSON. */
function isUndeclaredPatch(name: string, argumentsText: string, tools: DeclaredTools): boolean {
  if (tools.functions.has(name) || foldToolName(name) !== 'applypatch') return false;
  return argumentsText.trimStart().startsWith('***');
}

function readArguments(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
