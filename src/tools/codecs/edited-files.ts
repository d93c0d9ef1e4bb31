// What an edit changed: canonical result data (`files[]`, `diff_string`) ↔ the single-file results of both wires.
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';

export interface EditedFile {
  readonly file: JsonObject;
  readonly diff: string;
  /** Files after the first: no result message holds more than one. */
  readonly others: readonly JsonObject[];
}

export function editedFile(data: JsonObject | undefined): EditedFile {
  const files = Array.isArray(data?.files) ? data.files.filter(isJsonObject) : [];
  const diff = data?.diff_string;
  return { file: files[0] ?? {}, diff: typeof diff === 'string' ? diff : '', others: files.slice(1) };
}

/** `EditFileResult.FileDiff` with the whole diff as its one chunk. */
export function fileDiff({ file, diff }: EditedFile): JsonObject | undefined {
  if (diff === '') return undefined;
  const chunk = { diff_string: diff, lines_added: file.lines_added, lines_removed: file.lines_removed };
  return { chunks: [omitUndefined(chunk) as JsonObject], editor: 'ai' }; // just freed of undefined
}

/** The canonical data of a result with a `FileDiff` in it. */
export function editData(fields: JsonObject): JsonObject {
  const diff = isJsonObject(fields.diff) ? fields.diff : {};
  const chunks = Array.isArray(diff.chunks) ? diff.chunks.filter(isJsonObject) : [];
  const total = (name: string) => chunks.reduce((sum, chunk) => sum + Number(chunk[name] ?? 0), 0);
  const { file_was_created, contents_before_edit, contents_after_edit, eol_sequence } = fields;
  const file: Record<string, JsonValue | undefined> = {
    file_was_created,
    contents_before_edit,
    contents_after_edit,
    eol_sequence,
    lines_added: total('lines_added'),
    lines_removed: total('lines_removed'),
  };
  const { num_matches, is_applied } = fields;
  return omitUndefined({
    files: [omitUndefined(file) as JsonObject], // just freed of undefined
    diff_string: chunks.map((chunk) => String(chunk.diff_string ?? '')).join('\n'),
    num_matches,
    is_applied,
  }) as JsonObject; // the same
}

const CHANGE_TYPES: Readonly<Record<string, string>> = {
  add: 'created',
  created: 'created',
  delete: 'deleted',
  deleted: 'deleted',
};

/** `AppliedAgentChange.ChangeType`, from the words of patches and of results alike. */
export function changeType(change: JsonValue | undefined): string {
  return CHANGE_TYPES[String(change)] ?? 'modified';
}
