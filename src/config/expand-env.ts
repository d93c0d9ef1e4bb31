import type { ConfigPath } from './source-document.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  readonly value: unknown;
  /** Values that came from the environment: treated as secrets, whatever key they stand under. */
  readonly secrets: readonly string[];
  /** Paths whose value holds something from the environment; their content is never repeated in messages. */
  readonly expanded: readonly ConfigPath[];
  readonly missing: readonly { readonly variable: string; readonly path: ConfigPath }[];
}

/** What other clients' mcp.json files write; under `mcp` they keep that meaning, and the MCP client fills them in. */
const MCP_VARIABLES = new Set([
  'workspaceFolder',
  'workspaceRoot',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
]);

/** `$${` stands for a literal `${`; a default after `:-` also serves for an empty variable, as in a shell. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

export function expandEnv(tree: unknown, env: Env): Expansion {
  const secrets = new Set<string>();
  const expanded: ConfigPath[] = [];
  const missing: { variable: string; path: ConfigPath }[] = [];

  function expandText(text: string, path: ConfigPath): string {
    return text.replaceAll(REFERENCE, (reference, name: string | undefined, fallback: string | undefined) => {
      if (name === undefined) return '${';
      const value = env[name];
      if (value === undefined && path[0] === 'mcp' && MCP_VARIABLES.has(name)) return reference;
      const isUsable = value !== undefined && (value !== '' || fallback === undefined);
      if (isUsable) {
        if (value !== '') secrets.add(value);
        expanded.push(path);
        return value;
      }
      if (fallback !== undefined) return fallback;
      missing.push({ variable: name, path });
      return reference;
    });
  }

  function walk(node: unknown, path: ConfigPath): unknown {
    if (typeof node === 'string') return expandText(node, path);
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]));
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]));
  }

  return { value: walk(tree, []), secrets: [...secrets], expanded, missing };
}
