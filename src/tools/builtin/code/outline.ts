import type { Node } from 'web-tree-sitter';
import type { Grammars } from './grammars.ts';
import type { LanguageRow } from './languages.ts';

/** One definition in a file; lines and columns count from 1, columns in UTF-16 units. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: string;
  readonly line: number;
  readonly column: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Names of the definitions around it, outermost first, joined by dots. */
  readonly container: string;
}

const MAX_NAME_CHARACTERS = 120;

/** The definitions of a text in the order of the text; none when it cannot be parsed. */
export async function outline(text: string, row: LanguageRow, grammars: Grammars): Promise<CodeSymbol[]> {
  const parsed = await grammars.parse(text, row);
  if (!parsed) return [];
  const { tree, query } = parsed;
  try {
    const found = new Map<number, { name: Node; whole: Node; kind: string }>();
    for (const match of query.matches(tree.rootNode)) {
      const name = match.captures.find((capture) => capture.name === 'name')?.node;
      const whole = match.captures.find((capture) => capture.name !== 'name');
      // A name met by two patterns belongs to the first one, the more specific.
      const known = name && found.get(name.startIndex);
      if (!name || !whole || (known && rankOf(known.kind) <= rankOf(whole.name))) continue;
      found.set(name.startIndex, { name, whole: whole.node, kind: whole.name });
    }
    return withContainers(
      [...found.values()].sort((left, right) => left.name.startIndex - right.name.startIndex),
    );
  } finally {
    tree.delete();
  }
}

/** `const f = () => …` is a function before it is a constant; a method before it is a function. */
function rankOf(kind: string): number {
  return ['method', 'struct', 'interface', 'function', 'type', 'constant'].indexOf(kind);
}

function withContainers(found: readonly { name: Node; whole: Node; kind: string }[]): CodeSymbol[] {
  const open: { name: string; end: number }[] = [];
  return found.map(({ name, whole, kind }) => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= whole.startIndex) open.pop();
    const text = name.text
      .replace(/\s+/g, ' ')
      .replace(/^["']|["']$/g, '')
      .slice(0, MAX_NAME_CHARACTERS);
    const symbol = {
      name: text,
      kind,
      line: name.startPosition.row + 1,
      column: name.startPosition.column + 1,
      startLine: whole.startPosition.row + 1,
      endLine: lastLineOf(whole),
      container: open.map((outer) => outer.name).join('.'),
    };
    open.push({ name: text, end: whole.endIndex });
    return symbol;
  });
}

/** Some grammars end a definition with its line break. */
function lastLineOf(node: Node): number {
  const { row, column } = node.endPosition;
  return Math.max(node.startPosition.row, column === 0 ? row - 1 : row) + 1;
}
