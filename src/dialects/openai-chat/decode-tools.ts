// Tool definitions and tool choice of a chat request, wire to canon. The nested form is OpenAI's; the flat one is
// accepted because clients that also speak Responses send it (Cursor, gateways in between).
import {
  type CacheHint,
  type CustomFormat,
  type CustomTool,
  type Extra,
  type FunctionTool,
  type HostedTool,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ToolChoice,
  type ToolDefinition,
  type ToolReference,
} from '../../core/index.ts';
import {
  expectArray,
  expectName,
  expectObject,
  expectString,
  optionalBoolean,
  optionalObject,
  optionalString,
  restOf,
  wrongType,
} from '../../wire/expect-field.ts';
import { OPENAI_CHAT } from './schema.ts';

export function decodeTools(value: JsonValue | undefined): ToolDefinition[] {
  if (value === undefined || value === null) return [];
  return expectArray(value, 'tools').map((item, index) => decodeTool(item, `tools[${index}]`));
}

/** The list of the time before `tools`. */
export function decodeLegacyFunctions(value: JsonValue | undefined): ToolDefinition[] {
  if (value === undefined || value === null) return [];
  return expectArray(value, 'functions').map((item, index) => {
    const path = `functions[${index}]`;
    return decodeFunction({}, expectObject(item, path), path);
  });
}

function decodeTool(value: JsonValue, path: string): ToolDefinition {
  const tool = expectObject(value, path);
  const type = tool.type ?? (tool.function !== undefined || tool.name !== undefined ? 'function' : undefined);
  if (type === 'function') {
    const { declared, outer, declaredPath } = unwrap(tool, 'function', path);
    return decodeFunction(outer, declared, declaredPath);
  }
  if (type === 'custom') {
    const { declared, outer, declaredPath } = unwrap(tool, 'custom', path);
    return decodeCustom(outer, declared, declaredPath);
  }
  return decodeHosted(tool, expectName(type, `${path}.type`));
}

/** Nested wins over flat; an empty envelope falls back to the flat fields beside it. */
function unwrap(
  tool: JsonObject,
  key: 'function' | 'custom',
  path: string,
): { declared: JsonObject; outer: JsonObject; declaredPath: string } {
  const nested = optionalObject(tool[key], `${path}.${key}`);
  const isNested = nested !== undefined && (Object.keys(nested).length > 0 || tool.name === undefined);
  if (isNested)
    return { declared: nested, outer: restOf(tool, ['type', key]) ?? {}, declaredPath: `${path}.${key}` };
  return {
    declared: restOf(tool, ['type', key, 'cache_control']) ?? {},
    outer: cacheOnly(tool),
    declaredPath: path,
  };
}

function cacheOnly(tool: JsonObject): JsonObject {
  return tool.cache_control === undefined ? {} : { cache_control: tool.cache_control };
}

function decodeFunction(outer: JsonObject, declared: JsonObject, path: string): FunctionTool {
  return omitUndefined({
    kind: 'function' as const,
    name: expectName(declared.name, `${path}.name`),
    description: optionalString(declared.description, `${path}.description`),
    parameters: optionalObject(declared.parameters, `${path}.parameters`),
    strict: optionalBoolean(declared.strict, `${path}.strict`),
    cache: decodeCache(outer.cache_control),
    extra: toolExtra(outer, 'function', restOf(declared, ['name', 'description', 'parameters', 'strict'])),
  });
}

function decodeCustom(outer: JsonObject, declared: JsonObject, path: string): CustomTool {
  return omitUndefined({
    kind: 'custom' as const,
    name: expectName(declared.name, `${path}.name`),
    description: optionalString(declared.description, `${path}.description`),
    format: decodeFormat(declared.format, `${path}.format`),
    cache: decodeCache(outer.cache_control),
    extra: toolExtra(outer, 'custom', restOf(declared, ['name', 'description', 'format'])),
  });
}

