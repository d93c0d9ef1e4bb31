import path from 'node:path';
import type { JsonObject } from '../../../core/index.ts';
import type { Folder } from './directory-tree.ts';

/** Breadth first: which folders are opened so that no more than `maxEntries` names are shown. */
export function chooseOpen(root: Folder, maxEntries: number): Set<Folder> {
  const open = new Set<Folder>([root]);
  let entries = sizeOf(root);
  let level = [...root.folders.values()];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (const folder of [...level].sort((left, right) => sizeOf(left) - sizeOf(right))) {
      const isKnown = folder.ownFileCount === 0 || folder.keptCount > 0;
      if (entries + sizeOf(folder) > maxEntries || folder.fileCount === 0 || !isKnown) continue;
      open.add(folder);
      entries += sizeOf(folder);
      next.push(...folder.folders.values());
    }
    level = next;
  }
  return open;
}

function sizeOf(folder: Folder): number {
  return folder.folders.size + folder.keptCount;
}

/** Folders shown of one folder; only the one that was asked for can have more. */
const MAX_SHOWN_FOLDERS = 1_000;

export function renderTree(root: Folder, open: ReadonlySet<Folder>): string {
  const lines: string[] = [];
  const visit = (folder: Folder, indent: string) => {
    for (const child of shownFolders(folder)) {
      lines.push(`${indent}${child.name}/${open.has(child) ? '' : `  ${summaryOf(child)}`}`);
      if (open.has(child)) visit(child, `${indent}  `);
    }
    const more = folder.folders.size - MAX_SHOWN_FOLDERS;
    if (more > 0) lines.push(`${indent}… ${more} more folders here`);
    for (const name of namesIn(folder)) lines.push(`${indent}${name}`);
    const missing = folder.ownFileCount - folder.keptCount;
    if (missing > 0) lines.push(`${indent}… ${missing} more files here`);
  };
  visit(root, '');
  return lines.join('\n');
}

function summaryOf(folder: Folder): string {
  if (folder.fileCount === 0) return '(empty or ignored)';
  const common = [...folder.extensions].sort((left, right) => right[1] - left[1]).slice(0, 3);
  const kinds = common.map(
    ([extension, count]) => `${count} ${extension === '' ? 'without extension' : `*${extension}`}`,
  );
  return `(${folder.fileCount} file${folder.fileCount === 1 ? '' : 's'}: ${kinds.join(', ')})`;
}

/** In the shape of the native tree message. */
export function treeData(root: Folder, absolute: string, open: ReadonlySet<Folder>): JsonObject {
  const isOpen = open.has(root);
  return {
    abs_path: absolute,
    children_dirs: isOpen
      ? shownFolders(root).map((child) => treeData(child, `${absolute}/${child.name}`, open))
      : [],
    children_files: isOpen ? namesIn(root).map((name) => ({ name })) : [],
    children_were_processed: isOpen,
    full_subtree_extension_counts: Object.fromEntries(root.extensions),
    num_files: root.fileCount,
  };
}

function shownFolders(folder: Folder): Folder[] {
  return [...folder.folders.values()]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .slice(0, MAX_SHOWN_FOLDERS);
}

function namesIn(folder: Folder): string[] {
  return folder.kept
    .flatMap((paths) => paths.toString('utf8').split('\0'))
    .map((file) => file.slice(file.lastIndexOf(path.sep) + 1))
    .sort();
}
