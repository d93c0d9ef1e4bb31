// `tool_choice` of every dialect, written the way the target shape wants it. A choice follows its tool: whatever
// envelope names a custom tool means the custom tool.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import type { BodyShape } from './classify-body.ts';
import type { ReadTool } from './read-tools.ts';

const WORDS: ReadonlySet<unknown> = new Set(['auto', 'none', 'required']);

/** Undefined when nothing was chosen. A value no dialect knows is returned as it is, for the decoder to refuse. */
export function normaliseToolChoice(
  value: JsonValue | undefined,
  tools: readonly ReadTool[],
  shape: BodyShape,
): JsonValue | undefined {
  if (value === undefined || value === null || tools.length === 0) return undefined;
  if (value === 'any') return 'required';
  if (!isJsonObject(value)) return value;
  const { type } = value;
  if (WORDS.has(type)) return type;
  if (type === 'any') return 'required';
  if (type === 'allowed_tools') return normaliseAllowed(value, tools, shape);
  const name = nameIn(value);
  if (name !== undefined) return writeReference(name, value, tools, shape);
  if (type === undefined || type === null) return 'auto';
  // `{"type":"tool"}` without a name still asks for some tool; a hosted one was left out with its tool.
  return type === 'tool' || type === 'function' || type === 'custom' ? 'required' : 'auto';
}

function nameIn(value: JsonObject): string | undefined {
  const nested = [value.function, value.custom, value.tool].find(isJsonObject);
  return [nested?.name, value.name].find((name): name is string => typeof name === 'string' && name !== '');
}

function normaliseAllowed(value: JsonObject, tools: readonly ReadTool[], shape: BodyShape): JsonValue {
  const allowed = isJsonObject(value.allowed_tools) ? value.allowed_tools : value;
  const mode = allowed.mode === 'required' ? 'required' : 'auto';
  const list = Array.isArray(allowed.tools) ? allowed.tools : [];
  const references = list.flatMap((item) => {
    const name = isJsonObject(item) ? nameIn(item) : undefined;
    return isJsonObject(item) && name !== undefined ? [writeReference(name, item, tools, shape)] : [];
  });
  if (references.length === 0) return mode;
  return shape === 'chat'
    ? { type: 'allowed_tools', allowed_tools: { mode, tools: references } }
    : { type: 'allowed_tools', mode, tools: references };
}

function writeReference(
  name: string,
  value: JsonObject,
  tools: readonly ReadTool[],
  shape: BodyShape,
): JsonObject {
  const declared = tools.find((tool) => tool.name === name)?.kind;
  const kind = declared ?? (value.type === 'custom' ? 'custom' : 'function');
  return shape === 'chat' ? { type: kind, [kind]: { name } } : { type: kind, name };
}

/** Anthropic puts this into the choice, OpenAI beside it. */
export function forbidsParallelCalls(choice: JsonValue | undefined): boolean {
  return isJsonObject(choice) && choice.disable_parallel_tool_use === true;
}
