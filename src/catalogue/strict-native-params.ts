// Params of the V2 tools with the keys and fields of their own protobuf messages in aiserver.v1.
import type { JsonObject, JsonValue } from '../core/index.ts';
import { directoryOf, omitNull, pathOf } from './argument-aliases.ts';
import type { NativeTool } from './native-tool-names.ts';

export interface NativeCall {
  /** The number in `ClientSideToolV2`. */
  readonly tool: number;
  readonly paramsKey: string;
  readonly params: JsonObject;
}

/** Undefined for tools whose usual key is already the message's own. */
export function strictNativeParams(native: NativeTool, input: JsonObject): NativeCall | undefined {
  switch (native.number) {
    case 40:
      return call(40, 'read_file_v2_params', {
        target_file: pathOf(input) ?? '',
        offset: input.offset,
        limit: input.limit,
      });
    case 38:
      return editCall(input);
    case 39:
      return call(39, 'list_dir_v2_params', {
        target_directory: directoryOf(input) ?? '',
        ignore_globs: input.ignore_globs,
      });
    case 41:
      return call(41, 'ripgrep_raw_search_params', rawGrep(input));
    case 3:
      return call(3, 'ripgrep_search_params', editorGrep(input));
    case 42:
      return call(42, 'glob_file_search_params', {
        target_directory: input.target_directory ?? input.path,
        glob_pattern: input.glob_pattern ?? input.pattern ?? '',
      });
    default:
      return undefined;
  }
}

/** EDIT_FILE_V2 holds the whole new text and nothing else; a replacement fits the V1 message only. */
function editCall(input: JsonObject): NativeCall {
  const path = pathOf(input) ?? '';
  if (typeof input.contents === 'string') {
    return call(38, 'edit_file_v2_params', {
      relative_workspace_path: path,
      contents_after_edit: input.contents,
    });
  }
  return call(7, 'edit_file_params', {
    relative_workspace_path: path,
    old_string: input.old_string,
    new_string: input.new_string,
    allow_multiple_matches: input.replace_all,
  });
}

function rawGrep(input: JsonObject): Record<string, JsonValue | undefined> {
  return {
    pattern: input.pattern ?? input.query ?? '',
    path: input.path,
    glob: input.glob ?? input.include_pattern,
    output_mode: input.output_mode,
    context_before: input['-B'],
    context_after: input['-A'],
    context: input['-C'],
    case_insensitive: input['-i'],
    type: input.type,
    head_limit: input.head_limit,
    multiline: input.multiline,
    offset: input.offset,
  };
}

/** RIPGREP_SEARCH is the search of the editor itself: two nested messages. */
function editorGrep(input: JsonObject): Record<string, JsonValue | undefined> {
  const include = input.include_pattern ?? input.glob ?? null;
  const exclude = input.exclude_pattern ?? null;
  const options = omitNull({
    include_pattern: include === null ? undefined : { pattern: include },
    exclude_pattern: exclude === null ? undefined : { exclude_pattern: [{ pattern: { pattern: exclude } }] },
  });
  const isCaseSensitive = input.case_sensitive ?? (input['-i'] === true ? false : undefined);
  return {
    options,
    pattern_info: omitNull({
      pattern: input.pattern ?? input.query ?? '',
      is_reg_exp: true,
      is_case_sensitive: isCaseSensitive,
      is_multiline: input.multiline,
    }),
  };
}

function call(
  tool: number,
  paramsKey: string,
  params: Readonly<Record<string, JsonValue | undefined>>,
): NativeCall {
  return { tool, paramsKey, params: omitNull(params) };
}
