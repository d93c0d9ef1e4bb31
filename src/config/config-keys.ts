import { z } from 'zod';
import { configSchema } from './schema.ts';
import type { ConfigPath } from './source-document.ts';

export interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode | boolean;
}

const root = schemaNode(configSchema);

/** The keys that may stand in the mapping at a path; names the user chooses (upstreams, models) are skipped over. */
export function keysAt(path: ConfigPath): readonly string[] {
  return keysBelow(root, path);
}

/** The schema as plain data: the one public way to ask zod which keys exist. */
export function schemaNode(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode; // a subset of JSON Schema
}

export function keysBelow(start: SchemaNode, path: ConfigPath): readonly string[] {
  return Object.keys(nodeAt(start, path)?.properties ?? {});
}

function nodeAt(start: SchemaNode, path: ConfigPath): SchemaNode | undefined {
  let node: SchemaNode | undefined = start;
  for (const step of path) {
    const named: SchemaNode | undefined = node?.properties?.[String(step)];
    const open: SchemaNode | boolean | undefined =
      typeof step === 'number' ? node?.items : node?.additionalProperties;
    node = named ?? (typeof open === 'object' ? open : undefined);
  }
  return node;
}

/** Every path below a node that holds a value, not a mapping. */
export function leavesBelow(path: ConfigPath): readonly (readonly string[])[] {
  const start = nodeAt(root, path);
  return start ? leaves(start, path.map(String)) : [];
}

function leaves(node: SchemaNode, path: readonly string[]): (readonly string[])[] {
  if (!node.properties) return [path];
  return Object.entries(node.properties).flatMap(([key, child]) => {
    const isOpen = typeof child.additionalProperties === 'object';
    return isOpen ? [] : leaves(child, [...path, key]);
  });
}
