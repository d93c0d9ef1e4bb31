// Tool definitions of every dialect into one form. Cursor mixes them in one list: nested functions beside a flat
// custom tool, a nested custom envelope around a flat grammar, bare Anthropic tools. Known from captured requests.
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import { completeSchema } from './complete-schema.ts';

export type ReadTool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      readonly parameters: JsonObject;
      readonly strict?: boolean;
      readonly cache?: JsonObject;
      /** Declared in the flat form of Responses, where a missing `strict` has a meaning of its own. */
      readonly isFlat: boolean;
    }
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly format?: ReadFormat;
      readonly cache?: JsonObject;
    };

export type ReadFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: string; readonly definition: string };

export interface ReadTools {
  readonly tools: readonly ReadTool[];
  readonly repairs: readonly string[];
}

/** The first of two tools with one name wins. What is no tool, or runs inside a server, is left out and noted. */
export function readTools(...lists: (JsonValue | undefined)[]): ReadTools {
  const tools = new Map<string, ReadTool>();
  const repairs: string[] = [];
  for (const value of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const tool = readTool(value);
    if (typeof tool === 'string') repairs.push(`left out ${tool}`);
    else if (tools.has(tool.name)) repairs.push(`left out a second tool of the same name: ${tool.name}`);
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], repairs };
}

/** The tool, or what the value was instead. */
function readTool(value: JsonValue): ReadTool | string {
  if (!isJsonObject(value)) return 'an entry of `tools` that is no object';
  const kind = kindOf(value);
  if (kind === undefined) return `a tool that only a server can run: ${String(value.type ?? 'no type')}`;
  const nested = value[kind];
  // Nested wins over strays beside it; an empty envelope falls back to them.
  const isNested = isJsonObject(nested) && Object.keys(nested).length > 0;
  const declared = isNested ? nested : value;
  const { name, description } = declared;
  if (typeof name !== 'string' || name === '') return 'a tool without a name';
  const cache = [value.cache_control, declared.cache_control].find(isJsonObject);
  const head = { name, description: typeof description === 'string' ? description : undefined, cache };
  if (kind === 'custom') return omitUndefined({ kind, ...head, format: readFormat(declared.format) });
  const schema = [declared.parameters, declared.input_schema].find(isJsonObject);
  const strict = [declared.strict, value.strict].find((flag) => typeof flag === 'boolean');
  const isFlat = value.type === 'function' && !isNested;
  return omitUndefined({ kind, ...head, parameters: completeSchema(schema), strict, isFlat });
}

function kindOf(tool: JsonObject): 'function' | 'custom' | undefined {
  // Anthropic's own `type: "custom"` declares a function.
  if (isJsonObject(tool.input_schema)) return 'function';
  if (tool.type === 'function' || tool.type === 'custom') return tool.type;
  if (tool.type !== undefined && tool.type !== null) return undefined;
  return isJsonObject(tool.custom) ? 'custom' : 'function';
}

/** Flat or nested; a format that cannot be understood is no format. */
function readFormat(value: JsonValue | undefined): ReadFormat | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value.type === 'text') return { type: 'text' };
  const { syntax, definition } = isJsonObject(value.grammar) ? value.grammar : value;
  if (typeof syntax !== 'string' || typeof definition !== 'string') return undefined;
  return { type: 'grammar', syntax, definition };
}

export function writeChatTool(tool: ReadTool): JsonObject {
  const { name, description } = tool;
  if (tool.kind === 'custom') {
    const format =
      tool.format?.type === 'grammar'
        ? {
            type: 'grammar',
            grammar: { syntax: tool.format.syntax, definition: tool.format.definition },
          }
        : tool.format;
    const custom = omitUndefined({ name, description, format });
    return omitUndefined({ type: 'custom', custom, cache_control: tool.cache });
  }
  const { parameters, strict } = tool;
  const declared = omitUndefined({ name, description, parameters, strict });
  return omitUndefined({ type: 'function', function: declared, cache_control: tool.cache });
}

export function writeResponsesTool(tool: ReadTool): JsonObject {
  const { name, description } = tool;
  if (tool.kind === 'custom')
    return omitUndefined({ type: 'custom', name, description, format: tool.format });
  const { parameters } = tool;
  // Responses takes a missing `strict` as true, every other dialect as false.
  const strict = tool.strict ?? (tool.isFlat ? undefined : false);
  return omitUndefined({ type: 'function', name, description, parameters, strict });
}
