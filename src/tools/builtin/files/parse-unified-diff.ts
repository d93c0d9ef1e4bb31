// Unified diffs, plain or as git writes them (renames, copies, new and deleted files). Paths lose git's a/ and b/.
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { omitUndefined } from '../../../core/index.ts';
import type { Hunk, HunkLine } from './apply-hunks.ts';
import { FileFault } from './file-fault.ts';
import type { PatchSection } from './patch-section.ts';

const NOWHERE = '/dev/null';
const KINDS: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'keep', '-': 'remove', '+': 'add' };

export function parseUnifiedDiff(diff: string): PatchSection[] {
  const sections = parseFiles(diff).map(readFileDiff);
  if (sections.length === 0)
    throw new FileFault('EINVAL', 'The diff names no file; give a unified diff with --- and +++ lines.');
  return sections;
}

function parseFiles(diff: string): StructuredPatch[] {
  try {
    return parsePatch(diff.replaceAll('\r\n', '\n')).filter(
      (file) => file.oldFileName !== undefined || file.newFileName !== undefined || file.hunks.length > 0,
    );
  } catch (error) {
    throw new FileFault(
      'EINVAL',
      `The diff cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readFileDiff(file: StructuredPatch): PatchSection {
  const { from, to } = namesOf(file);
  if (file.isBinary)
    throw new FileFault(
      'BINARY',
      `The diff of ${to ?? from} is binary, without the bytes; copy the file instead.`,
    );
  const hunks = file.hunks.map(readHunk);
  if (from === undefined && to === undefined)
    throw new FileFault(
      'EINVAL',
      'The diff has hunks without a file name; add --- and +++ lines before them.',
    );
  if (from === undefined || (file.isCreate && to !== undefined))
    return { type: 'add', path: to ?? '', text: addedText(hunks) };
  if (to === undefined || file.isDelete) return { type: 'delete', path: from };
  const moveTo = from === to ? undefined : to;
  return omitUndefined({ type: 'update' as const, path: from, hunks, moveTo, isCopy: file.isCopy });
}

/** Undefined for a side that does not exist. */
function namesOf(file: StructuredPatch): { from: string | undefined; to: string | undefined } {
  const from = nameOf(file.oldFileName);
  const to = nameOf(file.newFileName ?? file.oldFileName);
  const isPrefixed =
    (from === undefined || from.startsWith('a/')) && (to === undefined || to.startsWith('b/'));
  return isPrefixed ? { from: from?.slice(2), to: to?.slice(2) } : { from, to };
}

function nameOf(name: string | undefined): string | undefined {
  return name === undefined || name === NOWHERE ? undefined : name;
}

export function readHunk(hunk: StructuredPatchHunk): Hunk {
  const lines: HunkLine[] = [];
  for (const line of hunk.lines) {
    if (line.startsWith('\\')) {
      const last = lines.pop();
      if (last !== undefined) lines.push({ ...last, isUnterminated: true });
      continue;
    }
    lines.push({ kind: KINDS[line[0] ?? ' '] ?? 'keep', text: line.slice(1) });
  }
  return { anchors: [], lines, isAtEnd: false, lineHint: hunk.oldStart };
}

function addedText(hunks: readonly Hunk[]): string {
  return hunks
    .flatMap((hunk) => hunk.lines)
    .filter((line) => line.kind === 'add')
    .map((line) => line.text + (line.isUnterminated ? '' : '\n'))
    .join('');
}
