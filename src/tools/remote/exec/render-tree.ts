import type { JsonObject } from '../../../core/index.ts';
import { listOf } from '../../codecs/result-form.ts';
import { objectAt } from '../../codecs/search-forms.ts';

export interface RenderedTree {
  readonly lines: readonly string[];
  /** In the folder and below, as far as the client has counted. */
  readonly fileCount: number;
}

/** A model reads no more entries of one listing; the rest is counted. */
const MAX_LINES = 1_000;
const MAX_KINDS = 3;

/** An `LsDirectoryTreeNode` as an indented list: folders first, those that were not opened with what they hold. */
export function renderTree(root: JsonObject): RenderedTree {
  const lines: string[] = [];
  const visit = (node: JsonObject, indent: string): void => {
    for (const child of sorted(listOf(node.children_dirs), (one) => lastName(one.abs_path))) {
      lines.push(`${indent}${lastName(child.abs_path)}/${isOpen(child) ? '' : `  ${summaryOf(child)}`}`);
      visit(child, `${indent}  `);
    }
    for (const file of sorted(listOf(node.children_files), (one) => String(one.name ?? '')))
      lines.push(`${indent}${file.name ?? ''}`);
  };
  visit(root, '  ');
  const rest = lines.length - MAX_LINES;
  const shown =
    rest > 0 ? [...lines.slice(0, MAX_LINES), `  … ${rest} more entries; list a folder below`] : lines;
  return { lines: shown, fileCount: countFiles(root) };
}

function isOpen(node: JsonObject): boolean {
  return node.children_were_processed === true || listOf(node.children_files).length > 0;
}

function countFiles(node: JsonObject): number {
  const below = listOf(node.children_dirs).reduce(
    (sum, child) => sum + countFiles(child),
    listOf(node.children_files).length,
  );
  return Math.max(Number(node.num_files ?? 0), below);
}

function summaryOf(node: JsonObject): string {
  const count = countFiles(node);
  if (count === 0) return '(not opened)';
  const kinds = Object.entries(objectAt(node, 'full_subtree_extension_counts'))
    .sort((left, right) => Number(right[1]) - Number(left[1]))
    .slice(0, MAX_KINDS)
    .map(([extension, number]) => `${number} ${extension === '' ? 'without extension' : `*${extension}`}`);
  return `(${count} file${count === 1 ? '' : 's'}${kinds.length === 0 ? '' : `: ${kinds.join(', ')}`})`;
}

function lastName(path: unknown): string {
  return (
    String(path ?? '')
      .split(/[\\/]/)
      .findLast((part) => part !== '') ?? ''
  );
}

function sorted(nodes: readonly JsonObject[], nameOf: (node: JsonObject) => string): JsonObject[] {
  return [...nodes].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}
