import type { FileChange } from '../../builtin/files/commit-changes.ts';
import { type ChangeNotes, describeChanges } from '../../builtin/files/describe-changes.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ToolSuccess } from '../../tool-outcome.ts';
import type { DraftFile } from './remote-draft.ts';

/** What an edit at the client is told as: the same words, diff and data as for one on this machine. */
export function describeEdits(files: readonly DraftFile[], told: ChangeNotes): ToolSuccess {
  const names = new Map(files.map((file) => [file.path, file.name]));
  // The description reads nothing of the context but how paths are shown, and nothing of a snapshot but path and bytes.
  const context = {
    workspace: { display: (path: string) => names.get(path) ?? path },
  } as unknown as ToolContext;
  const changes = files.map(({ path, before, now }) => ({
    before: { target: { path }, found: before && { bytes: before } },
    after: now,
  })) as unknown as FileChange[];
  return describeChanges(context, changes, told);
}
