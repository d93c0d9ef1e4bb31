// Tool definitions and tool choice of a Responses request, wire to canon. The flat form is OpenAI's; the nested one
// of the chat dialect and Anthropic's `input_schema` are accepted, because clients that speak several dialects mix
// them level by level. `namespace` groups and `additional_tools` items are what the Codex CLI sends.
import {
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
  restWithoutNulls,
  wrongType,
} from '../../wire/expect-field.ts';
import { OPENAI_RESPONSES } from './schema.ts';

export function decodeTools(value: JsonValue | undefined, path = 'tools'): ToolDefinition[] {
  if (value === undefined || value === null) return [];
  return expectArray(value, path).flatMap((item, index) => decodeTool(item, `${path}[${index}]`));
}

/** Tools that sit in an input item. The item itself stays in the conversation; the mark keeps them from going twice. */
export function decodeAdditionalTools(input: JsonValue | undefined): ToolDefinition[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item, index) => {
    if (!isJsonObject(item) || item.type !== 'additional_tools') return [];
    return decodeTools(item.tools, `input[${index}].tools`).map((tool) =>
      markTool(tool, { additional: true }),
    );
  });
}

function decodeTool(value: JsonValue, path: string): ToolDefinition[] {
  const tool = expectObject(value, path);
  const isAnthropic = isJsonObject(tool.input_schema);
  const type = isAnthropic ? 'function' : (tool.type ?? (tool.name === undefined ? undefined : 'function'));
  if (type === 'function') return [decodeFunction(tool, path)];
  if (type === 'custom') return [decodeCustom(tool, path)];
  if (type === 'namespace') return decodeNamespace(tool, path);
  return [decodeHosted(tool, expectName(type, `${path}.type`))];
}

function decodeNamespace(tool: JsonObject, path: string): ToolDefinition[] {
  const namespace = expectName(tool.name, `${path}.name`);
  const rest = restWithoutNulls(tool, ['type', 'name', 'tools']) ?? {};
  return decodeTools(tool.tools, `${path}.tools`).map((inner) => ({
    ...markTool(inner, { namespace: rest }),
    namespace,
  }));
}

function markTool(tool: ToolDefinition, mark: JsonObject): ToolDefinition {
  return { ...tool, extra: { [OPENAI_RESPONSES]: { ...tool.extra?.[OPENAI_RESPONSES], ...mark } } };
}

/** Nested wins over flat; an empty envelope falls back to the flat fields beside it. */
function unwrap(
  tool: JsonObject,
  key: 'function' | 'custom',
  path: string,
): { declared: JsonObject; path: string } {
  const nested = optionalObject(tool[key], `${path}.${key}`);
  if (nested && (Object.keys(nested).length > 0 || tool.name === undefined)) {
    return { declared: nested, path: `${path}.${key}` };
  }
  return { declared: restWithoutNulls(tool, ['type', key]) ?? {}, path };
}

function decodeFunction(tool: JsonObject, toolPath: string): FunctionTool {
  const { declared, path } = unwrap(tool, 'function', toolPath);
  return omitUndefined({
    kind: 'function' as const,
    name: expectName(declared.name, `${path}.name`),
    description: optionalString(declared.description, `${path}.description`),
    parameters: optionalObject(declared.parameters ?? declared.input_schema, `${path}.parameters`),
    strict: optionalBoolean(declared.strict, `${path}.strict`),
    extra: keep(declared, ['name', 'description', 'parameters', 'input_schema', 'strict']),
  });
}

function decodeCustom(tool: JsonObject, toolPath: string): CustomTool {
  const { declared, path } = unwrap(tool, 'custom', toolPath);
  return omitUndefined({
    kind: 'custom' as const,
    name: expectName(declared.name, `${path}.name`),
    description: optionalString(declared.description, `${path}.description`),
    format: decodeFormat(declared.format, `${path}.format`),
    extra: keep(declared, ['name', 'description', 'format']),
  });
}

function decodeFormat(value: JsonValue | undefined, path: string): CustomFormat | undefined {
  const format = optionalObject(value, path);
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (format.type !== 'grammar') throw wrongType(`${path}.type`, '"text" or "grammar"', format.type);
  const grammar = isJsonObject(format.grammar) ? format.grammar : format;
  const grammarPath = grammar === format ? path : `${path}.grammar`;
  return {
    type: 'grammar',
    syntax: expectString(grammar.syntax, `${grammarPath}.syntax`),
    definition: expectString(grammar.definition, `${grammarPath}.definition`),
  };
}

function decodeHosted(tool: JsonObject, hostedType: string): HostedTool {
  const label = [tool.name, tool.server_label].find((name) => typeof name === 'string' && name !== '');
  const name = typeof label === 'string' ? label : hostedType;
  return { kind: 'hosted', name, dialect: OPENAI_RESPONSES, hostedType, config: tool };
}

function keep(declared: JsonObject, known: readonly string[]): Extra | undefined {
  const rest = restWithoutNulls(declared, ['type', ...known]);
  return rest && { [OPENAI_RESPONSES]: rest };
}

/** Words, objects that name a tool, and the words of other dialects. An empty object says nothing: auto. */
export function decodeToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  const wanted = '"auto", "none", "required" or an object that names a tool';
  if (typeof value === 'string') {
    const choice = plainChoice(value);
    if (!choice) throw wrongType('tool_choice', wanted, value);
    return choice;
  }
  if (!isJsonObject(value)) throw wrongType('tool_choice', wanted, value);
  const type = value.type ?? (value.name === undefined ? 'auto' : 'function');
  if (typeof type !== 'string') throw wrongType('tool_choice.type', 'a string', type);
  const plain = plainChoice(type);
  if (plain) return plain;
  if (type === 'allowed_tools') return decodeAllowed(value);
  const reference = decodeReference(value, type, 'tool_choice');
  return reference ? { type: 'tool', ...reference } : { type: 'required' };
}

function plainChoice(word: string): ToolChoice | undefined {
  if (word === 'auto' || word === 'none' || word === 'required') return { type: word };
  return word === 'any' ? { type: 'required' } : undefined;
}

function decodeAllowed(value: JsonObject): ToolChoice {
  const isNested = isJsonObject(value.allowed_tools);
  const allowed = isJsonObject(value.allowed_tools) ? value.allowed_tools : value;
  const path = isNested ? 'tool_choice.allowed_tools' : 'tool_choice';
  const mode = allowed.mode ?? 'auto';
  if (mode !== 'auto' && mode !== 'required') throw wrongType(`${path}.mode`, '"auto" or "required"', mode);
  const tools = expectArray(allowed.tools, `${path}.tools`).map((item, index): ToolReference => {
    const itemPath = `${path}.tools[${index}]`;
    const tool = expectObject(item, itemPath);
    const reference = decodeReference(
      tool,
      expectString(tool.type ?? 'function', `${itemPath}.type`),
      itemPath,
    );
    if (!reference) throw wrongType(`${itemPath}.name`, 'a non-empty string', undefined);
    return reference;
  });
  return { type: 'allowed', mode, tools };
}

function decodeReference(value: JsonObject, type: string, path: string): ToolReference | undefined {
  const nested = isJsonObject(value[type]) ? value[type] : undefined;
  const name = optionalString(nested?.name ?? value.name, `${path}.name`);
  if (type === 'custom') return name ? { kind: 'custom', name } : undefined;
  if (type === 'function' || type === 'tool') return name ? { kind: 'function', name } : undefined;
  return { kind: 'hosted', name: name ?? optionalString(value.server_label, `${path}.server_label`) ?? type };
}
