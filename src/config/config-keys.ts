import { z } from 'zod';
import { configSchema } from './schema.ts';
import type { ConfigPath } from './source-document.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
}

/** The schema as plain data: the one public way to ask zod which keys exist. */
const root = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as SchemaNode; // a subset of JSON Schema

/** The keys that may stand in the mapping at a path; names the user chooses (upstreams, models) are skipped over. */
export function keysAt(path: ConfigPath): readonly string[] {
  return Object.keys(nodeAt(path)?.properties ?? {});
}

function nodeAt(path: ConfigPath): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    const named: SchemaNode | undefined = node?.properties?.[String(step)];
    const open: SchemaNode | boolean | undefined = node?.additionalProperties;
    node = named ?? (typeof open === 'object' ? open : undefined);
  }
  return node;
}

/** Every path below a node that holds a value, not a mapping. */
export function leavesBelow(path: ConfigPath): readonly (readonly string[])[] {
  const start = nodeAt(path);
  return start ? leaves(start, path.map(String)) : [];
}

function leaves(node: SchemaNode, path: readonly string[]): (readonly string[])[] {
  if (!node.properties) return [path];
  return Object.entries(node.properties).flatMap(([key, child]) => {
    const isOpen = typeof child.additionalProperties === 'object';
    return isOpen ? [] : leaves(child, [...path, key]);
  });
}
