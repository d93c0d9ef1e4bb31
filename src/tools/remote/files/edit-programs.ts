// The edit tools over a draft: the same algorithms as on this machine, on files that the client holds.
import { applyHunks } from '../../builtin/files/apply-hunks.ts';
import { sectionLine } from '../../builtin/files/apply-patch.ts';
import type { ChangeNotes } from '../../builtin/files/describe-changes.ts';
import { FileFault } from '../../builtin/files/file-fault.ts';
import { inFormOf } from '../../builtin/files/in-form-of.ts';
import { ambiguousSketch, hasMarkers, isWholeFile, mergeSketch } from '../../builtin/files/merge-sketch.ts';
import { parseV4aPatch } from '../../builtin/files/parse-v4a-patch.ts';
import type { PatchSection } from '../../builtin/files/patch-section.ts';
import { type Replacement, replaceAllInOrder } from '../../builtin/files/replace-text.ts';
import {
  countLines,
  decodeText,
  encodeText,
  lineEndingOf,
  withLineEnding,
} from '../../builtin/files/text-form.ts';
import { defineRemoteEdit } from './define-remote-edit.ts';
import { type RemoteDraft, textOf } from './remote-draft.ts';

export const write = defineRemoteEdit<{ path: string; contents: string }>('write', async (args, draft) => {
  const file = await draft.open(args.path, { isOverwritten: true });
  const { bytes, notes } = inFormOf(args.contents, file.before && decodeText(file.before));
  file.now = bytes;
  if (file.before?.equals(bytes))
    return { summary: `${file.name} already has exactly this content; nothing was written.` };
  return {
    summary: `${file.before || file.isUnreadable ? 'Replaced' : 'Created'} ${file.name} (${countLines(args.contents)} lines, ${bytes.length} bytes).`,
    editsApplied: 1,
    notes,
  };
});

interface Edit {
  readonly old_string?: string;
  readonly new_string?: string;
  readonly replace_all?: boolean;
}

export const searchReplace = defineRemoteEdit<Edit & { path: string; edits?: readonly Edit[] }>(
  'search_replace',
  (args, draft) =>
    replace(
      draft,
      args.path,
      (args.edits ?? [args]).map((one) => ({
        oldString: one.old_string ?? '',
        newString: one.new_string ?? '',
        replaceAll: one.replace_all ?? false,
      })),
    ),
);

async function replace(
  draft: RemoteDraft,
  path: string,
  edits: readonly Replacement[],
): Promise<ChangeNotes> {
  const file = await draft.open(path);
  const [first, ...rest] = edits;
  if (first?.oldString === '' && (file.before === undefined || file.before.length === 0)) {
    const { text, count } = replaceAllInOrder(first.newString, rest, file.name);
    file.now = Buffer.from(text, 'utf8');
    return { summary: `Created ${file.name}.`, editsApplied: count + 1 };
  }
  const { text, form } = textOf(file);
  const replaced = replaceAllInOrder(text, edits, file.name);
  if (replaced.text === text)
    throw new FileFault(
      'EINVAL',
      `The edits undo one another: ${file.name} would not change. Leave out those that do.`,
    );
  file.now = encodeText(replaced.text, form);
  return {
    summary: `Successfully edited ${replaced.count} ${replaced.count === 1 ? 'location' : 'locations'} in ${file.name}.`,
    editsApplied: replaced.count,
    data: { num_matches: replaced.count },
  };
}

export const applyPatch = defineRemoteEdit<{ patch: string }>('apply_patch', async ({ patch }, draft) => {
  const sections = parseV4aPatch(patch);
  for (const section of sections) await applySection(section, draft);
  const count = draft.changes.length;
  return {
    summary:
      count === 0
        ? 'The patch changes nothing: the files are already as it wants them.'
        : `Applied the patch to ${count === 1 ? '1 file' : `${count} files`}: ${sections.map(sectionLine).join('; ')}.`,
    editsApplied: sections.reduce((sum, one) => sum + (one.type === 'update' ? one.hunks.length : 1), 0),
  };
});

/** Later sections see what earlier ones did. */
async function applySection(section: PatchSection, draft: RemoteDraft): Promise<void> {
  const file = await draft.open(section.path);
  if (section.type === 'add') {
    if (file.now !== undefined)
      throw new FileFault('EEXIST', `${file.name} exists already; update it instead of adding it.`);
    file.now = Buffer.from(section.text, 'utf8');
    return;
  }
  const { text, form } = textOf(file);
  if (section.type === 'delete') {
    file.now = undefined;
    return;
  }
  const updated =
    section.hunks.length === 0 ? file.now : encodeText(applyHunks(text, section.hunks, file.name), form);
  if (section.moveTo === undefined) {
    file.now = updated;
    return;
  }
  const moved = await draft.open(section.moveTo);
  if (moved.now !== undefined)
    throw new FileFault('EEXIST', `${moved.name} exists already; ${file.name} cannot take its place.`);
  moved.now = updated;
  if (section.isCopy !== true) file.now = undefined;
}

interface SketchArguments extends Edit {
  readonly path: string;
  readonly code_edit?: string;
  readonly ignore_whitespace?: boolean;
  readonly line_ranges?: readonly { readonly start: number; readonly end: number }[];
}

/** Understood, but not offered: what it does, the other edit tools do more surely. */
export const editFile = defineRemoteEdit<SketchArguments>(
  'edit_file',
  async (args, draft) => {
    if (args.new_string !== undefined)
      return replace(draft, args.path, [
        {
          oldString: args.old_string ?? '',
          newString: args.new_string,
          replaceAll: args.replace_all ?? false,
          mayIgnoreWhitespace: args.ignore_whitespace ?? false,
          lineRanges: args.line_ranges ?? [],
        },
      ]);
    const sketch = args.code_edit ?? '';
    const file = await draft.open(args.path);
    if (file.before === undefined && !hasMarkers(sketch)) {
      file.now = Buffer.from(sketch, 'utf8');
      return { summary: `Created ${file.name}.`, editsApplied: 1 };
    }
    const { text, form } = textOf(file);
    if (!hasMarkers(sketch) && !isWholeFile(text, sketch)) throw ambiguousSketch(file.name);
    const merged = hasMarkers(sketch)
      ? mergeSketch(text, sketch, file.name)
      : withLineEnding(sketch, lineEndingOf(text));
    file.now = encodeText(merged, form);
    return { summary: `Merged the sketch into ${file.name}. Check the diff.`, editsApplied: 1 };
  },
  { isListed: () => false },
);