function decodeFormat(value: JsonValue | undefined, path: string): CustomFormat | undefined {
  const format = optionalObject(value, path);
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (format.type !== 'grammar') throw wrongType(`${path}.type`, '"text" or "grammar"', format.type);
  const isNested = isJsonObject(format.grammar);
  const grammar = isJsonObject(format.grammar) ? format.grammar : format;
  const grammarPath = isNested ? `${path}.grammar` : path;
  return {
    type: 'grammar',
    syntax: expectString(grammar.syntax, `${grammarPath}.syntax`),
    definition: expectString(grammar.definition, `${grammarPath}.definition`),
  };
}

function decodeHosted(tool: JsonObject, hostedType: string): HostedTool {
  const name = typeof tool.name === 'string' && tool.name !== '' ? tool.name : hostedType;
  return { kind: 'hosted', name, dialect: OPENAI_CHAT, hostedType, config: tool };
}

function toolExtra(outer: JsonObject, key: string, inner: JsonObject | undefined): Extra | undefined {
  const rest = restOf(outer, ['cache_control']);
  if (!rest && !inner) return undefined;
  return { [OPENAI_CHAT]: { ...rest, ...(inner ? { [key]: inner } : undefined) } };
}

/** `cache_control` is Anthropic's; OpenRouter, LiteLLM and others take it inside chat requests. */
export function decodeCache(value: JsonValue | undefined): CacheHint | undefined {
  if (!isJsonObject(value)) return undefined;
  return omitUndefined({ ttl: typeof value.ttl === 'string' ? value.ttl : undefined });
}

/** Strings, OpenAI's objects, and Anthropic's words, which clients mix up. An empty object says nothing: auto. */
export function decodeToolChoice(value: JsonValue | undefined, path = 'tool_choice'): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  const wanted = '"auto", "none", "required" or an object that names a tool';
  if (typeof value === 'string') {
    const choice = plainChoice(value);
    if (!choice) throw wrongType(path, wanted, value);
    return choice;
  }
  if (!isJsonObject(value)) throw wrongType(path, wanted, value);
  const type = value.type ?? (value.function === undefined && value.name === undefined ? 'auto' : 'function');
  if (typeof type !== 'string') throw wrongType(`${path}.type`, 'a string', type);
  const plain = plainChoice(type);
  if (plain) return plain;
  if (type === 'allowed_tools') return decodeAllowed(value, path);
  const reference = decodeReference(value, type, path);
  return reference ? { type: 'tool', ...reference } : { type: 'required' };
}

/** The choice of the time before `tools`: `none`, `auto` or a name. */
export function decodeLegacyChoice(value: JsonValue | undefined): ToolChoice | undefined {
  return decodeToolChoice(value, 'function_call');
}

function plainChoice(word: string): ToolChoice | undefined {
  if (word === 'auto' || word === 'none' || word === 'required') return { type: word };
  return word === 'any' ? { type: 'required' } : undefined;
}

function decodeAllowed(value: JsonObject, path: string): ToolChoice {
  const isNested = isJsonObject(value.allowed_tools);
  const allowed = isJsonObject(value.allowed_tools) ? value.allowed_tools : value;
  const allowedPath = isNested ? `${path}.allowed_tools` : path;
  const mode = allowed.mode ?? 'auto';
  if (mode !== 'auto' && mode !== 'required') {
    throw wrongType(`${allowedPath}.mode`, '"auto" or "required"', mode);
  }
  const tools = expectArray(allowed.tools, `${allowedPath}.tools`).map((item, index): ToolReference => {
    const itemPath = `${allowedPath}.tools[${index}]`;
    const tool = expectObject(item, itemPath);
    const type = expectString(tool.type ?? 'function', `${itemPath}.type`);
    const reference = decodeReference(tool, type, itemPath);
    if (!reference) throw wrongType(`${itemPath}.${type}.name`, 'a non-empty string', undefined);
    return reference;
  });
  return { type: 'allowed', mode, tools };
}

function decodeReference(value: JsonObject, type: string, path: string): ToolReference | undefined {
  const nested = optionalObject(value[type], `${path}.${type}`);
  const name = optionalString(nested?.name ?? value.name, `${path}.${type}.name`);
  if (type === 'custom') return name ? { kind: 'custom', name } : undefined;
  if (type === 'function' || type === 'tool') return name ? { kind: 'function', name } : undefined;
  return { kind: 'hosted', name: name ?? type };
}
