import path from 'node:path';
import type { PathReader } from './path-reader.ts';

/** Names kept per folder; beyond, files are only counted. */
const MAX_NAMES = 300;
/** Bytes of paths kept in all, and more for the upper folders; a listing shows a few hundred names. */
const MAX_KEPT_BYTES = 4_000_000;
const MAX_UPPER_BYTES = 16_000_000;
const UPPER_DEPTH = 2;
/** Folders kept at all; the files of others are counted to the nearest one above. */
const MAX_FOLDERS = 50_000;
/** Kinds of files told apart per folder: numbered logs would make a kind of every file. */
const MAX_EXTENSIONS = 100;
const DOT = 0x2e;

export interface Folder {
  readonly name: string;
  readonly depth: number;
  readonly folders: Map<string, Folder>;
  /** Paths of files here as they came, NUL-separated: most folders are never shown, so nobody makes names of them. */
  readonly kept: Buffer[];
  keptCount: number;
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
  #keptBytes = 0;

  // Files of one folder come together, and so do files of one kind: both are noted down by runs.
  #at = '';
  #folder = this.#root;
  #extension = '';
  #extensionCount = 0;
  #bytes: Buffer | undefined;
  #runStart = 0;
  #runEnd = 0;
  #runCount = 0;

  /** The file that `paths` stands at, in the folder `at` below the root. */
  add(at: string, paths: PathReader): void {
    if (at !== this.#at) {
      this.#endRuns();
      this.#at = at;
      this.#folder = this.#folderAt(at);
    }
    const { bytes, start, end } = paths;
    this.#countExtension(bytes, paths.nameStart, end);
    this.#folder.ownFileCount++;
    // Between two paths are a NUL and perhaps a `./`.
    if (bytes !== this.#bytes || start - this.#runEnd > 3) {
      this.#keepRun();
      this.#bytes = bytes;
      this.#runStart = start;
    }
    if (this.#folder.keptCount + this.#runCount >= MAX_NAMES) return;
    this.#runEnd = end;
    this.#runCount++;
  }

  /** A folder without files that can be listed. */
  addFolder(name: string): void {
    this.#folderAt(name);
  }

  /** Sums up; nothing is added afterwards. */
  finish(): Folder {
    this.#endRuns();
    addUp(this.#root);
    return this.#root;
  }

  #countExtension(bytes: Buffer, nameStart: number, end: number): void {
    let dot = end - 1;
    while (dot > nameStart && bytes[dot] !== DOT) dot--;
    if (dot <= nameStart) dot = end; // none, or a name that starts with it
    if (!this.#isSameExtension(bytes, dot, end)) {
      this.#endExtension();
      this.#extension = bytes.toString('utf8', dot, end);
    }
    this.#extensionCount++;
  }

  #isSameExtension(bytes: Buffer, dot: number, end: number): boolean {
    const known = this.#extension;
    // One that is not ASCII is never the same; it is counted all the same.
    if (known.length !== end - dot) return false;
    for (let index = 1; index < known.length; index++) {
      if (known.charCodeAt(index) !== bytes[dot + index]) return false;
    }
    return true;
  }

  #endRuns(): void {
    this.#endExtension();
    this.#keepRun();
    this.#bytes = undefined;
  }

  #endExtension(): void {
    if (this.#extensionCount > 0) addKind(this.#folder, this.#extension, this.#extensionCount);
    this.#extensionCount = 0;
  }

  #keepRun(): void {
    const size = this.#runEnd - this.#runStart;
    const bound = this.#folder.depth > UPPER_DEPTH ? MAX_KEPT_BYTES : MAX_UPPER_BYTES;
    if (this.#bytes && this.#runCount > 0 && this.#keptBytes + size <= bound) {
      this.#folder.kept.push(Buffer.from(this.#bytes.subarray(this.#runStart, this.#runEnd)));
      this.#folder.keptCount += this.#runCount;
      this.#keptBytes += size;
    }
    this.#runCount = 0;
  }

  #folderAt(at: string): Folder {
    const known = this.#folders.get(at);
    if (known) return known;
    const end = at.lastIndexOf(path.sep);
    const above = this.#folderAt(end === -1 ? '' : at.slice(0, end));
    if (this.#folders.size >= MAX_FOLDERS) return above;
    const made = newFolder(end === -1 ? at : at.slice(end + 1), above.depth + 1);
    above.folders.set(made.name, made);
    this.#folders.set(at, made);
    return made;
  }
}

function addUp(folder: Folder): void {
  folder.fileCount = folder.ownFileCount;
  for (const child of folder.folders.values()) {
    addUp(child);
    folder.fileCount += child.fileCount;
    for (const [extension, count] of child.extensions) addKind(folder, extension, count);
  }
}

function addKind(folder: Folder, extension: string, count: number): void {
  const known = folder.extensions.get(extension);
  if (known !== undefined || folder.extensions.size < MAX_EXTENSIONS)
    folder.extensions.set(extension, (known ?? 0) + count);
}

function newFolder(name: string, depth: number): Folder {
  return {
    name,
    depth,
    folders: new Map(),
    kept: [],
    keptCount: 0,
    fileCount: 0,
    ownFileCount: 0,
    extensions: new Map(),
  };
}
