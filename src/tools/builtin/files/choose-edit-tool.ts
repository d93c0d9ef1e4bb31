import { canonicalArguments } from '../../tool-arguments.ts';

/**
 * Which edit tool a call by number 38 or by the bare case name `edit_file_v2` means; the number is shared, the arguments
 * tell. Names (`write`, `StrReplace` …) say it themselves and need no choosing.
 */
export function chooseEditTool(args: unknown): string {
  const probe = canonicalArguments(args, {}, { aliases: PROBES });
  if (typeof probe === 'string') return 'apply_patch';
  if (typeof probe !== 'object' || probe === null) return 'search_replace';
  const has = (key: string) => key in probe;
  if (has('patch')) return 'apply_patch';
  if (has('cell_idx')) return 'edit_notebook';
  if (has('edits') || has('old_string')) return 'search_replace';
  if (has('contents')) return 'write';
  if (has('code_edit')) return 'edit_file';
  return 'search_replace';
}

const PROBES = {
  patch: ['input', 'patch_text'],
  cell_idx: ['cell_index', 'notebook_cell_idx', 'target_notebook', 'notebook_path'],
  edits: ['replacements', 'string_replacements'],
  old_string: ['old_text', 'old_str', 'new_string', 'new_text', 'new_str'],
  contents: ['content', 'contents_after_edit', 'file_text', 'stream_content'],
};
