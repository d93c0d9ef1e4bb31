import type { ToolContext } from '../../tool-context.ts';
import { comparePaths } from '../search/compare-paths.ts';
import { CursorIgnore } from '../search/cursor-ignore.ts';
import { absoluteOf } from '../search/list-files.ts';
import { ignoreArguments, runRipgrep, withoutDotSlash } from '../search/ripgrep.ts';
import type { SearchRoot } from '../search/search-root.ts';
import { LANGUAGES, type LanguageRow } from './languages.ts';
import type { CodeSymbol } from './outline.ts';
import { outlines } from './outlines.ts';

export interface FoundSymbol extends CodeSymbol {
  /** Relative to the workspace. */
  readonly file: string;
}

export interface SymbolSearch {
  /** Regular expression of ripgrep that any file with a wanted symbol contains. */
  readonly textPattern: string;
  readonly ignoresCase: boolean;
  readonly isWanted: (symbol: CodeSymbol) => boolean;
  readonly languages?: readonly LanguageRow[];
  readonly maxFiles: number;
  readonly deadlineMs: number;
}

export interface SymbolSearchResult {
  readonly symbols: FoundSymbol[];
  readonly filesSearched: number;
  /** False when files were left out for want of time or because there were too many. */
  readonly isComplete: boolean;
}

/** Ripgrep finds the files that could hold it, tree-sitter says what is a definition in them. */
export async function findSymbols(
  search: SymbolSearch,
  root: SearchRoot,
  context: ToolContext,
): Promise<SymbolSearchResult> {
  const { files, isComplete } = await candidates(search, root, context);
  const symbols: FoundSymbol[] = [];
  let filesSearched = 0;
  for (const file of files) {
    if (context.signal.aborted || context.nowMs() > search.deadlineMs) break;
    const outlined = await context.resources.get(outlines).of(absoluteOf(root, file), context);
    filesSearched++;
    for (const symbol of outlined?.symbols ?? [])
      if (search.isWanted(symbol)) symbols.push({ ...symbol, file });
  }
  return { symbols, filesSearched, isComplete: isComplete && filesSearched === files.length };
}

async function candidates(search: SymbolSearch, root: SearchRoot, context: ToolContext) {
  const extensions = (search.languages ?? LANGUAGES).flatMap((row) =>
    row.extensions.map((extension) => extension.slice(1)),
  );
  const hidden = new CursorIgnore(root.workspaceRoot);
  const files: string[] = [];
  const args = ['--files-with-matches', '--null', '--no-messages', ...ignoreArguments(root.workspaceRoot)];
  args.push(search.ignoresCase ? '--ignore-case' : '--case-sensitive', '--max-filesize=1M');
  args.push('--type-add', `source:*.{${extensions.join(',')}}`, '--type=source');
  args.push('-e', search.textPattern, '--', root.argument);
  const timeLimitMs = Math.max(500, search.deadlineMs - context.nowMs());
  const run = { args, cwd: root.workspaceRoot, separator: '\0', timeLimitMs } as const;
  const end = await runRipgrep(run, context, (record) => {
    const file = withoutDotSlash(record);
    if (file !== '' && !hidden.hides(file)) files.push(file);
    return files.length < search.maxFiles;
  });
  return { files: files.sort(comparePaths), isComplete: end.reason === 'done' };
}
