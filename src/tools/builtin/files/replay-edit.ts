import { structuredPatch } from 'diff';
import type { ToolContext } from '../../tool-context.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FileChange } from './commit-changes.ts';
import { EditJournal, type JournalChange, type JournalledFile } from './edit-journal.ts';
import { FileFault } from './file-fault.ts';
import { type FileSnapshot, takeSnapshot } from './file-snapshot.ts';
import { readHunk } from './parse-unified-diff.ts';
import { decodeText, encodeText } from './text-form.ts';

/** From what each edit left to what it found; refused when a file is no longer what the edit left. */
export async function planUndo(
  context: ToolContext,
  edits: readonly JournalledFile[],
): Promise<FileChange[]> {
  const journal = new EditJournal(context.stateFolder);
  const changes: FileChange[] = [];
  for (const edit of edits) {
    const kept = await journal.load(edit);
    const now = await takeSnapshot(context, edit.path);
    if (holds(now, kept.before)) continue; // taken back by other means, or journalled by a call that was cut off
    if (!holds(now, kept.after))
      throw new FileFault(
        'STALE_READ',
        `${context.workspace.display(edit.path)} has changed since the edit that would be undone. Read it and change it by hand.`,
      );
    changes.push({ before: now, after: kept.before, mode: kept.mode });
  }
  return changes;
}

export interface Reapplied {
  readonly changes: readonly FileChange[];
  /** Whether every file now holds exactly what the edit once left. */
  readonly isExact: boolean;
}

export async function planReapply(
  context: ToolContext,
  edits: readonly JournalledFile[],
): Promise<Reapplied> {
  const journal = new EditJournal(context.stateFolder);
  const changes: FileChange[] = [];
  let isExact = true;
  for (const edit of edits) {
    const kept = await journal.load(edit);
    const now = await takeSnapshot(context, edit.path);
    if (holds(now, kept.after)) continue;
    const isAsBefore = holds(now, kept.before);
    isExact &&= isAsBefore;
    const after = isAsBefore ? kept.after : carryOver(kept, now, context.workspace.display(edit.path));
    changes.push({ before: now, after, mode: kept.mode });
  }
  return { changes, isExact };
}

function holds(snapshot: FileSnapshot, bytes: Buffer | undefined): boolean {
  const found = snapshot.found?.bytes;
  return bytes === undefined ? found === undefined : found?.equals(bytes) === true;
}

/** The same change on other content: its hunks are looked for by their context. */
function carryOver(kept: JournalChange, now: FileSnapshot, name: string): Buffer {
  const [before, after] = [kept.before, kept.after].map((bytes) => bytes && decodeText(bytes)?.text);
  const current = now.found && decodeText(now.found.bytes);
  if (before === undefined || after === undefined || current === undefined)
    throw new FileFault(
      'STALE_READ',
      `${name} has changed since its last edit, which created, deleted or replaced it whole. Edit it anew.`,
    );
  const { hunks } = structuredPatch(name, name, plainEnds(before), plainEnds(after));
  return encodeText(applyHunks(current.text, hunks.map(readHunk), name), current.form);
}

function plainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
