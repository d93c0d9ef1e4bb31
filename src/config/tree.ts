// Plain values addressed by path, as configuration files and their overrides need them.
import type { ConfigPath } from './source-document.ts';

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of the tree with one value replaced; mappings on the way are made when they are missing. */
export function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const entries = isRecord(tree) ? Object.entries(tree) : [];
  const child = entries.find(([name]) => name === key)?.[1];
  const others = entries.filter(([name]) => name !== key);
  return Object.fromEntries([...others, [key, withValue(child, rest, value)]]);
}

export function valueAt(tree: unknown, path: ConfigPath): unknown {
  let node = tree;
  for (const step of path) {
    if (Array.isArray(node) && typeof step === 'number') node = node[step];
    else if (isRecord(node) && Object.hasOwn(node, String(step))) node = node[String(step)];
    else return undefined;
  }
  return node;
}
