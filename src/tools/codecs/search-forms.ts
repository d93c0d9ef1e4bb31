// Searches whose wire message nests what the tool takes flat: the editor's own text search (RIPGREP_SEARCH, two builder
// messages) and the places of a semantic search (READ_SEMSEARCH_FILES, code blocks with ranges).
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { type CallForm, extend, named, present } from './call-form.ts';

/** What the text search of both wires takes, under the names they share. */
export const TEXT_SEARCH = [
  'pattern',
  'path',
  'glob',
  'output_mode',
  'type',
  'head_limit',
  'offset',
  'multiline',
  'sort',
  'sort_ascending',
  { '-A': 'context_after', '-B': 'context_before', '-C': 'context', '-i': 'case_insensitive' },
] as const;

export const EDITOR_SEARCH: CallForm = {
  encode: (args) => ({
    pattern_info: present({
      pattern: args.query,
      is_reg_exp: args.regex,
      is_case_sensitive: args.case_sensitive,
      is_word_match: args.whole_word,
      is_multiline: args.multiline,
    }),
    options: present({
      max_results: args.max_results,
      include_pattern: Array.isArray(args.include_pattern) ? { patterns: args.include_pattern } : undefined,
      exclude_pattern: Array.isArray(args.exclude_pattern)
        ? { exclude_pattern: args.exclude_pattern.map((pattern) => ({ pattern: { pattern } })) }
        : undefined,
    }),
  }),
  decode(fields) {
    const info = objectAt(fields, 'pattern_info');
    const options = objectAt(fields, 'options');
    const excluded = objectAt(options, 'exclude_pattern').exclude_pattern;
    return {
      query: info.pattern,
      regex: info.is_reg_exp,
      case_sensitive: info.is_case_sensitive,
      whole_word: info.is_word_match,
      multiline: info.is_multiline,
      max_results: options.max_results,
      include_pattern: globsIn(objectAt(options, 'include_pattern')),
      exclude_pattern: Array.isArray(excluded)
        ? excluded.filter(isJsonObject).flatMap((item) => globsIn(objectAt(item, 'pattern')) ?? [])
        : undefined,
    };
  },
};

/** A builder holds one pattern or several. */
function globsIn({ pattern, patterns }: JsonObject): JsonValue[] | undefined {
  const all = [...(pattern === undefined ? [] : [pattern]), ...(Array.isArray(patterns) ? patterns : [])];
  return all.length === 0 ? undefined : all;
}

export const FOUND_PLACES: CallForm = extend(named('query'), {
  encode: ({ code_results }) => ({
    code_results: Array.isArray(code_results) ? code_results.filter(isJsonObject).map(codeResult) : undefined,
  }),
  decode: ({ code_results }) => ({
    code_results: Array.isArray(code_results) ? code_results.filter(isJsonObject).map(place) : [],
  }),
});

function codeResult({ path, start_line, end_line, score }: JsonObject): JsonObject {
  const range = present({
    start_position: start_line === undefined ? undefined : { line: start_line },
    end_position: end_line === undefined ? undefined : { line: end_line },
  });
  return present({ code_block: present({ relative_workspace_path: path, range }), score });
}

function place(result: JsonObject): JsonObject {
  const block = objectAt(result, 'code_block');
  const range = objectAt(block, 'range');
  return present({
    path: block.relative_workspace_path,
    start_line: objectAt(range, 'start_position').line,
    end_line: objectAt(range, 'end_position').line,
    score: result.score,
  });
}

export function objectAt(fields: JsonObject, name: string): JsonObject {
  const value = fields[name];
  return isJsonObject(value) ? value : {};
}
