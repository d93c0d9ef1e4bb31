// Tool definitions and tool choice, canon to wire.
import {
  invalidRequest,
  type JsonObject,
  omitUndefined,
  type ToolChoice,
  type ToolDefinition,
  type TurnRequest,
} from '../../core/index.ts';
import { encodeCache } from './cache-control.ts';
import type { MessagesEncoding } from './encoding-options.ts';
import { LOWERED_SCHEMA, lowerDescription } from './lowered-tool.ts';
import { ANTHROPIC_MESSAGES, messagesExtra } from './schema.ts';
import type { ToolNames } from './tool-names.ts';
import { objectSchema } from './tool-schema.ts';

/** Carries an answer that must fit a schema, where the upstream has no other way to hold a model to it. */
export const JSON_OUTPUT_TOOL = 'json_output';

export interface EncodedTools {
  readonly tools: JsonObject[];
  readonly toolChoice?: JsonObject;
  /** The arguments of `json_output` are the answer's text. */
  readonly usesJsonTool: boolean;
}

export function encodeTools(
  request: TurnRequest,
  encoding: MessagesEncoding,
  names: ToolNames,
): EncodedTools {
  const { toolChoice: choice, output } = request;
  const isNative = messagesExtra(request) !== undefined;
  const mayBeStrict = isNative || encoding.structuredOutput;
  const tools = new Map<string, JsonObject>();
  for (const tool of request.tools) {
    if (choice?.type === 'allowed' && !choice.tools.some(({ name }) => name === tool.name)) continue;
    const wire = encodeTool(tool, names, mayBeStrict);
    const key = String(wire.name ?? JSON.stringify(wire));
    // The API refuses a name that comes twice: the first one counts.
    if (!tools.has(key)) tools.set(key, wire);
  }
  const jsonSchema = output?.type === 'json-schema' && !mayBeStrict ? output : undefined;
  // A client that insists on a tool call does not want its final answer yet.
  const usesJsonTool = jsonSchema !== undefined && choice?.type !== 'required' && choice?.type !== 'tool';
  const mustChoose = usesJsonTool ? jsonChoice(tools.size > 0 && choice?.type !== 'none') : undefined;
  if (usesJsonTool) {
    const description =
      jsonSchema.description ?? 'Gives the final answer. Call it exactly once, when it is complete.';
    const input_schema = objectSchema(jsonSchema.schema);
    tools.set(JSON_OUTPUT_TOOL, { name: JSON_OUTPUT_TOOL, description, input_schema });
  }
  if (tools.size === 0) {
    const historic = historicTools(request, names);
    return {
      tools: historic,
      ...(historic.length > 0 ? { toolChoice: { type: 'none' } } : {}),
      usesJsonTool,
    };
  }
  const wireChoice = mustChoose ?? (choice && encodeChoice(choice, names));
  const toolChoice = withParallelism(wireChoice, request.parallelToolCalls);
  return { tools: [...tools.values()], ...omitUndefined({ toolChoice }), usesJsonTool };
}

function jsonChoice(hasOtherTools: boolean): JsonObject {
  return hasOtherTools ? { type: 'any' } : { type: 'tool', name: JSON_OUTPUT_TOOL };
}

function encodeTool(tool: ToolDefinition, names: ToolNames, mayBeStrict: boolean): JsonObject {
  const extra = tool.extra?.[ANTHROPIC_MESSAGES];
  const cache_control = encodeCache(tool.cache);
  switch (tool.kind) {
    case 'function':
      return omitUndefined({
        ...extra,
        name: names.wireName(tool),
        description: tool.description,
        input_schema: objectSchema(tool.parameters),
        strict: mayBeStrict ? tool.strict : undefined,
        cache_control,
      });
    case 'custom':
      return omitUndefined({
        name: names.wireName(tool),
        description: lowerDescription(tool),
        input_schema: LOWERED_SCHEMA,
        cache_control,
      });
    case 'hosted':
      if (tool.dialect === ANTHROPIC_MESSAGES) return omitUndefined({ ...tool.config, cache_control });
      throw invalidRequest(
        `The tool "${tool.name}" (${tool.hostedType}) runs inside a ${tool.dialect} upstream; an Anthropic upstream cannot ` +
          'offer it. Remove it from `tools`, or route this model to an upstream that hosts it.',
        'tools',
        'hosted_tool_unsupported',
      );
    default:
      return tool satisfies never;
  }
}

function encodeChoice(choice: ToolChoice, names: ToolNames): JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type };
    case 'required':
      return { type: 'any' };
    case 'tool':
      return { type: 'tool', name: choice.kind === 'hosted' ? choice.name : names.wireName(choice) };
    case 'allowed':
      return { type: choice.mode === 'required' ? 'any' : 'auto' };
    default:
      return choice satisfies never;
  }
}

/** The wish sits inside the choice here, which therefore must exist; `none` does not take it. */
function withParallelism(
  choice: JsonObject | undefined,
  isParallel: boolean | undefined,
): JsonObject | undefined {
  if (isParallel !== false || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

/** A history with calls is refused when no tool is declared (compaction and title requests send such). */
function historicTools(request: TurnRequest, names: ToolNames): JsonObject[] {
  const used = new Set<string>();
  for (const { content } of request.messages) {
    for (const part of content) {
      if (part.type === 'tool-call' && part.kind !== 'hosted') used.add(names.wireName(part));
    }
  }
  const description = 'Was used earlier in this conversation and is not available now.';
  return [...used].map((name) => ({ name, description, input_schema: { type: 'object', properties: {} } }));
}
