// The params object of a call in Cursor's JSON stream frames, made from the arguments a model wrote.
// Field names are those of the reconstructed aiserver.v1 messages. Which names a consumer of this JSON form accepts is
// a guess: the default follows the form it was first described with, `strictProto` the protobuf messages.
import { isJsonObject, type JsonObject } from '../core/index.ts';
import { directoryOf, isPresent, omitNull, pathOf } from './argument-aliases.ts';
import { NATIVE_MCP, type NativeShape, resolveNativeTool } from './native-tool-names.ts';
import { type NativeCall, strictNativeParams } from './strict-native-params.ts';

export interface NativeParamsOptions {
  /** Use the keys and numbers of the protobuf messages for tools that have a V2 form. */
  readonly strictProto?: boolean | undefined;
}

/** Never throws: arguments that are no JSON object travel as the raw text of an MCP call. */
export function encodeNativeCall(
  name: string,
  argumentsText: string,
  options: NativeParamsOptions = {},
): NativeCall {
  const native = resolveNativeTool(name);
  const input = native.shape === 'mcp' ? undefined : parseObject(argumentsText);
  if (!input) {
    const params = { tools: [{ name, parameters: argumentsText }] };
    return { tool: NATIVE_MCP.number, paramsKey: NATIVE_MCP.paramsKey, params };
  }
  const strict = options.strictProto ? strictNativeParams(native, input) : undefined;
  if (strict) return strict;
  return { tool: native.number, paramsKey: native.paramsKey, params: encodeParams(native.shape, input) };
}

function parseObject(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function encodeParams(shape: NativeShape, input: JsonObject): JsonObject {
  switch (shape) {
    case 'read':
      return readParams(input);
    case 'edit':
      return editParams(input);
    case 'list':
      return omitNull({ directory_path: directoryOf(input) ?? '' });
    case 'shell':
      return omitNull({
        command: input.command ?? '',
        cwd: input.working_directory ?? input.cwd,
        is_background: input.is_background ?? false,
        require_user_approval: true,
      });
    case 'delete':
      return { relative_workspace_path: pathOf(input) ?? '' };
    case 'grep':
      return renamed(input, 'query', 'pattern');
    case 'glob':
      return renamed(input, 'pattern', 'glob_pattern');
    case 'web-search':
      return renamed(input, 'query', 'search_term');
    case 'file-search':
    case 'semantic-search':
    case 'todos':
    case 'mcp':
      return omitNull(input);
    default:
      return shape satisfies never;
  }
}

/** `limit` is a count: lines `offset` to `offset + limit - 1`. Without a range the whole file is read. */
function readParams(input: JsonObject): JsonObject {
  const path = pathOf(input) ?? '';
  const start = input.start_line_one_indexed ?? input.offset;
  const end = input.end_line_one_indexed_inclusive ?? lastLine(input);
  const hasRange = isPresent(start) || isPresent(end);
  return omitNull({
    relative_workspace_path: path,
    read_entire_file: !hasRange || input.should_read_entire_file === true,
    start_line_one_indexed: hasRange ? (start ?? 1) : undefined,
    end_line_one_indexed_inclusive: end,
    max_lines: input.max_lines,
    max_chars: input.max_chars,
  });
}

function lastLine(input: JsonObject): number | undefined {
  const { offset, limit } = input;
  if (typeof limit !== 'number') return undefined;
  const start = typeof offset === 'number' ? offset : 1;
  const end = start + limit - 1;
  // A negative offset counts from the end of the file; a range that would cross the end has no last line.
  return start < 0 && end >= 0 ? undefined : end;
}

function editParams(input: JsonObject): JsonObject {
  return omitNull({
    relative_workspace_path: pathOf(input) ?? '',
    language: input.language,
    contents: input.contents,
    old_string: input.old_string,
    new_string: input.new_string,
    allow_multiple_matches: input.replace_all,
    instructions: input.instructions,
    code_edit: input.code_edit,
    blocking: input.blocking,
  });
}

/** The arguments as they are, an older word for the main one replaced. */
function renamed(input: JsonObject, from: string, to: string): JsonObject {
  const { [from]: older, ...rest } = input;
  return omitNull(isPresent(rest[to]) || !isPresent(older) ? input : { [to]: older, ...rest });
}
