// What a model, a person and a program are told about changed files: a line per file, a unified diff, and the fields
// of the edit results of aiserver.v1 and agent.v1 (`contents_before_edit`, `diff.chunks`, `lines_added` …).
import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { succeed, type ToolSuccess } from '../../tool-outcome.ts';
import { trimMiddle } from '../../trim-output.ts';
import type { FileChange } from './commit-changes.ts';
import { countLines, decodeText, lineEndingOf } from './text-form.ts';

const MAX_DIFF_CHARACTERS = 20_000;
/** A diff of two texts that share nothing takes quadratic time; a result without one is better than a late one. */
const DIFF_TIMEOUT_MS = 1_000;
const CONTEXT_LINES = 3;

export interface DescribedChange {
  readonly path: string;
  readonly verb: 'created' | 'deleted' | 'changed';
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly patch: StructuredPatch | undefined;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly sizeBytes: number;
}

/** One file before and after, wherever it is kept. */
export interface FileEdit {
  readonly path: string;
  /** For people and models. */
  readonly name: string;
  /** Undefined when there was no such file. */
  readonly before: Buffer | undefined;
  /** Undefined when it was deleted. */
  readonly after: Buffer | undefined;
}

function editOf(context: ToolContext, { before: { target, found }, after }: FileChange): FileEdit {
  return { path: target.path, name: context.workspace.display(target.path), before: found?.bytes, after };
}

export function describeChange(context: ToolContext, change: FileChange): DescribedChange {
  return describeEdit(editOf(context, change));
}

function describeEdit(edit: FileEdit): DescribedChange {
  const before = edit.before && decodeText(edit.before)?.text;
  const after = edit.after && decodeText(edit.after)?.text;
  const patch = diffOf(
    edit.name,
    edit.before === undefined ? '' : before,
    edit.after === undefined ? '' : after,
  );
  const count = (sign: string) =>
    (patch?.hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.filter((line) => line[0] === sign).length, 0);
  return {
    path: edit.path,
    verb: edit.before === undefined ? 'created' : edit.after === undefined ? 'deleted' : 'changed',
    before,
    after,
    patch,
    linesAdded: count('+'),
    linesRemoved: count('-'),
    sizeBytes: edit.after?.length ?? edit.before?.length ?? 0,
  };
}

function diffOf(name: string, before: string | undefined, after: string | undefined) {
  if (before === undefined || after === undefined) return undefined;
  return structuredPatch(name, name, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: DIFF_TIMEOUT_MS,
  });
}

export function diffText(described: readonly DescribedChange[]): string {
  const text = described
    .map(({ patch }) => (patch === undefined || patch.hunks.length === 0 ? '' : formatPatch(patch, HEADERS)))
    .filter((part) => part !== '')
    .join('\n');
  return trimMiddle(text, MAX_DIFF_CHARACTERS, 'read the file for the rest').text;
}

const HEADERS = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };

export interface ChangeNotes {
  readonly summary: string;
  readonly editsApplied?: number;
  readonly notes?: readonly string[];
  readonly data?: JsonObject;
}

export function describeChanges(
  context: ToolContext,
  changes: readonly FileChange[],
  told: ChangeNotes,
): ToolSuccess {
  return describeEdits(
    changes.map((change) => editOf(context, change)),
    told,
  );
}

/** The result of a call that changed files; the first file is the one the attachments name. */
export function describeEdits(edits: readonly FileEdit[], told: ChangeNotes): ToolSuccess {
  const described = edits.map(describeEdit);
  const diff = diffText(described);
  const first = described[0];
  const content = [told.summary, ...(told.notes ?? []), diff === '' ? undefined : `\n${diff.trimEnd()}`];
  return succeed(content.filter((part) => part !== undefined).join('\n'), {
    attachments: omitUndefined({
      file_path: first?.path,
      edits_applied: told.editsApplied,
      line_count: first?.after === undefined ? undefined : countLines(first.after),
      size_bytes: first?.sizeBytes,
      lines_added: total(described, 'linesAdded'),
      lines_removed: total(described, 'linesRemoved'),
      files_changed: described.length > 1 ? described.map((change) => change.path) : undefined,
    }),
    data: { ...told.data, files: described.map(fileData), diff_string: diff },
  });
}

function total(described: readonly DescribedChange[], key: 'linesAdded' | 'linesRemoved'): number {
  return described.reduce((sum, change) => sum + change[key], 0);
}

function fileData(change: DescribedChange): JsonObject {
  const { before, after } = change;
  return omitUndefined({
    path: change.path,
    change: change.verb,
    file_was_created: change.verb === 'created',
    contents_before_edit: before,
    contents_after_edit: after,
    eol_sequence: after === undefined ? undefined : lineEndingOf(after),
    lines_added: change.linesAdded,
    lines_removed: change.linesRemoved,
    file_size: change.sizeBytes,
    num_lines_in_file: after === undefined ? undefined : countLines(after),
    diff:
      change.patch === undefined
        ? undefined
        : {
            chunks: change.patch.hunks.map((hunk) => ({
              diff_string: hunk.lines.join('\n'),
              old_start: hunk.oldStart,
              new_start: hunk.newStart,
              old_lines: hunk.oldLines,
              new_lines: hunk.newLines,
              lines_removed: hunk.lines.filter((line) => line.startsWith('-')).length,
              lines_added: hunk.lines.filter((line) => line.startsWith('+')).length,
            })),
          },
  });
}
