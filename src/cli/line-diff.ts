const CONTEXT_LINES = 2;
/** Beyond this the table of a longest common subsequence gets large; settings files never are. */
const MAX_CELLS = 4_000_000;

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** A unified diff without headers: changed lines with a little of their surroundings. */
export function diffLines(before: string, after: string): string[] {
  const lines = compare(splitLines(before), splitLines(after));
  const shown = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  }
  const result: string[] = [];
  let last = -1;
  for (const [index, { mark, text }] of lines.entries()) {
    if (!shown.has(index)) continue;
    if (last !== -1 && index > last + 1) result.push('  …');
    result.push(`${mark} ${text}`.trimEnd());
    last = index;
  }
  return result;
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MAX_CELLS) {
    return [
      ...before.map((text): DiffLine => ({ mark: '-', text })),
      ...after.map((text): DiffLine => ({ mark: '+', text })),
    ];
  }
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const isSame = before[row] === after[column];
      const best = Math.max(at(row + 1, column), at(row, column + 1));
      table[row * width + column] = isSame ? at(row + 1, column + 1) + 1 : best;
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const removed = before[row];
    const added = after[column];
    if (removed !== undefined && removed === added) {
      lines.push({ mark: ' ', text: removed });
      row++;
      column++;
    } else if (removed !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: '-', text: removed });
      row++;
    } else {
      lines.push({ mark: '+', text: added ?? '' });
      column++;
    }
  }
  return lines;
}
