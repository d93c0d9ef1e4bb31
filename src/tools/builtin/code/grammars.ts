import { createRequire } from 'node:module';
import path from 'node:path';
import type { Language, Parser, Query, Tree } from 'web-tree-sitter';
import { defineResource } from '../../resources.ts';
import type { LanguageRow } from './languages.ts';

/** Generated files beyond this say little and cost seconds. */
export const MAX_PARSED_CHARACTERS = 1_000_000;
const PARSE_TIME_LIMIT_MS = 2_000;

interface Grammar {
  readonly language: Language;
  readonly query: Query;
}

/** Grammars are 22 MB of WebAssembly together: each is loaded when a file first needs it. */
export class Grammars {
  readonly #grammars = new Map<string, Promise<Grammar>>();
  #parser: Promise<Parser> | undefined;

  /** Undefined for text that is too large, or not parsed in time. Free the tree with `delete()`. */
  async parse(text: string, row: LanguageRow): Promise<{ tree: Tree; query: Query } | undefined> {
    if (text.length > MAX_PARSED_CHARACTERS) return undefined;
    const { language, query } = await this.#grammar(row);
    this.#parser ??= createParser();
    const parser = await this.#parser;
    parser.setLanguage(language);
    const deadline = performance.now() + PARSE_TIME_LIMIT_MS;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (!tree) parser.reset();
    return tree ? { tree, query } : undefined;
  }

  #grammar(row: LanguageRow): Promise<Grammar> {
    const known = this.#grammars.get(row.id) ?? loadGrammar(row);
    this.#grammars.set(row.id, known);
    return known;
  }

  async dispose(): Promise<void> {
    const parser = await this.#parser?.catch(() => undefined);
    parser?.delete();
    for (const loading of this.#grammars.values()) (await loading.catch(() => undefined))?.query.delete();
    this.#grammars.clear();
    this.#parser = undefined;
  }
}

export const grammars = defineResource<Grammars>({
  name: 'grammars',
  create: () => new Grammars(),
  dispose: (value) => value.dispose(),
});

async function createParser(): Promise<Parser> {
  const { Parser } = await import('web-tree-sitter');
  await Parser.init();
  return new Parser();
}

async function loadGrammar(row: LanguageRow): Promise<Grammar> {
  const { Language, Parser, Query } = await import('web-tree-sitter');
  await Parser.init();
  const manifest = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/package.json');
  const file = path.join(path.dirname(manifest), 'wasm', `tree-sitter-${row.grammar}.wasm`);
  const language = await Language.load(file);
  return { language, query: new Query(language, row.query) };
}
