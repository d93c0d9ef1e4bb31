// Reads JSON Schema as strangers write it for their tools: drafts 7 to 2020-12, local references only.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

const MAX_DEPTH = 24;
const MAX_VARIANTS = 16;

/**
 * The shapes a schema allows, each without `$ref`, `allOf`, `anyOf` and `oneOf` at its top. Inner schemas stay as they are.
 */
export function schemaVariants(
  schema: JsonValue | undefined,
  root: JsonObject,
  depth = 0,
): readonly JsonObject[] {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return [{}];
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
  let variants: readonly JsonObject[] = [own];
  if (typeof reference === 'string') {
    variants = combine(variants, schemaVariants(resolveReference(reference, root), root, depth + 1));
  }
  for (const part of listOf(allOf)) variants = combine(variants, schemaVariants(part, root, depth + 1));
  for (const choice of [listOf(anyOf), listOf(oneOf)]) {
    if (choice.length === 0) continue;
    const branches = choice.flatMap((branch) => schemaVariants(branch, root, depth + 1));
    variants = combine(variants, branches);
  }
  return variants;
}

/** The schema a local reference (`#/$defs/x`) points to. */
export function resolveReference(reference: string, root: JsonObject): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  let target: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodePointer(step);
    if (Array.isArray(target)) target = target[Number(key)];
    else target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

/** The types a schema without choices admits, guessed from its other keywords when it names none. */
export function typesOf(schema: JsonObject): readonly string[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string');
  if (isJsonObject(schema.properties) || schema.required !== undefined) return ['object'];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ['array'];
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined)
    return ['number'];
  return [];
}

export function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonValue>> {
  return isJsonObject(schema.properties) ? schema.properties : {};
}

export function requiredOf(schema: JsonObject): readonly string[] {
  return listOf(schema.required).filter((key) => typeof key === 'string');
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function decodePointer(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function combine(left: readonly JsonObject[], right: readonly JsonObject[]): readonly JsonObject[] {
  const combined = left.flatMap((a) => right.map((b) => mergeSchemas(a, b)));
  return combined.slice(0, MAX_VARIANTS);
}

/** Both schemas at once, as far as their keywords can be joined; the rest is caught when the value is checked. */
function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...a, ...b };
  if (a.properties !== undefined || b.properties !== undefined) {
    const properties: JsonObject = { ...propertiesOf(a) };
    for (const [key, value] of Object.entries(propertiesOf(b))) {
      const other = properties[key];
      properties[key] = other === undefined ? value : { allOf: [other, value] };
    }
    merged.properties = properties;
  }
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  if (required.length > 0) merged.required = required;
  if (a.items !== undefined && b.items !== undefined) merged.items = { allOf: [a.items, b.items] };
  for (const key of ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
    keepBound(merged, key, a, b, Math.max);
  for (const key of ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
    keepBound(merged, key, a, b, Math.min);
  if (Array.isArray(a.enum) && Array.isArray(b.enum)) {
    const allowed = new Set(b.enum.map((value) => JSON.stringify(value)));
    merged.enum = a.enum.filter((value) => allowed.has(JSON.stringify(value)));
  }
  if (a.type !== undefined && b.type !== undefined) merged.type = commonTypes(a, b);
  if (a.additionalProperties === false) merged.additionalProperties = false;
  return merged;
}

function keepBound(
  merged: JsonObject,
  key: string,
  a: JsonObject,
  b: JsonObject,
  choose: (x: number, y: number) => number,
): void {
  const [x, y] = [a[key], b[key]];
  if (typeof x === 'number' && typeof y === 'number') merged[key] = choose(x, y);
}

function commonTypes(a: JsonObject, b: JsonObject): JsonValue {
  const right = new Set(typesOf(b));
  const common = typesOf(a).flatMap((type) => {
    if (right.has(type)) return [type];
    if (type === 'number' && right.has('integer')) return ['integer'];
    return type === 'integer' && right.has('number') ? ['integer'] : [];
  });
  return common.length === 1 && common[0] !== undefined ? common[0] : common;
}
