import path from 'node:path';
import type { JsonObject } from '../../../core/index.ts';

/** Names kept per folder; beyond, files are only counted. */
const MAX_NAMES = 300;
/** Names kept in all, beyond those of the upper folders; a listing shows a few hundred. */
const MAX_KEPT_NAMES = 10_000;
const UPPER_DEPTH = 2;
/** Folders kept at all; the files of others are counted to the nearest one above. */
const MAX_FOLDERS = 50_000;

export interface Folder {
  readonly name: string;
  readonly depth: number;
  readonly folders: Map<string, Folder>;
  readonly files: string[];
  /** Files in this folder and below. */
  fileCount: number;
  /** Files directly here, also those beyond the names kept. */
  ownFileCount: number;
  readonly extensions: Map<string, number>;
}

/** A tree from a stream of paths, with bounded memory: every file is counted, not every one is kept. */
export class DirectoryTree {
  readonly #root: Folder = newFolder('', 0);
  /** By path; a folder that is not kept is known here as the nearest one above it that is. */
  readonly #folders = new Map<string, Folder>([['', this.#root]]);

  #lastPrefix = '';
  #lastFolder = this.#root;
  #lastExtension = '';
  #keptNames = 0;

  /** `file` below the root, with the platform's separators. */
  add(file: string): void {
    const end = file.lastIndexOf(path.sep) + 1;
    // A walk gives the files of a folder together.
    if (end !== this.#lastPrefix.length || !file.startsWith(this.#lastPrefix)) {
      this.#lastPrefix = file.slice(0, end);
      this.#lastFolder = this.#folder(file.slice(0, Math.max(0, end - 1)));
    }
    const folder = this.#lastFolder;
    const name = file.slice(end);
    const dot = name.lastIndexOf('.');
    // So do files of one kind.
    if (dot < 1 || name.length - dot !== this.#lastExtension.length || !name.endsWith(this.#lastExtension)) {
      this.#lastExtension = dot > 0 ? name.slice(dot) : '';
    }
    folder.extensions.set(this.#lastExtension, (folder.extensions.get(this.#lastExtension) ?? 0) + 1);
    folder.fileCount++;
    folder.ownFileCount++;
    if (folder.files.length >= MAX_NAMES || (this.#keptNames >= MAX_KEPT_NAMES && folder.depth > UPPER_DEPTH))
      return;
    folder.files.push(name);
    this.#keptNames++;
  }

  /** A folder without files that can be listed. */
  addFolder(name: string): void {
    this.#folder(name);
  }

  /** Sums up; nothing is added afterwards. */
  finish(): Folder {
    addUp(this.#root);
    return this.#root;
  }

  #folder(at: string): Folder {
    const known = this.#folders.get(at);
    if (known) return known;
    const end = at.lastIndexOf(path.sep);
    const above = this.#folder(end === -1 ? '' : at.slice(0, end));
    if (this.#folders.size >= MAX_FOLDERS) return above;
    const made = newFolder(end === -1 ? at : at.slice(end + 1), above.depth + 1);
    above.folders.set(made.name, made);
    this.#folders.set(at, made);
    return made;
  }
}

function addUp(folder: Folder): void {
  for (const child of folder.folders.values()) {
    addUp(child);
    folder.fileCount += child.fileCount;
    for (const [extension, count] of child.extensions) {
      folder.extensions.set(extension, (folder.extensions.get(extension) ?? 0) + count);
    }
  }
}

function newFolder(name: string, depth: number): Folder {
  return { name, depth, folders: new Map(), files: [], fileCount: 0, ownFileCount: 0, extensions: new Map() };
}

/** Breadth first: which folders are opened so that no more than `maxEntries` names are shown. */
export function chooseOpen(root: Folder, maxEntries: number): Set<Folder> {
  const open = new Set<Folder>([root]);
  let entries = sizeOf(root);
  let level = [...root.folders.values()];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (const folder of [...level].sort((left, right) => sizeOf(left) - sizeOf(right))) {
      const isKnown = folder.ownFileCount === 0 || folder.files.length > 0;
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
  return folder.folders.size + folder.files.length;
}

export function renderTree(root: Folder, open: ReadonlySet<Folder>): string {
  const lines: string[] = [];
  const visit = (folder: Folder, indent: string) => {
    for (const child of sorted(folder.folders)) {
      lines.push(`${indent}${child.name}/${open.has(child) ? '' : `  ${summaryOf(child)}`}`);
      if (open.has(child)) visit(child, `${indent}  `);
    }
    for (const name of [...folder.files].sort()) lines.push(`${indent}${name}`);
    const missing = folder.ownFileCount - folder.files.length;
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
      ? sorted(root.folders).map((child) => treeData(child, `${absolute}/${child.name}`, open))
      : [],
    children_files: isOpen ? [...root.files].sort().map((name) => ({ name })) : [],
    children_were_processed: isOpen,
    full_subtree_extension_counts: Object.fromEntries(root.extensions),
    num_files: root.fileCount,
  };
}

function sorted(folders: ReadonlyMap<string, Folder>): Folder[] {
  return [...folders.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}
