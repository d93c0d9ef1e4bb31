// Tool definitions and tool choice, canon to wire.
import {
  type CustomTool,
  type FunctionTool,
  invalidRequest,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ToolChoice,
  type ToolDefinition,
  type ToolReference,
} from '../../core/index.ts';
import { OPENAI_RESPONSES } from './schema.ts';
import type { WireNames } from './wire-names.ts';

export interface ToolContext {
  /** The request was spoken in this dialect: its tools leave as they came. */
  readonly isOwn: boolean;
  readonly names: WireNames;
}

/** The first of two tools with one name wins. Tools that sit in an input item are not repeated here. */
export function encodeTools(tools: readonly ToolDefinition[], context: ToolContext): JsonObject[] {
  const encoded: JsonObject[] = [];
  const groups = new Map<string, JsonValue[]>();
  const seen = new Set<string>();
  for (const tool of tools) {
    const extra = tool.extra?.[OPENAI_RESPONSES];
    if (extra?.additional === true) continue;
    const key = `${tool.kind === 'hosted' ? tool.hostedType : ''}\u0000${tool.namespace ?? ''}\u0000${tool.name}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const wire = encodeTool(tool, context);
    if (tool.namespace === undefined || !context.isOwn) {
      encoded.push(wire);
      continue;
    }
    const group = groups.get(tool.namespace);
    if (group) {
      group.push(wire);
      continue;
    }
    const inner: JsonValue[] = [wire];
    groups.set(tool.namespace, inner);
    const rest = extra?.namespace;
    const fields = typeof rest === 'object' && rest !== null && !Array.isArray(rest) ? rest : {};
    encoded.push({ type: 'namespace', name: tool.namespace, ...fields, tools: inner });
  }
  return encoded;
}

function encodeTool(tool: ToolDefinition, context: ToolContext): JsonObject {
  if (tool.kind === 'function') return encodeFunction(tool, context);
  if (tool.kind === 'custom') return encodeCustom(tool, context);
  if (tool.dialect === OPENAI_RESPONSES) return tool.config;
  throw invalidRequest(
    `Tool ${tool.name} (${tool.hostedType}) is run by servers that speak ${tool.dialect}; this model's upstream speaks ${OPENAI_RESPONSES}. Leave the tool out or choose another model.`,
    'tools',
    'unsupported_tool',
  );
}

function encodeFunction(tool: FunctionTool, { isOwn, names }: ToolContext): JsonObject {
  return omitUndefined({
    ...ownFields(tool, isOwn),
    type: 'function',
    name: names.toolName(tool),
    description: tool.description,
    parameters: isOwn ? tool.parameters : completeSchema(tool.parameters),
    // Left out, this dialect means strict where the schema allows it; the others mean not strict.
    strict: tool.strict ?? (isOwn ? undefined : false),
  }) as JsonObject; // JSON values only
}

function encodeCustom(tool: CustomTool, { isOwn, names }: ToolContext): JsonObject {
  return omitUndefined({
    ...ownFields(tool, isOwn),
    type: 'custom',
    name: names.toolName(tool),
    description: tool.description,
    format: tool.format,
  }) as JsonObject; // JSON values only
}

function ownFields(tool: ToolDefinition, isOwn: boolean): JsonObject {
  if (!isOwn) return {};
  const { additional: _additional, namespace: _namespace, ...rest } = tool.extra?.[OPENAI_RESPONSES] ?? {};
  return rest;
}

/** OpenAI refuses a schema that is missing or does not say that it is an object. */
function completeSchema(schema: JsonObject | undefined): JsonObject {
  if (!schema || Object.keys(schema).length === 0) return { type: 'object', properties: {} };
  return schema.type === undefined && !schema.anyOf && !schema.oneOf && !schema.$ref
    ? { type: 'object', ...schema }
    : schema;
}

export function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly ToolDefinition[],
  context: ToolContext,
): JsonValue {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool':
      return encodeReference(choice, tools, context);
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.mode,
        tools: choice.tools.map((reference) => encodeReference(reference, tools, context)),
      };
    default:
      return choice satisfies never;
  }
}

/** The choice follows its tool: a function envelope around a custom tool's name means the custom tool. */
function encodeReference(
  { kind, name }: ToolReference,
  tools: readonly ToolDefinition[],
  context: ToolContext,
): JsonObject {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool?.kind === 'hosted' || (!tool && kind === 'hosted')) {
    const type = tool?.kind === 'hosted' ? tool.hostedType : name;
    return type === 'mcp' ? { type, server_label: name } : { type };
  }
  return { type: tool?.kind ?? kind, name: context.names.toolName(tool ?? { name }) };
}
