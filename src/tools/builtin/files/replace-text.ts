// Search and replace on the text of a file. Line endings are compared as equal and what is put in takes the file's
// own; the parts of a match that the new text repeats are left untouched, so that mixed endings survive.
import { FileFault } from './file-fault.ts';
import { describeNearMatch } from './near-match.ts';
import { lineEndingOf, withLineEnding } from './text-form.ts';

export interface Replacement {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
  /** Fall back to lines that are equal but for white space. */
  readonly mayIgnoreWhitespace?: boolean;
  /** Only matches that begin in one of these, 1-based and inclusive. */
  readonly lineRanges?: readonly { readonly start: number; readonly end: number }[];
}

export interface Replaced {
  readonly text: string;
  readonly count: number;
}

/** Line numbers named in an error; more would only repeat the point. */
const MAX_NAMED_LINES = 10;

/** One after another, each on the result of the one before; a fault in any leaves nothing done. */
export function replaceAllInOrder(
  text: string,
  replacements: readonly Replacement[],
  name: string,
): Replaced {
  let current = text;
  let count = 0;
  for (const [index, replacement] of replacements.entries()) {
    try {
      const replaced = replaceText(current, replacement, name);
      current = replaced.text;
      count += replaced.count;
    } catch (error) {
      if (!(error instanceof FileFault) || replacements.length === 1) throw error;
      throw new FileFault(
        error.code,
        `Edit ${index + 1} of ${replacements.length} failed, so none was applied. ${error.message}`,
        { ...error.data, failed_edit: index },
      );
    }
  }
  return { text: current, count };
}

export function replaceText(text: string, replacement: Replacement, name: string): Replaced {
  const wanted = replacement.oldString.replaceAll('\r\n', '\n');
  const given = replacement.newString.replaceAll('\r\n', '\n');
  if (wanted === '')
    throw new FileFault(
      'EINVAL',
      `old_string is empty but ${name} has content. Give the text to replace, or write the whole file.`,
    );
  if (wanted === given)
    throw new FileFault('EINVAL', 'old_string and new_string are the same; there is nothing to change.');
  const flat = flatten(text);
  const matches = findMatches(flat.text, wanted, replacement);
  if (matches.length === 0)
    throw new FileFault(
      'NO_MATCH',
      `old_string was not found in ${name}. ${describeNearMatch(flat.text, wanted)}`,
      { num_matches: 0 },
    );
  if (matches.length > 1 && !replacement.replaceAll) throw ambiguous(flat.text, matches, name);
  return { text: splice(text, flat, matches, given), count: matches.length };
}

interface Match {
  readonly start: number;
  readonly end: number;
}

function findMatches(flat: string, wanted: string, replacement: Replacement): Match[] {
  const exact: Match[] = [];
  for (let at = flat.indexOf(wanted); at !== -1; at = flat.indexOf(wanted, at + wanted.length))
    exact.push({ start: at, end: at + wanted.length });
  const found = exact.length > 0 || !replacement.mayIgnoreWhitespace ? exact : matchLines(flat, wanted);
  const ranges = replacement.lineRanges;
  if (ranges === undefined || ranges.length === 0) return found;
  return found.filter((match) => {
    const line = lineAt(flat, match.start);
    return ranges.some((range) => line >= range.start && line <= range.end);
  });
}

/** Whole lines that are equal once white space is set aside. */
function matchLines(flat: string, wanted: string): Match[] {
  const wantedLines = wanted.replace(/\n$/, '').split('\n').map(bare);
  if (wantedLines.every((line) => line === '')) return [];
  const lines = flat.split('\n');
  const bared = lines.map(bare);
  const matches: Match[] = [];
  let start = 0;
  for (let at = 0; at + wantedLines.length <= lines.length; at++) {
    if (wantedLines.every((line, index) => bared[at + index] === line)) {
      const length = lines.slice(at, at + wantedLines.length).join('\n').length;
      matches.push({ start, end: start + length + (wanted.endsWith('\n') ? 1 : 0) });
    }
    start += (lines[at]?.length ?? 0) + 1;
  }
  return matches;
}

function bare(line: string): string {
  return line.replace(/\s+/g, '');
}

function ambiguous(flat: string, matches: readonly Match[], name: string): FileFault {
  const lines = matches.slice(0, MAX_NAMED_LINES).map((match) => lineAt(flat, match.start));
  const more = matches.length > lines.length ? ' and more' : '';
  return new FileFault(
    'MANY_MATCHES',
    `old_string occurs ${matches.length} times in ${name}, at lines ${lines.join(', ')}${more}. Add surrounding lines until it is unique, or set replace_all to change every one.`,
    { num_matches: matches.length },
  );
}

function lineAt(flat: string, position: number): number {
  let line = 1;
  for (let at = flat.indexOf('\n'); at !== -1 && at < position; at = flat.indexOf('\n', at + 1)) line++;
  return line;
}

interface FlatText {
  readonly text: string;
  /** Where in the flat text a carriage return was taken out, ascending. */
  readonly returns: readonly number[];
}

function flatten(text: string): FlatText {
  const returns: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2))
    returns.push(at - returns.length);
  return { text: returns.length === 0 ? text : text.replaceAll('\r\n', '\n'), returns };
}

/** A place in the flat text, in the text as stored; before a line break means before its carriage return. */
function storedPosition(flat: FlatText, position: number): number {
  let low = 0;
  let high = flat.returns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((flat.returns[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return position + low;
}

function splice(text: string, flat: FlatText, matches: readonly Match[], given: string): string {
  const fileEnding = lineEndingOf(text);
  let result = '';
  let done = 0;
  for (const match of matches) {
    const found = flat.text.slice(match.start, match.end);
    const head = commonPrefix(found, given);
    const tail = commonSuffix(found.slice(head), given.slice(head));
    const start = storedPosition(flat, match.start + head);
    const end = storedPosition(flat, match.end - tail);
    const stored = text.slice(storedPosition(flat, match.start), storedPosition(flat, match.end));
    const ending = stored.includes('\n') ? lineEndingOf(stored) : fileEnding;
    result += text.slice(done, start) + withLineEnding(given.slice(head, given.length - tail), ending);
    done = end;
  }
  return result + text.slice(done);
}

function commonPrefix(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && left[length] === right[length]) length++;
  return length;
}

function commonSuffix(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && left[left.length - 1 - length] === right[right.length - 1 - length]) length++;
  return length;
}
