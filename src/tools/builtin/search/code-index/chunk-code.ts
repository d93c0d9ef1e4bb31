import type { CodeSymbol } from '../../code/outline.ts';

export interface CodeChunk {
  /** Lines count from 1; the last one belongs to the chunk. */
  readonly startLine: number;
  readonly endLine: number;
  /** Definitions that begin in the chunk, and those it lies in. */
  readonly names: readonly string[];
  readonly text: string;
}

const MIN_LINES = 12;
const MAX_LINES = 80;
const MAX_CHARACTERS = 8_000;

/** Cuts where definitions begin, comments above them included; without definitions, at blank lines. */
export function chunkCode(text: string, symbols: readonly CodeSymbol[]): CodeChunk[] {
  const lines = text.split(/\r?\n/);
  const cuts = symbols.length > 0 ? cutsBeforeSymbols(lines, symbols) : cutsAtBlanks(lines);
  const chunks: CodeChunk[] = [];
  let start = 0;
  let characters = 0;
  for (let index = 0; index <= lines.length; index++) {
    const length = index - start;
    const isCut = cuts.has(index) && length >= MIN_LINES;
    const isFull =
      length >= MAX_LINES || (length > 0 && characters + (lines[index]?.length ?? 0) > MAX_CHARACTERS);
    if (index === lines.length || isCut || isFull) {
      const chunk = chunkOf(lines, start, index, symbols);
      if (chunk) chunks.push(chunk);
      start = index;
      characters = 0;
    }
    characters += (lines[index]?.length ?? 0) + 1;
  }
  return chunks;
}

function chunkOf(
  lines: readonly string[],
  start: number,
  end: number,
  symbols: readonly CodeSymbol[],
): CodeChunk | undefined {
  const text = lines
    .slice(start, end)
    .join('\n')
    .slice(0, MAX_CHARACTERS * 2);
  if (text.trim() === '') return undefined;
  const names = symbols
    .filter((symbol) => symbol.startLine <= end && symbol.endLine > start)
    .map((symbol) => symbol.name);
  return { startLine: start + 1, endLine: end, names: [...new Set(names)].slice(0, 40), text };
}

function cutsBeforeSymbols(lines: readonly string[], symbols: readonly CodeSymbol[]): Set<number> {
  const cuts = new Set<number>();
  for (const symbol of symbols) {
    let index = symbol.startLine - 1;
    while (index > 0 && /^\s*(?:\/\/|\/\*|\*|#|--|@|"""|''')/.test(lines[index - 1] ?? '')) index--;
    cuts.add(index);
  }
  return cuts;
}

/** A heading or the first line after a gap. */
function cutsAtBlanks(lines: readonly string[]): Set<number> {
  const cuts = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (/^#{1,6} /.test(line) || (line.trim() !== '' && lines[index - 1]?.trim() === '')) cuts.add(index);
  }
  return cuts;
}
