import { omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FileChange, modeOf } from './commit-changes.ts';
import { FileFault } from './file-fault.ts';
import { type FileSnapshot, missingFile, snapshotAt, takeSnapshot, textOfSnapshot } from './file-snapshot.ts';
import type { PatchSection } from './patch-section.ts';
import { usePath } from './path-claims.ts';
import { decodeText, encodeText } from './text-form.ts';

/** A file on the way through a patch: what it was, and what it is after the sections so far. */
interface PendingFile {
  readonly before: FileSnapshot;
  now: Buffer | undefined;
  mode?: number;
}

/** Works a whole patch out in memory, section by section; later sections see what earlier ones did. */
export async function planSections(
  context: ToolContext,
  sections: readonly PatchSection[],
): Promise<FileChange[]> {
  const files = new Map<string, PendingFile>();
  const hold = (before: FileSnapshot): PendingFile => {
    const held = files.get(before.target.realPath);
    if (held !== undefined) return held;
    const file = { before, now: before.found?.bytes };
    files.set(before.target.realPath, file);
    return file;
  };
  for (const section of sections) {
    context.signal.throwIfAborted();
    await applySection(context, section, hold);
  }
  return [...files.values()]
    .filter(({ before, now }) => !(now === undefined ? !before.found : before.found?.bytes.equals(now)))
    .map(({ before, now, mode }) => ({ before, after: now, ...omitUndefined({ mode }) }));
}

async function applySection(
  context: ToolContext,
  section: PatchSection,
  hold: (before: FileSnapshot) => PendingFile,
): Promise<void> {
  switch (section.type) {
    case 'add': {
      const file = hold(await takeSnapshot(context, section.path));
      if (file.now !== undefined)
        throw new FileFault('EEXIST', `${section.path} exists already; update it instead of adding it.`);
      file.now = Buffer.from(section.text, 'utf8');
      return;
    }
    case 'delete': {
      const target = await usePath(context, section.path, 'delete');
      const file = hold(target.exists ? await snapshotAt(context, target) : { target });
      if (file.now === undefined) throw await missingFile(context, target);
      file.now = undefined;
      return;
    }
    case 'update': {
      const source = hold(await takeSnapshot(context, section.path));
      const updated = await patchedBytes(context, source, section);
      if (section.moveTo === undefined) {
        source.now = updated;
        return;
      }
      const moved = hold(await takeSnapshot(context, section.moveTo));
      if (moved.now !== undefined)
        throw new FileFault(
          'EEXIST',
          `${section.moveTo} exists already; ${section.path} cannot take its place.`,
        );
      moved.now = updated;
      const stat = source.before.found?.stat;
      if (stat !== undefined) moved.mode = modeOf(stat);
      if (!section.isCopy) source.now = undefined;
    }
  }
}

async function patchedBytes(
  context: ToolContext,
  file: PendingFile,
  section: PatchSection & { type: 'update' },
): Promise<Buffer> {
  if (file.now === undefined) throw await missingFile(context, file.before.target);
  if (section.hunks.length === 0) return file.now;
  const decoded = decodeText(file.now) ?? (await textOfSnapshot(context, file.before));
  return encodeText(applyHunks(decoded.text, section.hunks, section.path), decoded.form);
}
