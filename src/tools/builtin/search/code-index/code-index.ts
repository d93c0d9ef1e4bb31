import MiniSearch, { type AsPlainObject, type Options } from 'minisearch';
import type { CodeChunk } from './chunk-code.ts';
import { normaliseTerm, tokenizeCode } from './tokenize-code.ts';

/** How a file stood when it was last indexed. */
export interface IndexedFile {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ids: readonly number[];
}

export interface ChunkHit {
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
}

export interface StoredIndex {
  readonly version: number;
  readonly nextId: number;
  readonly files: readonly (readonly [string, IndexedFile])[];
  readonly search: AsPlainObject;
}

interface ChunkDocument {
  readonly id: number;
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly names: string;
  readonly text: string;
}

/** Raise it when chunks or terms are made differently; an older stored index is then made anew. */
export const INDEX_VERSION = 1;

const OPTIONS: Options<ChunkDocument> = {
  fields: ['names', 'file', 'text'],
  storeFields: ['file', 'startLine', 'endLine'],
  tokenize: tokenizeCode,
  processTerm: normaliseTerm,
};

/** BM25 over chunks of code. The text itself is not kept: it is read again from the file when it is shown. */
export class CodeIndex {
  readonly files: Map<string, IndexedFile>;
  readonly #search: MiniSearch<ChunkDocument>;
  #nextId: number;

  constructor(stored?: StoredIndex) {
    this.files = new Map(stored?.files);
    this.#nextId = stored?.nextId ?? 1;
    this.#search = stored ? MiniSearch.loadJS(stored.search, OPTIONS) : new MiniSearch(OPTIONS);
  }

  get chunkCount(): number {
    return this.#search.documentCount;
  }

  isFresh(file: string, mtimeMs: number, size: number): boolean {
    const known = this.files.get(file);
    return known !== undefined && known.mtimeMs === mtimeMs && known.size === size;
  }

  put(file: string, stamp: { mtimeMs: number; size: number }, chunks: readonly CodeChunk[]): void {
    this.remove(file);
    const ids: number[] = [];
    for (const { startLine, endLine, names, text } of chunks) {
      const id = this.#nextId++;
      this.#search.add({ id, file, startLine, endLine, names: names.join(' '), text });
      ids.push(id);
    }
    this.files.set(file, { mtimeMs: stamp.mtimeMs, size: stamp.size, ids });
  }

  remove(file: string): void {
    const known = this.files.get(file);
    if (!known) return;
    this.#search.discardAll([...known.ids]);
    this.files.delete(file);
  }

  query(text: string, limit: number, isWanted: (file: string) => boolean): ChunkHit[] {
    const results = this.#search.search(text, {
      boost: { names: 3, file: 2, text: 1 },
      combineWith: 'OR',
      prefix: (term) => term.length > 3,
      weights: { prefix: 0.3, fuzzy: 0.2 },
      filter: (result) => isWanted(String(result.file)),
    });
    return results.slice(0, limit).map((result) => ({
      file: String(result.file),
      startLine: Number(result.startLine),
      endLine: Number(result.endLine),
      score: result.score,
    }));
  }

  toStored(): StoredIndex {
    return {
      version: INDEX_VERSION,
      nextId: this.#nextId,
      files: [...this.files],
      search: this.#search.toJSON(),
    };
  }
}
