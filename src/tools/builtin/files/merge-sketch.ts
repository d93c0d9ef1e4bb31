// Sketch edits: a file's new text with the unchanged stretches left out behind comments such as
// `// ... existing code ...`. Their inventor merges them with a second model; here only what has one reading is merged:
// each stretch of the sketch must begin and end with a line that is found exactly once where it may lie.
import { FileFault } from './file-fault.ts';
import { lineEndingOf, splitLines, withLineEnding } from './text-form.ts';

const MARKER =
  /^\s*(?:\/\/|#|--|;+|%|\/\*|<!--|\{\/\*|""")?\s*(?:\.{3}|…)\s*(?:.*\b(?:existing|unchanged|rest|other|remaining|previous|same|keep|omitted)\b.*)?(?:\.{3}|…)?\s*(?:\*\/\s*\}?|-->|""")?\s*$/i;

const REMEDY = 'Send the change as old_string and new_string (search_replace), or write the whole file.';

export function hasMarkers(sketch: string): boolean {
  return splitLines(sketch).some(isMarker);
}

/** A bare `...` is a statement in Python and a spread elsewhere: the marker needs a comment sign or words. */
function isMarker(line: string): boolean {
  return MARKER.test(line) && !/^\s*(?:\.{3}|…)\s*$/.test(line);
}

export function mergeSketch(text: string, sketch: string, name: string): string {
  const lines = splitLines(text.replaceAll('\r\n', '\n'));
  const stretches = splitStretches(sketch);
  const result: string[] = [];
  let cursor = 0;
  for (const [index, stretch] of stretches.entries()) {
    if (stretch.lines.length === 0) continue;
    const label = `part ${index + 1} of the sketch`;
    const start = stretch.isAfterMarker
      ? findEdge(lines, stretch.lines, { from: cursor, edge: 'first', label, name })
      : 0;
    const end = stretch.isBeforeMarker
      ? findEdge(lines, stretch.lines, { from: start, edge: 'last', label, name })
      : lines.length - 1;
    result.push(...lines.slice(cursor, start), ...stretch.lines);
    cursor = end + 1;
  }
  result.push(...lines.slice(cursor));
  const merged = result.join('\n') + (text === '' || text.endsWith('\n') ? '\n' : '');
  return withLineEnding(merged, lineEndingOf(text));
}

/** Without markers a sketch is the whole file if it begins and ends as the file does; else nobody can tell. */
export function isWholeFile(text: string, sketch: string): boolean {
  const old = filled(splitLines(text.replaceAll('\r\n', '\n')));
  const now = filled(splitLines(sketch.replaceAll('\r\n', '\n')));
  return old.length === 0 || (old[0] === now[0] && old.at(-1) === now.at(-1));
}

export function ambiguousSketch(name: string): FileFault {
  return new FileFault(
    'NO_MATCH',
    `The sketch does not say where in ${name} it belongs: it has no "existing code" comments and does not begin and end as the file does. ${REMEDY}`,
  );
}

interface Stretch {
  readonly lines: readonly string[];
  readonly isAfterMarker: boolean;
  readonly isBeforeMarker: boolean;
}

function splitStretches(sketch: string): Stretch[] {
  const stretches: Stretch[] = [];
  let lines: string[] = [];
  let isAfterMarker = false;
  const close = (isBeforeMarker: boolean) => {
    const kept = isAfterMarker || isBeforeMarker ? trimBlank(lines, isAfterMarker, isBeforeMarker) : lines;
    stretches.push({ lines: kept, isAfterMarker, isBeforeMarker });
    lines = [];
    isAfterMarker = true;
  };
  for (const line of splitLines(sketch.replaceAll('\r\n', '\n'))) {
    if (isMarker(line)) close(true);
    else lines.push(line);
  }
  if (trimBlank(lines, true, true).length > 0) close(false);
  return stretches;
}

/** Blank lines next to a marker belong to neither side. */
function trimBlank(lines: readonly string[], atStart: boolean, atEnd: boolean): string[] {
  const isFilled = (line: string) => line.trim() !== '';
  const first = atStart ? lines.findIndex(isFilled) : 0;
  const last = atEnd ? lines.findLastIndex(isFilled) : lines.length - 1;
  return first === -1 ? [] : lines.slice(first, last + 1);
}

interface Search {
  readonly from: number;
  readonly edge: 'first' | 'last';
  readonly label: string;
  readonly name: string;
}

function findEdge(lines: readonly string[], stretch: readonly string[], search: Search): number {
  const wanted = (search.edge === 'first' ? stretch[0] : stretch.at(-1)) ?? '';
  const found: number[] = [];
  for (let at = search.from; at < lines.length; at++)
    if (lines[at]?.trimEnd() === wanted.trimEnd()) found.push(at);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  const what = `the ${search.edge} line of ${search.label}, ${JSON.stringify(wanted)}, `;
  throw found.length === 0
    ? new FileFault('NO_MATCH', `Cannot merge the sketch: ${what}is not in ${search.name}. ${REMEDY}`)
    : new FileFault(
        'MANY_MATCHES',
        `Cannot merge the sketch: ${what}is in ${search.name} ${found.length} times. ${REMEDY}`,
      );
}

function filled(lines: readonly string[]): string[] {
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}
