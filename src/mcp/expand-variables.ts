// Variables in mcp.json files, as far as their clients document them: Cursor and VS Code write ${env:NAME},
// ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome}, ${pathSeparator} or ${/}; Claude Code ${NAME} and
// ${NAME:-default}. VS Code's ${input:id} asks the user and has no value here.
import path from 'node:path';
import { isJsonObject, type JsonValue } from '../core/index.ts';

export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  readonly workspaceFolder: string;
}

export interface Expanded {
  readonly text: string;
  /** References that have no value. */
  readonly missing: readonly string[];
}

export function expandVariables(text: string, variables: Variables): Expanded {
  const missing: string[] = [];
  const expanded = text.replace(/\$\{([^{}]*)\}/g, (reference: string, inner: string) => {
    const value = lookUp(inner, variables);
    if (value === undefined) missing.push(reference);
    return value ?? reference;
  });
  return { text: expanded, missing };
}

/** Every text of a definition, with what could not be filled in. */
export function expandTree(
  tree: JsonValue,
  variables: Variables,
): { readonly value: JsonValue; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const expand = (node: JsonValue): JsonValue => {
    if (typeof node === 'string') {
      const expanded = expandVariables(node, variables);
      missing.push(...expanded.missing);
      return expanded.text;
    }
    if (Array.isArray(node)) return node.map(expand);
    if (isJsonObject(node))
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, expand(item)]));
    return node;
  };
  return { value: expand(tree), missing };
}

export function describeMissing(source: string, missing: readonly string[]): string {
  const names = [...new Set(missing)].join(', ');
  return `${source} refers to ${names}, which has no value here; set it or write the value.`;
}

function lookUp(inner: string, { env, homeFolder, workspaceFolder }: Variables): string | undefined {
  switch (inner) {
    case 'workspaceFolder':
    case 'workspaceRoot':
      return workspaceFolder;
    case 'workspaceFolderBasename':
      return path.basename(workspaceFolder);
    case 'userHome':
      return homeFolder;
    case 'pathSeparator':
    case '/':
      return path.sep;
    default: {
      const named = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner);
      if (named?.[1] === undefined) return undefined;
      const value = env[named[1]];
      // As in a shell, a default also serves for an empty variable.
      return value === undefined || (value === '' && named[2] !== undefined) ? named[2] : value;
    }
  }
}
