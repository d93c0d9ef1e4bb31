import { stripVTControlCharacters } from 'node:util';
import { trimMiddle } from '../../trim-output.ts';
import { type OutputSlice, textOfSegments } from './kept-output.ts';

/** What a model reads of an output: as a screen would show it, the middle left out when it is long. */
export function showOutput(slice: OutputSlice, maxCharacters: number, hint: string): string {
  if (slice.missedBytes === 0)
    return trimMiddle(asOnScreen(textOfSegments(slice.segments)), maxCharacters, hint).text;
  const head = asOnScreen(textOfSegments(slice.segments.slice(0, slice.segmentsBeforeGap)));
  const tail = asOnScreen(textOfSegments(slice.segments.slice(slice.segmentsBeforeGap)));
  const half = Math.floor(maxCharacters / 2);
  const before = cutAfterLine(head.slice(0, half));
  const after = cutBeforeLine(tail.slice(-half));
  const cut = head.length - before.length + tail.length - after.length;
  const notice = `[… about ${slice.missedBytes + cut} characters left out${hint === '' ? '' : `; ${hint}`} …]`;
  return `${before}\n${notice}\n${after}`;
}

/** Without colours and cursor movements; of a line that was overwritten (progress bars), its last state. */
export function asOnScreen(text: string): string {
  if (!['\u001b', '\u009b', '\r'].some((control) => text.includes(control))) return text;
  const plain = stripVTControlCharacters(text).replaceAll('\r\n', '\n');
  if (!plain.includes('\r')) return plain;
  return plain
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
}

function cutAfterLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return (end > text.length / 2 ? text.slice(0, end) : text).replace(/[\ud800-\udbff]$/, '');
}

function cutBeforeLine(text: string): string {
  const start = text.indexOf('\n');
  return (start !== -1 && start < text.length / 2 ? text.slice(start + 1) : text).replace(
    /^[\udc00-\udfff]/,
    '',
  );
}
