// Tool definitions and tool choice, canon to a chat wire.
import {
  invalidRequest,
  type JsonObject,
  omitUndefined,
  type ToolChoice,
  type ToolDefinition,
  type ToolReference,
  type TurnRequest,
} from '../../core/index.ts';
import type { ChatEncoding } from './encoding-options.ts';
import { lowerCustomTool } from './lowered-tool.ts';
import { chatExtra, OPENAI_CHAT } from './schema.ts';
import type { ToolNames } from './tool-names.ts';

/** `tools`, `tool_choice` and `parallel_tool_calls`; nothing at all when there are no tools. */
export function encodeToolFields(request: TurnRequest, encoding: ChatEncoding, names: ToolNames): JsonObject {
  const { toolChoice } = request;
  const isNative = chatExtra(request) !== undefined;
  const speaksAllowed = encoding.openaiFields || isNative;
  // `allowed_tools` is OpenAI's own; for others the list is made as short as the choice says.
  const isNarrowed = toolChoice?.type === 'allowed' && !speaksAllowed;
  const offered = isNarrowed
    ? request.tools.filter((tool) => isAllowed(tool, toolChoice.tools))
    : request.tools;
  const tools = encodeTools(offered, isNative ? { ...encoding, cacheControl: true } : encoding, names);
  if (tools.length === 0) return {};
  return omitUndefined({
    tools,
    tool_choice: isNarrowed ? toolChoice.mode : toolChoice && encodeToolChoice(toolChoice, encoding, names),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

function isAllowed(tool: ToolDefinition, allowed: readonly ToolReference[]): boolean {
  return allowed.some((reference) => reference.name === tool.name);
}

function encodeTools(
  tools: readonly ToolDefinition[],
  encoding: ChatEncoding,
  names: ToolNames,
): JsonObject[] {
  const encoded = new Map<string, JsonObject>();
  for (const tool of tools) {
    const wire = encodeTool(tool, encoding, names);
    const key = tool.kind === 'hosted' ? `hosted ${tool.hostedType} ${tool.name}` : names.wireName(tool);
    // The same tool declared twice is refused by strict servers: the first one counts.
    if (!encoded.has(key)) encoded.set(key, wire);
  }
  return [...encoded.values()];
}

function encodeTool(tool: ToolDefinition, encoding: ChatEncoding, names: ToolNames): JsonObject {
  const { function: innerFunction, custom: innerCustom, ...outer } = tool.extra?.[OPENAI_CHAT] ?? {};
  const cache_control = tool.cache && encoding.cacheControl ? encodeCache(tool.cache) : undefined;
  const envelope = omitUndefined({ ...outer, cache_control });
  switch (tool.kind) {
    case 'function': {
      const { description, strict } = tool;
      const declared = {
        name: names.wireName(tool),
        description,
        parameters: parametersOf(tool.parameters),
        strict,
      };
      return { type: 'function', function: merge(omitUndefined(declared), innerFunction), ...envelope };
    }
    case 'custom': {
      const wireName = names.wireName(tool);
      if (!encoding.customTools)
        return { type: 'function', function: lowerCustomTool(tool, wireName), ...envelope };
      const declared = { name: wireName, description: tool.description, format: encodeFormat(tool.format) };
      return { type: 'custom', custom: merge(omitUndefined(declared), innerCustom), ...envelope };
    }
    case 'hosted':
      if (tool.dialect === OPENAI_CHAT) return tool.config;
      throw invalidRequest(
        `The tool "${tool.name}" (${tool.hostedType}) runs inside a ${tool.dialect} upstream and cannot be offered by a ` +
          'chat-completions upstream. Remove it from `tools` or route this model to an upstream that hosts it.',
        'tools',
        'hosted_tool_unsupported',
      );
    default:
      return tool satisfies never;
  }
}

function merge(declared: JsonObject, kept: JsonObject[string] | undefined): JsonObject {
  return typeof kept === 'object' && kept !== null && !Array.isArray(kept)
    ? { ...kept, ...declared }
    : declared;
}

/** Servers refuse a function without a schema, or one whose schema does not say that it is an object. */
function parametersOf(parameters: JsonObject | undefined): JsonObject {
  if (!parameters || Object.keys(parameters).length === 0) return { type: 'object', properties: {} };
  if (parameters.type === undefined && parameters.properties !== undefined)
    return { type: 'object', ...parameters };
  return parameters;
}

function encodeFormat(format: Extract<ToolDefinition, { kind: 'custom' }>['format']): JsonObject | undefined {
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  return { type: 'grammar', grammar: { syntax: format.syntax, definition: format.definition } };
}

export function encodeCache(cache: { readonly ttl?: string }): JsonObject {
  return omitUndefined({ type: 'ephemeral', ttl: cache.ttl });
}

function encodeToolChoice(choice: ToolChoice, encoding: ChatEncoding, names: ToolNames): JsonObject | string {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool':
      return encodeReference(choice, encoding, names);
    case 'allowed': {
      const tools = choice.tools.map((reference) => encodeReference(reference, encoding, names));
      return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } };
    }
    default:
      return choice satisfies never;
  }
}

function encodeReference(reference: ToolReference, encoding: ChatEncoding, names: ToolNames): JsonObject {
  if (reference.kind === 'hosted') return { type: reference.name };
  const type = reference.kind === 'custom' && encoding.customTools ? 'custom' : 'function';
  return { type, [type]: { name: names.wireName(reference) } };
}
