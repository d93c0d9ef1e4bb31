import { stat } from 'node:fs/promises';
import { defineResource } from '../../../resources.ts';
import type { ToolContext } from '../../../tool-context.ts';
import { grammars } from '../../code/grammars.ts';
import { languageOf } from '../../code/languages.ts';
import { outline } from '../../code/outline.ts';
import { absoluteOf, listFiles } from '../list-files.ts';
import { readSourceFile } from '../read-source-file.ts';
import type { SearchRoot } from '../search-root.ts';
import { chunkCode } from './chunk-code.ts';
import type { CodeIndex } from './code-index.ts';
import { indexFileOf, loadIndex, saveIndex } from './index-storage.ts';
import { isIndexable } from './indexable-file.ts';
import { tokenizeCode } from './tokenize-code.ts';

export interface IndexLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /** Of one refresh; what is left over is indexed by the next one. */
  readonly timeLimitMs: number;
}

export const INDEX_LIMITS: IndexLimits = { maxFiles: 20_000, maxFileBytes: 400_000, timeLimitMs: 15_000 };

export interface Refresh {
  /** Files in the index now. */
  readonly indexed: number;
  /** Files that should be in it but for the limits. */
  readonly missing: number;
  readonly changed: number;
}

const STAT_BATCH = 64;
const MAX_LISTED = 500_000;

/** The index of one workspace: brought up to date before each query, kept on disk between processes. */
export class WorkspaceIndex {
  readonly #storage: string;
  #index: Promise<CodeIndex> | undefined;
  #refreshing: Promise<unknown> = Promise.resolve();
  #isDirty = false;

  constructor(storage: string) {
    this.#storage = storage;
  }

  index(): Promise<CodeIndex> {
    this.#index ??= loadIndex(this.#storage);
    return this.#index;
  }

  /** One at a time; whoever comes second finds little left to do. */
  refresh(root: SearchRoot, context: ToolContext, query: string, limits = INDEX_LIMITS): Promise<Refresh> {
    const run = () => this.#refresh(root, context, query, limits);
    const refreshing = this.#refreshing.then(run, run);
    this.#refreshing = refreshing.catch(() => undefined);
    return refreshing;
  }

  async #refresh(
    root: SearchRoot,
    context: ToolContext,
    query: string,
    limits: IndexLimits,
  ): Promise<Refresh> {
    const deadline = context.nowMs() + limits.timeLimitMs;
    const index = await this.index();
    const wasEmpty = index.files.size === 0;
    const listed = await indexableFiles(root, context);
    const { files, left } = withinLimit(listed.files, index, limits.maxFiles);
    let changed = 0;
    // A list cut short says nothing about the files that are not in it.
    for (const file of listed.isComplete ? [...index.files.keys()] : []) {
      if (files.has(file)) continue;
      index.remove(file);
      changed++;
    }
    const stale = await staleFiles([...files], root, index);
    sortByPromise(stale, query);
    let done = 0;
    for (const { file, stamp } of stale) {
      if (context.signal.aborted || context.nowMs() > deadline) break;
      await indexFile(index, file, stamp, absoluteOf(root, file), context, limits.maxFileBytes);
      if (++done % 50 === 0) {
        context.progress({
          text: `Indexed ${done} of ${stale.length} changed files`,
          fraction: done / stale.length,
        });
        // Parsing holds the thread; others get their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    changed += done;
    this.#isDirty ||= changed > 0;
    if (wasEmpty) await this.save();
    return { indexed: index.files.size, missing: left + stale.length - done, changed };
  }

  async save(): Promise<void> {
    if (!this.#isDirty || !this.#index) return;
    this.#isDirty = false;
    // The index is a convenience: a full disk must not fail a search.
    await saveIndex(this.#storage, await this.#index).catch(() => undefined);
  }
}

/** Every workspace's index, by its root. */
export class WorkspaceIndexes {
  readonly #indexes = new Map<string, WorkspaceIndex>();

  of(root: SearchRoot, context: ToolContext): WorkspaceIndex {
    const known = this.#indexes.get(root.workspaceRoot);
    if (known) return known;
    const made = new WorkspaceIndex(indexFileOf(context.stateFolder, root.workspaceRoot));
    this.#indexes.set(root.workspaceRoot, made);
    return made;
  }

  async dispose(): Promise<void> {
    for (const index of this.#indexes.values()) await index.save();
  }
}

export const workspaceIndexes = defineResource<WorkspaceIndexes>({
  name: 'workspaceIndexes',
  create: () => new WorkspaceIndexes(),
  dispose: (value) => value.dispose(),
});

interface Stale {
  readonly file: string;
  readonly stamp: { readonly mtimeMs: number; readonly size: number };
}

/** A file that cannot be indexed is remembered as empty, so that it is not tried again until it changes. */
async function indexFile(
  index: CodeIndex,
  file: string,
  stamp: Stale['stamp'],
  absolute: string,
  context: ToolContext,
  maxBytes: number,
): Promise<void> {
  const source = await readSourceFile(absolute, context.workspace, maxBytes);
  if (!source.ok) return index.put(file, stamp, []);
  const row = languageOf(file);
  const symbols = row ? await outline(source.text, row, context.resources.get(grammars)).catch(() => []) : [];
  index.put(file, source, chunkCode(source.text, symbols));
}

async function indexableFiles(root: SearchRoot, context: ToolContext) {
  const files: string[] = [];
  const options = { ignoreFiles: ['.cursorindexingignore'] };
  const end = await listFiles(root, context, options, (file) => {
    if (isIndexable(file)) files.push(file);
    return files.length < MAX_LISTED;
  });
  return { files, isComplete: end.reason === 'done' || end.reason === 'stopped' };
}

/** Known files stay, so that a tree beyond the limit does not churn; then shallow ones, then by name. */
function withinLimit(listed: readonly string[], index: CodeIndex, maxFiles: number) {
  if (listed.length <= maxFiles) return { files: new Set(listed), left: 0 };
  const rank = (file: string) => (index.files.has(file) ? -1 : file.split(/[\\/]/).length);
  const ranked = listed.map((file) => ({ file, rank: rank(file) }));
  ranked.sort((left, right) => left.rank - right.rank || (left.file < right.file ? -1 : 1));
  return {
    files: new Set(ranked.slice(0, maxFiles).map(({ file }) => file)),
    left: listed.length - maxFiles,
  };
}

async function staleFiles(files: readonly string[], root: SearchRoot, index: CodeIndex): Promise<Stale[]> {
  const stale: Stale[] = [];
  for (let start = 0; start < files.length; start += STAT_BATCH) {
    const batch = files.slice(start, start + STAT_BATCH);
    const stats = await Promise.all(batch.map((file) => stat(absoluteOf(root, file)).catch(() => undefined)));
    for (const [position, file] of batch.entries()) {
      const found = stats[position];
      if (found && !index.isFresh(file, found.mtimeMs, found.size)) stale.push({ file, stamp: found });
    }
  }
  return stale;
}

/** When time may run out, paths that share words with the query come first, then shallow ones. */
function sortByPromise(stale: Stale[], query: string): void {
  const words = new Set(tokenizeCode(query).map((word) => word.toLowerCase()));
  const rank = new Map(
    stale.map(({ file }) => {
      const shared = tokenizeCode(file).filter((word) => words.has(word.toLowerCase())).length;
      return [file, shared * 100 - file.split(/[\\/]/).length] as const;
    }),
  );
  stale.sort(
    (left, right) =>
      (rank.get(right.file) ?? 0) - (rank.get(left.file) ?? 0) || (left.file < right.file ? -1 : 1),
  );
}
