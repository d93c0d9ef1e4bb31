// Results of searches and listings in agent.v1 whose messages are laid out otherwise than the tools' data, which follows
// aiserver.v1. Known from public reconstructions of the protobuf files.
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { succeed } from '../tool-outcome.ts';
import { type AgentResult, inSuccess } from './agent-result-form.ts';
import { present } from './call-form.ts';
import { listOf } from './result-form.ts';
import { objectAt } from './search-forms.ts';

/** Both text searches answer in one message. */
export const GREP: AgentResult = {
  encode: ({ data }) => (data?.internal === undefined ? { ...data } : { success: olderMatches(data) }),
  decode: (result) => succeed(JSON.stringify(result), { data: result }),
};

function olderMatches(data: JsonObject): JsonObject {
  const { results: files, limit_hit } = objectAt(data, 'internal');
  const matches = listOf(files).map(({ resource, results }) => ({
    file: String(resource),
    matches: numberedLines(listOf(results)),
  }));
  const total = matches.reduce((sum, file) => sum + file.matches.length, 0);
  const content = {
    matches,
    total_lines: total,
    total_matched_lines: total,
    client_truncated: limit_hit === true,
  };
  return { output_mode: 'content', workspace_results: { '': { content } } };
}

/** A match is followed by its line number, which stands in a context line without a text. */
function numberedLines(results: readonly JsonObject[]): JsonObject[] {
  return results.flatMap((result, index) => {
    if (!('match' in result)) return [];
    const { line_number } = objectAt(results[index + 1] ?? {}, 'context');
    return [present({ line_number, content: objectAt(result, 'match').preview_text })];
  });
}

/** The older listing is flat; it becomes a tree of one level. */
export const LIST = inSuccess(
  ({ data }) => {
    if (data?.files === undefined) return { ...data };
    const entries = listOf(data.files);
    const folder = String(data.directory_relative_workspace_path ?? '');
    const files = entries.filter((entry) => entry.is_directory !== true);
    const folders = entries.filter((entry) => entry.is_directory === true);
    return {
      directory_tree_root: {
        abs_path: folder,
        children_dirs: folders.map(({ name }) => ({
          abs_path: folder === '' ? String(name) : `${folder}/${name}`,
        })),
        children_files: files.map(({ name }) => present({ name })),
        children_were_processed: true,
        num_files: files.length,
      },
    };
  },
  (success) => succeed(JSON.stringify(success), { data: success }),
);

export const GLOB = inSuccess(
  ({ data }) => {
    const [folder = {}] = listOf(data?.directories);
    return {
      path: folder.abs_path,
      files: listOf(folder.files).flatMap((file) => file.rel_path ?? []),
      total_files: folder.total_files,
      ripgrep_truncated: folder.ripgrep_truncated,
    };
  },
  ({ path, files, total_files, ripgrep_truncated }) => {
    const names: JsonValue[] = Array.isArray(files) ? files : [];
    const folder = present({
      abs_path: path,
      files: names.map((name) => ({ rel_path: name })),
      total_files,
      ripgrep_truncated,
    });
    return succeed(names.join('\n'), { data: { directories: [folder] } });
  },
);

export const LINTS = inSuccess(
  ({ data }) => {
    const files = listOf(data?.linter_errors_by_file).map(({ relative_workspace_path, errors }) => {
      const found = listOf(errors);
      const diagnostics = found.map(({ range, ...error }) => ({ ...error, range: narrowRange(range) }));
      return present({ path: relative_workspace_path, diagnostics, diagnostics_count: found.length });
    });
    return {
      file_diagnostics: files,
      total_files: files.length,
      total_diagnostics: files.reduce((sum, file) => sum + Number(file.diagnostics_count), 0),
    };
  },
  (success) => {
    const files = listOf(success.file_diagnostics).map(({ path, diagnostics }) => ({
      relative_workspace_path: path ?? '',
      errors: listOf(diagnostics).map(({ range, severity, ...error }) =>
        present({ ...error, severity: severityOf(severity), range: wideRange(range) }),
      ),
    }));
    return succeed(JSON.stringify(files), { data: { linter_errors_by_file: files } });
  },
);

/** The two wires name the ends of a range differently. */
function narrowRange(range: JsonValue | undefined): JsonObject {
  const { start_position, end_position } = objectAt({ range: range ?? null }, 'range');
  return present({ start: start_position, end: end_position });
}

function wideRange(range: JsonValue | undefined): JsonObject {
  const { start, end } = objectAt({ range: range ?? null }, 'range');
  return present({ start_position: start, end_position: end });
}

/** Lint data gives the severity as its number. */
function severityOf(word: JsonValue | undefined): number | undefined {
  const number = ['unspecified', 'error', 'warning', 'information', 'hint'].indexOf(String(word));
  return number < 1 ? undefined : number;
}
