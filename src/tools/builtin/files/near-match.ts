/** Above this many lines only exact equals of some line are looked for, so that an error comes at once. */
const MAX_COMPARED_LINES = 20_000;
const MAX_SCORED_LINES = 40;
const MAX_CANDIDATES = 200;
const MAX_SHOWN_LINES = 12;
const LEAST_LIKENESS = 0.5;

/** Why a text is not in the file, for whoever will try again: the nearest lines with their numbers. */
export function describeNearMatch(text: string, wanted: string): string {
  return (
    describePrefixes(text, wanted) ??
    describeEscapes(text, wanted) ??
    describeNearestLines(text, wanted) ??
    'Nothing like it is there; read the file again.'
  );
}

/** Text copied from a numbered listing. */
function describePrefixes(text: string, wanted: string): string | undefined {
  const lines = wanted.split('\n').filter((line) => line.trim() !== '');
  const prefix = /^\s*\d+(?:\||\t|: |→)/;
  if (lines.length === 0 || !lines.every((line) => prefix.test(line))) return undefined;
  const stripped = wanted.replace(new RegExp(prefix.source, 'gm'), '');
  return text.includes(stripped)
    ? 'It begins its lines with line numbers, which are not part of the file; leave them out.'
    : undefined;
}

/** Escapes that were written twice. */
function describeEscapes(text: string, wanted: string): string | undefined {
  const unescaped = wanted
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\"', '"')
    .replaceAll("\\'", "'")
    .replaceAll('\\\\', '\\');
  return unescaped !== wanted && text.includes(unescaped)
    ? 'It would match with its escapes (such as \\n or \\") undone; send the characters themselves.'
    : undefined;
}

function describeNearestLines(text: string, wanted: string): string | undefined {
  const wantedLines = wanted.replace(/\n$/, '').split('\n');
  const lines = text.split('\n');
  const best = nearestWindow(lines, wantedLines);
  if (best === undefined) return undefined;
  const found = lines.slice(best, best + wantedLines.length);
  const first = wantedLines.findIndex((line, index) => line !== found[index]);
  const where = `lines ${best + 1}-${best + found.length}`;
  if (wantedLines.every((line, index) => collapse(line) === collapse(found[index] ?? '')))
    return [
      `The text at ${where} differs only in white space (→ is a tab, · a space). First difference, line ${best + 1 + first}:`,
      `  file:       ${showSpaces(found[first] ?? '')}`,
      `  old_string: ${showSpaces(wantedLines[first] ?? '')}`,
    ].join('\n');
  return [
    `The nearest text is at ${where}:`,
    ...found
      .slice(0, MAX_SHOWN_LINES)
      .map((line, index) => `${String(best + 1 + index).padStart(6)}|${line}`),
    ...(found.length > MAX_SHOWN_LINES ? [`  (${found.length - MAX_SHOWN_LINES} more lines)`] : []),
    `First difference, line ${best + 1 + first}: old_string has ${JSON.stringify(wantedLines[first] ?? '')}.`,
  ].join('\n');
}

/** Windows that share a line with the wanted text are scored in full; without any, the likest line decides. */
function nearestWindow(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const collapsed = lines.map(collapse);
  const target = wanted.map(collapse);
  const starts = new Set<number>();
  const places = new Map<string, number[]>();
  for (const [index, line] of target.slice(0, MAX_SCORED_LINES).entries())
    if (line.length > 3) places.set(line, [...(places.get(line) ?? []), index]);
  for (const [at, line] of collapsed.entries())
    for (const index of places.get(line) ?? [])
      if (starts.size < MAX_CANDIDATES && at >= index) starts.add(at - index);
  if (starts.size === 0 && lines.length <= MAX_COMPARED_LINES) {
    const longest = target.reduce(
      (best, line, index) => (line.length > (target[best] ?? '').length ? index : best),
      0,
    );
    const at = likest(collapsed, target[longest] ?? '');
    if (at !== undefined && at >= longest) starts.add(at - longest);
  }
  let best: { start: number; score: number } | undefined;
  for (const start of starts) {
    const score = scoreWindow(collapsed, target, start);
    if (score >= LEAST_LIKENESS && score > (best?.score ?? 0)) best = { start, score };
  }
  return best?.start;
}

function scoreWindow(lines: readonly string[], wanted: readonly string[], start: number): number {
  const scored = wanted.slice(0, MAX_SCORED_LINES);
  const sum = scored.reduce((total, line, index) => total + likeness(line, lines[start + index] ?? ''), 0);
  return sum / scored.length;
}

function likest(lines: readonly string[], wanted: string): number | undefined {
  let best: number | undefined;
  let bestScore = LEAST_LIKENESS;
  for (const [at, line] of lines.entries()) {
    const score = likeness(wanted, line);
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  return best;
}

/** Dice's coefficient over pairs of neighbouring characters: 1 for equal, 0 for nothing in common. */
function likeness(left: string, right: string): number {
  if (left === right) return 1;
  const longest = Math.max(left.length, right.length);
  if (longest > 3 * Math.min(left.length, right.length) || longest > 2_000) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < left.length; at++) {
    const pair = left.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at + 1 < right.length; at++) {
    const pair = right.slice(at, at + 2);
    const count = pairs.get(pair) ?? 0;
    if (count === 0) continue;
    common++;
    pairs.set(pair, count - 1);
  }
  return (2 * common) / Math.max(1, left.length + right.length - 2);
}

function collapse(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function showSpaces(line: string): string {
  return line
    .replaceAll('\t', '→')
    .replace(/^[ →]+/, (run) => run.replaceAll(' ', '·'))
    .replace(/ +$/, (run) => '·'.repeat(run.length))
    .replace(/ {2,}/g, (run) => '·'.repeat(run.length))
    .replaceAll('\u00a0', '⍽');
}
