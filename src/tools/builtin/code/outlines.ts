import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';
import { readSourceFile, type SourceText } from '../search/read-source-file.ts';
import { grammars, MAX_PARSED_CHARACTERS } from './grammars.ts';
import { languageOf } from './languages.ts';
import { type CodeSymbol, outline } from './outline.ts';

const MAX_CACHED_FILES = 5_000;

interface Cached {
  readonly mtimeMs: number;
  readonly size: number;
  readonly symbols: readonly CodeSymbol[];
}

/** The outlines of files as they are on disk, parsed again only when they have changed. */
export class Outlines {
  readonly #cache = new Map<string, Cached>();

  /** Undefined when the file cannot be read or has no grammar. */
  async of(absolute: string, context: ToolContext): Promise<OutlinedFile | undefined> {
    const row = languageOf(absolute);
    if (!row) return undefined;
    const source = await readSourceFile(absolute, context.workspace, MAX_PARSED_CHARACTERS);
    if (!source.ok) return undefined;
    const known = this.#cache.get(absolute);
    if (known?.mtimeMs === source.mtimeMs && known.size === source.size)
      return { source, symbols: known.symbols };
    const symbols = await outline(source.text, row, context.resources.get(grammars));
    if (this.#cache.size >= MAX_CACHED_FILES) this.#cache.clear();
    this.#cache.set(absolute, { mtimeMs: source.mtimeMs, size: source.size, symbols });
    return { source, symbols };
  }
}

export interface OutlinedFile {
  readonly source: Extract<SourceText, { ok: true }>;
  readonly symbols: readonly CodeSymbol[];
}

export const outlines = defineResource<Outlines>({ name: 'outlines', create: () => new Outlines() });
