// `.cursorignore` files hide what they name from every search: gitignore syntax, case folded, each file for its own folder and
// below, the nearest one deciding. Known from descriptions of the editor's own rules.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { leadsOut, type ResolvedPath, type Workspace } from '../../workspace.ts';

const MAX_CACHED_FOLDERS = 50_000;

/** The rules that reach a folder, the nearest first, each with the length of the path that leads to them. */
type Chain = readonly { readonly rules: Ignore; readonly prefixLength: number }[];

const NO_RULES: Chain = [];

export class CursorIgnore {
  readonly #root: string;
  readonly #fileNames: readonly string[];
  readonly #chains = new Map<string, Chain>();
  #lastPrefix = '/';
  #lastChain: Chain = NO_RULES;

  /** For the length of one call: rules are read once per folder and not watched. */
  constructor(workspaceRoot: string, fileNames: readonly string[] = ['.cursorignore']) {
    this.#root = workspaceRoot;
    this.#fileNames = fileNames;
  }

  /** `relative` to the workspace root; what lies outside has no rules here. Asked for every file of a large tree. */
  hides(relative: string): boolean {
    const end = relative.lastIndexOf(path.sep) + 1;
    // A walk gives the files of a folder together.
    const isSameFolder = end === this.#lastPrefix.length && relative.startsWith(this.#lastPrefix);
    const chain = isSameFolder ? this.#lastChain : this.#chainOf(relative.slice(0, Math.max(0, end - 1)));
    if (!isSameFolder) {
      this.#lastPrefix = relative.slice(0, end);
      this.#lastChain = chain;
    }
    return isIgnored(chain, relative);
  }

  /** A folder is also what a pattern that ends in a slash names. */
  hidesFolder(relative: string): boolean {
    const above = relative.slice(0, Math.max(0, relative.lastIndexOf(path.sep)));
    return isIgnored(this.#chainOf(above), relative, '/');
  }

  /** Whether any rule reaches the files of a folder: where none does, nobody need ask for each of them. */
  hasRulesIn(folder: string): boolean {
    return this.#chainOf(folder).length > 0;
  }

  #chainOf(folder: string): Chain {
    const known = this.#chains.get(folder);
    if (known) return known;
    if (this.#chains.size >= MAX_CACHED_FOLDERS) this.#chains.clear();
    const chain = this.#readChain(folder);
    this.#chains.set(folder, chain);
    return chain;
  }

  #readChain(folder: string): Chain {
    if (leadsOut(folder)) return NO_RULES;
    const end = folder.lastIndexOf(path.sep);
    const above = folder === '' ? NO_RULES : this.#chainOf(end === -1 ? '' : folder.slice(0, end));
    const rules = this.#read(folder);
    return rules ? [{ rules, prefixLength: folder === '' ? 0 : folder.length + 1 }, ...above] : above;
  }

  #read(folder: string): Ignore | undefined {
    const texts = this.#fileNames.flatMap((name) => {
      const file = path.join(this.#root, folder, name);
      // Most folders have none, and a thrown error costs ten times a look.
      if (!existsSync(file)) return [];
      try {
        return [readFileSync(file, 'utf8')];
      } catch {
        return [];
      }
    });
    if (texts.length === 0) return undefined;
    const rules = ignore({ ignorecase: true });
    for (const text of texts) rules.add(text.replace(/^[ \t]+/gm, ''));
    return rules;
  }
}

function isIgnored(chain: Chain, relative: string, end = ''): boolean {
  if (chain.length === 0 || relative === '') return false;
  for (const { rules, prefixLength } of chain) {
    const verdict = rules.test(relative.slice(prefixLength).replaceAll(path.sep, '/') + end);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** By the name it was given and by where it leads, so that no link opens what is hidden. */
export function isHiddenPath(workspace: Workspace, { path: named, realPath }: ResolvedPath): boolean {
  const hidden = new CursorIgnore(workspace.realRoot);
  const names = [path.relative(workspace.root, named), path.relative(workspace.realRoot, realPath)];
  return names.some((name) => !leadsOut(name) && hidden.hides(name));
}
