// The patch envelope of the free-form `apply_patch` tool (called V4A by its vendor): sections that add, update, move
// and delete files, hunks found by their context and not by line numbers. Known from OpenAI's prompting guide and the
// open Codex CLI. Guessed: how lenient to be with wrappers that models put around it.
import { omitUndefined } from '../../../core/index.ts';
import type { Hunk, HunkLine } from './apply-hunks.ts';
import { FileFault } from './file-fault.ts';
import type { PatchSection } from './patch-section.ts';

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.*)$/;
const KINDS: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'keep', '-': 'remove', '+': 'add' };

export function parseV4aPatch(patch: string): PatchSection[] {
  const lines = envelopeOf(patch);
  const sections: PatchSection[] = [];
  let at = 0;
  while (at < lines.length) {
    const header = SECTION.exec(lines[at]?.text.trimEnd() ?? '');
    if (header === null) {
      if (lines[at]?.text.trim() === '') {
        at++;
        continue;
      }
      throw malformed(lines[at], 'expected "*** Add File: ", "*** Update File: " or "*** Delete File: "');
    }
    let end = at + 1;
    while (end < lines.length && !SECTION.test(lines[end]?.text ?? '')) end++;
    const path = (header[2] ?? '').trim();
    if (path === '') throw malformed(lines[at], 'the path is missing');
    sections.push(readSection(header[1] ?? '', path, lines.slice(at + 1, end)));
    at = end;
  }
  if (sections.length === 0)
    throw new FileFault('EINVAL', 'The patch names no file between its begin and end lines.');
  return sections;
}

interface PatchLine {
  readonly text: string;
  readonly number: number;
}

/** The lines between begin and end; shells, here-documents and code fences around them are set aside. */
function envelopeOf(patch: string): PatchLine[] {
  const lines = patch.split(/\r?\n/).map((text, index): PatchLine => ({ text, number: index + 1 }));
  const begin = lines.findIndex((line) => line.text.trim() === '*** Begin Patch');
  const end = lines.findLastIndex((line) => line.text.trim() === '*** End Patch');
  if (begin === -1 || end <= begin)
    throw new FileFault(
      'EINVAL',
      `A patch begins with the line "*** Begin Patch" and ends with "*** End Patch"; the ${begin === -1 ? 'first' : 'second'} is missing.`,
    );
  return lines.slice(begin + 1, end);
}

function readSection(kind: string, path: string, lines: readonly PatchLine[]): PatchSection {
  switch (kind) {
    case 'Add':
      return { type: 'add', path, text: readAdded(lines) };
    case 'Delete': {
      const extra = lines.find((line) => line.text.trim() !== '');
      if (extra) throw malformed(extra, 'a delete section has no lines');
      return { type: 'delete', path };
    }
    default: {
      const move = /^\*\*\* Move to: (.+)$/.exec(lines[0]?.text.trimEnd() ?? '');
      const hunks = readHunks(move === null ? lines : lines.slice(1));
      if (hunks.length === 0 && move === null)
        throw new FileFault(
          'EINVAL',
          `The update section for ${path} changes nothing; add a hunk or leave it out.`,
        );
      return omitUndefined({ type: 'update' as const, path, hunks, moveTo: move?.[1]?.trim() });
    }
  }
}

function readAdded(lines: readonly PatchLine[]): string {
  const body = dropBlankTail(lines);
  return body
    .map((line) => {
      if (!line.text.startsWith('+')) throw malformed(line, 'every line of an added file begins with "+"');
      return `${line.text.slice(1)}\n`;
    })
    .join('');
}

function readHunks(lines: readonly PatchLine[]): Hunk[] {
  const hunks: Hunk[] = [];
  let open: { anchors: string[]; lines: HunkLine[]; isAtEnd: boolean } | undefined;
  const close = () => {
    if (open !== undefined && open.lines.length > 0) hunks.push(open);
    open = undefined;
  };
  for (const line of dropBlankTail(lines)) {
    if (line.text.startsWith('@@')) {
      // Several @@ lines in a row narrow the place down, outermost first.
      if (open === undefined || open.lines.length > 0) close();
      open ??= { anchors: [], lines: [], isAtEnd: false };
      const anchor = anchorOf(line.text);
      if (anchor !== undefined) open.anchors.push(anchor);
    } else if (line.text.trimEnd() === '*** End of File') {
      if (open !== undefined) open.isAtEnd = true;
      close();
    } else {
      open ??= { anchors: [], lines: [], isAtEnd: false };
      open.lines.push(readHunkLine(line));
    }
  }
  close();
  for (const hunk of hunks)
    if (hunk.lines.every((line) => line.kind === 'keep'))
      throw new FileFault('EINVAL', 'A hunk has only context; mark the lines to change with "-" and "+".');
  return hunks;
}

/** What follows `@@`; line numbers in the unified manner say nothing here. */
function anchorOf(line: string): string | undefined {
  const text = line.slice(2).replace(/^ /, '');
  const unified = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$/.exec(text);
  const anchor = unified === null ? text.replace(/ ?@@$/, '') : '';
  return anchor.trim() === '' ? undefined : anchor;
}

function readHunkLine(line: PatchLine): HunkLine {
  if (line.text === '') return { kind: 'keep', text: '' };
  const kind = KINDS[line.text[0] ?? ''];
  if (kind === undefined)
    throw malformed(line, 'a hunk line begins with " " (keep), "-" (remove) or "+" (add)');
  return { kind, text: line.text.slice(1) };
}

function dropBlankTail(lines: readonly PatchLine[]): readonly PatchLine[] {
  const last = lines.findLastIndex((line) => line.text !== '');
  return lines.slice(0, last + 1);
}

function malformed(line: PatchLine | undefined, what: string): FileFault {
  return new FileFault(
    'EINVAL',
    `Line ${line?.number ?? 0} of the patch, ${JSON.stringify(line?.text.slice(0, 80) ?? '')}, cannot be read: ${what}.`,
  );
}
