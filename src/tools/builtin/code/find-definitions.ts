import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolContext } from '../../tool-context.ts';
import { escapeRegex } from '../search/ripgrep-search.ts';
import type { SearchRoot } from '../search/search-root.ts';
import { findSymbols } from './find-symbols.ts';
import { LANGUAGES, type LanguageRow } from './languages.ts';
import { languageServers } from './lsp/language-servers.ts';
import { readLocations } from './lsp/protocol-types.ts';
import type { ServerSpec } from './lsp/server-spec.ts';
import { outlines } from './outlines.ts';

const SERVER_LIMIT_MS = 10_000;
const TIME_LIMIT_MS = 10_000;

export interface Definition {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly kind?: string | undefined;
  readonly fullName?: string | undefined;
}

export interface Usage {
  readonly path: string;
  readonly text: string;
  readonly row: LanguageRow;
  /** Of the name, counted from 0. */
  readonly line: number;
  readonly character: number;
}

/** Where the name stands: inside the given lines if it is there, else anywhere. Lines count from 1. */
export function findUsage(text: string, symbol: string, startLine: number, endLine: number) {
  const lines = text.split(/\r?\n/);
  const name = symbol.split(/\.|::|#|->/).at(-1) ?? symbol;
  const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${escapeRegex(name)}(?![\\p{L}\\p{N}_$])`, 'u');
  const inRange = lines.findIndex(
    (line, index) => index + 1 >= startLine && index + 1 <= endLine && word.test(line),
  );
  const line = inRange === -1 ? lines.findIndex((text) => word.test(text)) : inRange;
  if (line === -1) return undefined;
  return { line, character: word.exec(lines[line] ?? '')?.index ?? 0 };
}

/** What the language's own server says; empty when it knows nothing or cannot be asked. */
export async function askServer(
  spec: ServerSpec,
  usage: Usage,
  root: SearchRoot,
  context: ToolContext,
): Promise<Definition[]> {
  try {
    const server = await context.resources.get(languageServers).get(spec, root, context);
    const uri = pathToFileURL(usage.path).href;
    server.openDocument(uri, usage.row.id, usage.text);
    const position = { line: usage.line, character: usage.character };
    const answer = await server.request(
      'textDocument/definition',
      { textDocument: { uri }, position },
      context.signal,
      SERVER_LIMIT_MS,
    );
    return await Promise.all(
      readLocations(answer).map(async (found) => {
        const line = found.range.start.line + 1;
        const outlined = await context.resources.get(outlines).of(found.path, context);
        const symbol = outlined?.symbols.find((item) => item.line === line || item.startLine === line);
        return symbol
          ? {
              path: found.path,
              startLine: symbol.startLine,
              endLine: symbol.endLine,
              kind: symbol.kind,
              fullName: fullNameOf(symbol),
            }
          : { path: found.path, startLine: line, endLine: found.range.end.line + 1 };
      }),
    );
  } catch {
    // Definitions by name are the answer then.
    return [];
  }
}

/** Every definition of that name in the same family of languages, the nearest first. */
export async function findByName(
  symbol: string,
  near: { readonly path: string; readonly row: LanguageRow } | undefined,
  root: SearchRoot,
  context: ToolContext,
): Promise<Definition[]> {
  const parts = symbol.split(/\.|::|#|->/);
  const name = parts.at(-1) ?? symbol;
  const { symbols } = await findSymbols(
    {
      textPattern: escapeRegex(name),
      ignoresCase: false,
      isWanted: (item) => item.name === name,
      languages: near ? familyOf(near.row) : LANGUAGES,
      maxFiles: 2_000,
      deadlineMs: context.nowMs() + TIME_LIMIT_MS,
    },
    root,
    context,
  );
  const container = parts.at(-2);
  const inContainer = symbols.filter(
    (item) => container !== undefined && item.container.split('.').includes(container),
  );
  const wanted = inContainer.length > 0 ? inContainer : symbols;
  return wanted
    .map((item) => ({
      path: path.resolve(root.workspaceRoot, item.file),
      startLine: item.startLine,
      endLine: item.endLine,
      kind: item.kind,
      fullName: fullNameOf(item),
    }))
    .sort((left, right) => distance(near?.path, left.path) - distance(near?.path, right.path));
}

function fullNameOf(symbol: { readonly container: string; readonly name: string }): string {
  return symbol.container === '' ? symbol.name : `${symbol.container}.${symbol.name}`;
}

function familyOf(row: LanguageRow): readonly LanguageRow[] {
  const scripts = ['typescript', 'typescriptreact', 'javascript'];
  return scripts.includes(row.id) ? LANGUAGES.filter((item) => scripts.includes(item.id)) : [row];
}

/** Steps from one file to the other through the folders. */
function distance(from: string | undefined, to: string): number {
  if (from === undefined) return 0;
  return from === to ? -1 : path.relative(path.dirname(from), to).split(path.sep).length;
}
