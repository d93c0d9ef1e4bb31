import type { HtmlElement } from './parse-html.ts';

const MAX_COLUMNS = 50;

/** A table of data as Markdown; undefined for one that only lays out a page. */
export function renderTable(
  table: HtmlElement,
  renderCell: (cell: HtmlElement) => string,
): string | undefined {
  if (table.attributes.role === 'presentation' || holdsTable(table)) return undefined;
  const rows = rowsOf(table).map((row) =>
    cellsOf(row).map((cell) => ({ cell, text: cellText(renderCell(cell)) })),
  );
  const filled = rows.filter((row) => row.some(({ text }) => text !== ''));
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns < 2 || columns > MAX_COLUMNS || filled.length < 2) return undefined;
  const [first = [], ...rest] = filled;
  // Without a heading row Markdown wants an empty one.
  const hasHead = first.every(({ cell }) => cell.tag === 'th');
  const head = hasHead ? first.map(({ text }) => text) : [];
  const body = (hasHead ? rest : filled).map((row) => row.map(({ text }) => text));
  const line = (texts: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, index) => texts[index] ?? '').join(' | ')} |`;
  const rule = `|${' --- |'.repeat(columns)}`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function cellText(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}

function holdsTable(element: HtmlElement): boolean {
  return element.children.some(
    (child) =>
      typeof child !== 'string' && (child.tag === 'table' || child.tag === 'pre' || holdsTable(child)),
  );
}

function rowsOf(element: HtmlElement): HtmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    if (child.tag === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.tag) ? rowsOf(child) : [];
  });
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return row.children.filter(
    (child): child is HtmlElement => typeof child !== 'string' && (child.tag === 'td' || child.tag === 'th'),
  );
}
