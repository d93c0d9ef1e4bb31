import fuzzysort from 'fuzzysort';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { escapeRegex } from '../search/ripgrep-search.ts';
import { findSearchRoot, readTouch, type SearchRoot } from '../search/search-root.ts';
import { type FoundSymbol, findSymbols, type SymbolSearchResult } from './find-symbols.ts';

const MAX_RESULTS = 50;
const TIME_LIMIT_MS = 10_000;
/** With fewer hits by spelling, names that merely contain the letters in order are looked for too. */
const ENOUGH = 20;

const args = toolArguments(
  {
    query: z
      .string()
      .min(1)
      .describe(
        'Name of a function, class, method, type or constant, or part of it; "Class.method" narrows to a class.',
      ),
  },
  { aliases: { query: ['symbol', 'name', 'pattern', 'search_term'] } },
);

interface Ranked {
  readonly symbol: FoundSymbol;
  readonly score: number;
  readonly indexes: readonly number[];
}

export const searchSymbols = defineTool({
  number: 23,
  name: 'search_symbols',
  description:
    'Find where functions, classes, methods, types and constants are defined by (part of) their name; fuzzy, best first. Works for TypeScript, JavaScript, Python, Go, Rust, Java, C#, C, C++, PHP, Ruby, shell, PowerShell and CSS. Use grep to find where a symbol is used.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (_given, context) => [readTouch('.', context)],
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot('.', context);
    if (!root.ok) return root;
    const { name, container } = splitQuery(given.query);
    if (name === '') {
      return fail(
        'EINVAL',
        `"${given.query}" holds no name. Give letters of a function, class, method or type.`,
      );
    }
    const result = await search(name, container, root, context);
    if (context.signal.aborted) return fail('ECANCELED', 'The search was cancelled.');
    const ranked = rank(result.symbols, name);
    const shown = ranked.slice(0, MAX_RESULTS);
    const lines = shown.map(({ symbol }) => {
      const full = symbol.container === '' ? symbol.name : `${symbol.container}.${symbol.name}`;
      return `${symbol.file}:${symbol.line}  ${symbol.kind} ${full}`;
    });
    if (ranked.length > shown.length)
      lines.push('', `[the best ${shown.length} of ${ranked.length} symbols]`);
    if (!result.isComplete) lines.push('', '[not all files were looked at in time; use a longer name]');
    const content =
      shown.length === 0 ? [`No symbol resembles "${given.query}".`, ...lines].join('\n') : lines.join('\n');
    const attachments = {
      match_count: ranked.length,
      files_searched: result.filesSearched,
      duration_ms: context.nowMs() - started,
    };
    return succeed(content, { data: { matches: shown.map(matchData) }, attachments });
  },
});

/** `Store.run`, `Store::run` and `Store#run` name a member. */
function splitQuery(query: string): { name: string; container: string } {
  const parts = query
    .trim()
    .split(/\.|::|#|->/)
    .filter((part) => part !== '');
  return { name: (parts.at(-1) ?? '').trim(), container: parts.length > 1 ? (parts.at(-2) ?? '') : '' };
}

async function search(
  name: string,
  container: string,
  root: SearchRoot,
  context: ToolContext,
): Promise<SymbolSearchResult> {
  const deadlineMs = context.nowMs() + TIME_LIMIT_MS;
  const isInside = (outer: string) =>
    container === '' || outer.split('.').some((part) => part.toLowerCase() === container.toLowerCase());
  const lower = name.toLowerCase();
  const spelled = await findSymbols(
    {
      textPattern: escapeRegex(name),
      ignoresCase: true,
      isWanted: (symbol) => symbol.name.toLowerCase().includes(lower) && isInside(symbol.container),
      maxFiles: 2_000,
      deadlineMs,
    },
    root,
    context,
  );
  const letters = [...name.replace(/[^\p{L}\p{N}]/gu, '')];
  if (spelled.symbols.length >= ENOUGH || letters.length < 2 || letters.length > 40) return spelled;
  const loose = await findSymbols(
    {
      textPattern: letters.map(escapeRegex).join('[\\w$-]*'),
      ignoresCase: true,
      isWanted: (symbol) =>
        !symbol.name.toLowerCase().includes(lower) &&
        isInside(symbol.container) &&
        fuzzysort.single(name, symbol.name) !== null,
      maxFiles: 1_000,
      deadlineMs,
    },
    root,
    context,
  );
  return {
    symbols: [...spelled.symbols, ...loose.symbols],
    filesSearched: spelled.filesSearched + loose.filesSearched,
    isComplete: spelled.isComplete && loose.isComplete,
  };
}

function rank(symbols: readonly FoundSymbol[], name: string): Ranked[] {
  return symbols
    .map((symbol) => {
      const result = fuzzysort.single(name, symbol.name);
      return { symbol, score: result?.score ?? 0, indexes: [...(result?.indexes ?? [])] };
    })
    .sort(
      (left, right) =>
        right.score - left.score ||
        left.symbol.name.length - right.symbol.name.length ||
        (left.symbol.file < right.symbol.file
          ? -1
          : left.symbol.file > right.symbol.file
            ? 1
            : left.symbol.line - right.symbol.line),
    );
}

function matchData({ symbol, score, indexes }: Ranked) {
  return {
    name: symbol.name,
    uri: symbol.file,
    range: {
      start_line: symbol.startLine,
      end_line: symbol.endLine,
      line: symbol.line,
      column: symbol.column,
    },
    secondary_text: [symbol.kind, symbol.container].filter(Boolean).join(' '),
    label_matches: indexes.map((start) => ({ start, end: start + 1 })),
    score,
  };
}
