// Hunks on the lines of a file, for both patch languages. A hunk lies where its old lines are: exactly, else but for
// white space at line ends, else but for white space around and look-alike punctuation. Untouched lines keep their
// own line endings; added ones take the file's.
import { FileFault } from './file-fault.ts';
import { describeNearMatch } from './near-match.ts';
import { lineEndingOf } from './text-form.ts';

export interface HunkLine {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly text: string;
  /** The unified format's mark for a last line without a line break. */
  readonly isUnterminated?: boolean;
}

export interface Hunk {
  /** Lines (a class, a function) that come before the hunk, each after the one before. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  readonly isAtEnd: boolean;
  /** The 1-based line where the hunk is said to begin: the nearest match to it is taken. */
  readonly lineHint?: number;
}

interface FileLine {
  readonly text: string;
  readonly ending: string;
}

type Sameness = (left: string, right: string) => boolean;

const SAMENESSES: readonly Sameness[] = [
  (left, right) => left === right,
  (left, right) => left.trimEnd() === right.trimEnd(),
  (left, right) => plain(left) === plain(right),
];

export function applyHunks(text: string, hunks: readonly Hunk[], name: string): string {
  const ending = lineEndingOf(text);
  const lines = readLines(text);
  const result: FileLine[] = [];
  let cursor = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const wanted = hunk.lines.filter((line) => line.kind !== 'add').map((line) => line.text);
    const label = `Hunk ${index + 1} of ${hunks.length} for ${name}`;
    const from = seekAnchors(lines, hunk.anchors, cursor, label);
    const at = place(lines, wanted, { hunk, from, hint: hintOf(hunk, shift), label });
    result.push(...lines.slice(cursor, at), ...patched(hunk, lines.slice(at, at + wanted.length), ending));
    shift = hunk.lineHint === undefined ? shift : at - (hunk.lineHint - 1);
    cursor = at + wanted.length;
  }
  result.push(...lines.slice(cursor));
  return joinLines(result, ending, endsOpen(lines, hunks, cursor));
}

interface Placing {
  readonly hunk: Hunk;
  readonly from: number;
  readonly hint: number | undefined;
  readonly label: string;
}

function hintOf(hunk: Hunk, shift: number): number | undefined {
  return hunk.lineHint === undefined ? undefined : hunk.lineHint - 1 + shift;
}

function place(lines: readonly FileLine[], wanted: readonly string[], placing: Placing): number {
  const { hunk, from, hint, label } = placing;
  // Nothing to find: after the anchor, at the line that is named, or at the end.
  if (wanted.length === 0)
    return hunk.anchors.length > 0 ? from : Math.min(lines.length, Math.max(from, hint ?? lines.length));
  // Some models repeat the anchor as the first line of context: second best is to begin at the anchor itself.
  const starts = hunk.anchors.length > 0 ? [from, from - 1] : [from];
  for (const [isSame, start] of SAMENESSES.flatMap((same) => starts.map((at) => [same, at] as const))) {
    const found = findAll(lines, wanted, start, isSame).filter(
      (at) => !hunk.isAtEnd || at + wanted.length === lines.length,
    );
    const [first] = found;
    if (first === undefined) continue;
    if (hint !== undefined) return nearest(found, hint);
    if (found.length === 1 || hunk.anchors.length > 0) return first;
    const places = found.slice(0, 10).map((at) => at + 1);
    throw new FileFault(
      'MANY_MATCHES',
      `${label} fits at ${found.length} places (lines ${places.join(', ')}). Add more context lines, or an @@ line that names the function or class it is in.`,
    );
  }
  const text = lines.map((line) => line.text).join('\n');
  const where = hunk.isAtEnd ? ' at the end of the file' : from > 0 ? ` after line ${from}` : '';
  throw new FileFault(
    'NO_MATCH',
    `${label} does not fit${where}: its context and removed lines are not there in this order. ${describeNearMatch(text, wanted.join('\n'))}`,
  );
}

function findAll(
  lines: readonly FileLine[],
  wanted: readonly string[],
  from: number,
  isSame: Sameness,
): number[] {
  const found: number[] = [];
  for (let at = from; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, index) => isSame(lines[at + index]?.text ?? '', line))) found.push(at);
  return found;
}

function nearest(found: readonly number[], hint: number): number {
  return found.reduce((best, at) => (Math.abs(at - hint) < Math.abs(best - hint) ? at : best));
}

function seekAnchors(
  lines: readonly FileLine[],
  anchors: readonly string[],
  from: number,
  label: string,
): number {
  let cursor = from;
  for (const anchor of anchors) {
    const found = SAMENESSES.map((isSame) => findAll(lines, [anchor], cursor, isSame)[0]).find(
      (at) => at !== undefined,
    );
    if (found === undefined)
      throw new FileFault(
        'NO_MATCH',
        `${label}: the line ${JSON.stringify(anchor)} after @@ is not in the file${cursor > 0 ? ` after line ${cursor}` : ''}.`,
      );
    cursor = found + 1;
  }
  return cursor;
}

function patched(hunk: Hunk, old: readonly FileLine[], ending: string): FileLine[] {
  const result: FileLine[] = [];
  let at = 0;
  for (const line of hunk.lines) {
    if (line.kind === 'add') {
      result.push({ text: line.text, ending });
      continue;
    }
    const found = old[at++];
    // Kept as the file has it, which may differ in white space from what the patch says.
    if (line.kind === 'keep' && found !== undefined) result.push(found);
  }
  return result;
}

/** Whether the last line stays without a line break: as the patch says, else as the file had it. */
function endsOpen(lines: readonly FileLine[], hunks: readonly Hunk[], cursor: number): boolean {
  const wasOpen = lines.length > 0 && lines.at(-1)?.ending === '';
  if (cursor < lines.length) return wasOpen;
  const last = hunks.at(-1)?.lines ?? [];
  if (!last.some((line) => line.isUnterminated)) return wasOpen;
  return last.findLast((line) => line.kind !== 'remove')?.isUnterminated === true;
}

function joinLines(lines: readonly FileLine[], ending: string, isOpen: boolean): string {
  let text = '';
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    text += line.text + (isLast && isOpen ? '' : line.ending === '' ? ending : line.ending);
  }
  return text;
}

function readLines(text: string): FileLine[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line): FileLine => {
    return line.endsWith('\r') ? { text: line.slice(0, -1), ending: '\r\n' } : { text: line, ending: '\n' };
  });
  const last = lines.pop();
  // The piece after the last line break: nothing, or a line without one (whose \r then belongs to the text).
  if (last !== undefined && last.text + last.ending !== '\n')
    lines.push({ text: last.ending === '\r\n' ? `${last.text}\r` : last.text, ending: '' });
  return lines;
}

/** Models write straight quotes and hyphens where a file has typographic ones. */
function plain(line: string): string {
  return line
    .trim()
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
}
