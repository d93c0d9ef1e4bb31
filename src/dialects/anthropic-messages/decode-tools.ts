// Tool definitions and tool choice, wire to canon. A tool without a type or of type `custom` is the client's own
// function; every other type (web_search_20250305, bash_20250124, mcp_toolset …) is run or shaped by Anthropic: hosted.
import {
  invalidRequest,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ToolChoice,
  type ToolDefinition,
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
import { decodeCache } from './cache-control.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';

export function decodeTools(value: JsonValue | undefined): ToolDefinition[] {
  if (value === undefined || value === null) return [];
  return expectArray(value, 'tools').map((item, index) => {
    const path = `tools[${index}]`;
    return decodeTool(expectObject(item, path), path);
  });
}

const FUNCTION_FIELDS = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'];

function decodeTool(tool: JsonObject, path: string): ToolDefinition {
  const type = optionalString(tool.type, `${path}.type`);
  if (type === 'function') {
    throw invalidRequest(
      `\`${path}\` has the OpenAI form {"type":"function"}; the Messages API wants {"name", "description", "input_schema"}.`,
      `${path}.type`,
    );
  }
  const cache = decodeCache(tool.cache_control);
  if (type !== undefined && type !== 'custom') {
    const { cache_control: _mark, ...config } = tool;
    const name = optionalString(tool.name, `${path}.name`) || type;
    return omitUndefined({
      kind: 'hosted' as const,
      name,
      dialect: ANTHROPIC_MESSAGES,
      hostedType: type,
      config,
      cache,
    });
  }
  const rest = restOf(tool, FUNCTION_FIELDS);
  return omitUndefined({
    kind: 'function' as const,
    name: expectName(tool.name, `${path}.name`),
    description: optionalString(tool.description, `${path}.description`),
    parameters: optionalObject(tool.input_schema, `${path}.input_schema`),
    strict: optionalBoolean(tool.strict, `${path}.strict`),
    cache,
    extra: rest && { [ANTHROPIC_MESSAGES]: rest },
  });
}

export interface DecodedChoice {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
}

export function decodeToolChoice(
  value: JsonValue | undefined,
  tools: readonly ToolDefinition[],
): DecodedChoice {
  const choice = optionalObject(value, 'tool_choice');
  if (!choice) return {};
  const isSerial = optionalBoolean(choice.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use');
  return omitUndefined({
    toolChoice: decodeChoice(choice, tools),
    parallelToolCalls: isSerial ? false : undefined,
  });
}

function decodeChoice(choice: JsonObject, tools: readonly ToolDefinition[]): ToolChoice {
  switch (expectString(choice.type, 'tool_choice.type')) {
    case 'auto':
      return { type: 'auto' };
    case 'none':
      return { type: 'none' };
    case 'any':
      return { type: 'required' };
    case 'tool': {
      const name = expectName(choice.name, 'tool_choice.name');
      const isHosted = tools.some((tool) => tool.kind === 'hosted' && tool.name === name);
      return { type: 'tool', kind: isHosted ? 'hosted' : 'function', name };
    }
    default:
      throw wrongType('tool_choice.type', '"auto", "any", "tool" or "none"', choice.type);
  }
}
