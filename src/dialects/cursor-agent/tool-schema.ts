// Schemas the agent backend takes. It refuses a whole request (as `resource_exhausted`, with no tokens) when a tool
// schema holds oneOf, anyOf or allOf; $ref is not known to work. Known from a live test that a public client reports.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

const MAX_DEPTH = 24;
const MAX_NODES = 20_000;
const DROPPED = new Set([
  '$schema',
  '$id',
  '$ref',
  '$defs',
  'definitions',
  '$comment',
  '$anchor',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
]);
/** Keywords whose value maps names to schemas. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties']);
/** Keywords whose value is a schema, or a list of them. */
const SCHEMAS = new Set(['items', 'prefixItems', 'additionalProperties', 'contains', 'propertyNames']);

interface Walk {
  readonly root: JsonObject;
  nodes: number;
}

/** The schema without the keywords that are refused: looser than the original, never stricter. */
export function plainSchema(parameters: JsonObject | undefined): JsonObject {
  if (!parameters) return { type: 'object', properties: {} };
  const plain = simplify(parameters, { root: parameters, nodes: 0 }, 0);
  const { type: _type, properties, ...rest } = plain;
  return { type: 'object', properties: properties ?? {}, ...rest };
}

function simplify(schema: JsonObject, walk: Walk, depth: number): JsonObject {
  if (depth > MAX_DEPTH || ++walk.nodes > MAX_NODES) return {}; // a schema that refers to itself ends here
  const resolved = resolveReference(schema, walk.root);
  const { anyOf, oneOf, allOf, ...own } = resolved;
  let plain: JsonObject = {};
  for (const [key, value] of Object.entries(own)) {
    if (!DROPPED.has(key)) plain[key] = simplifyKeyword(key, value, walk, depth);
  }
  for (const part of schemasOf(allOf)) plain = mergeBoth(plain, simplify(part, walk, depth + 1));
  for (const list of [anyOf, oneOf]) {
    const variants = schemasOf(list)
      .map((variant) => simplify(variant, walk, depth + 1))
      .filter(({ type }) => type !== 'null');
    if (variants.length > 0) plain = mergeBoth(plain, joinAlternatives(variants));
  }
  return plain;
}

function simplifyKeyword(key: string, value: JsonValue, walk: Walk, depth: number): JsonValue {
  if (SCHEMA_MAPS.has(key) && isJsonObject(value)) {
    const entries = Object.entries(value).map(([name, schema]): [string, JsonValue] => [
      name,
      isJsonObject(schema) ? simplify(schema, walk, depth + 1) : schema,
    ]);
    return Object.fromEntries(entries);
  }
  if (!SCHEMAS.has(key)) return value;
  if (isJsonObject(value)) return simplify(value, walk, depth + 1);
  if (!Array.isArray(value)) return value;
  return value.map((item) => (isJsonObject(item) ? simplify(item, walk, depth + 1) : item));
}

/** Only references inside the document; its own keywords stay beside what it refers to. */
function resolveReference(schema: JsonObject, root: JsonObject): JsonObject {
  const seen = new Set<string>();
  let current = schema;
  while (typeof current.$ref === 'string' && !seen.has(current.$ref)) {
    const { $ref, ...own } = current;
    seen.add($ref);
    const target = lookUp($ref, root);
    if (!target) return own;
    current = { ...target, ...own };
  }
  const { $ref: _circular, ...plain } = current;
  return plain;
}

function lookUp(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of reference
    .slice(1)
    .split('/')
    .filter((part) => part !== '')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isJsonObject(value) ? value : undefined;
}

/** One of these must hold: what they share stays, the rest is told in words. */
function joinAlternatives(variants: readonly JsonObject[]): JsonObject {
  const [first, ...others] = variants;
  if (!first || others.length === 0) return first ?? {};
  const values = variants.flatMap((variant) => valuesOf(variant) ?? []);
  if (variants.every((variant) => valuesOf(variant) !== undefined)) return { enum: [...new Set(values)] };
  const isSameType = others.every(({ type }) => JSON.stringify(type) === JSON.stringify(first.type));
  if (isSameType && first.type === 'object') return joinObjects(variants);
  const description = `One of: ${variants.map(describe).join(' | ')}`;
  return isSameType && first.type !== undefined ? { type: first.type, description } : { description };
}

function joinObjects(variants: readonly JsonObject[]): JsonObject {
  const properties: JsonObject = {};
  for (const variant of variants) {
    for (const [name, schema] of Object.entries(asObject(variant.properties))) {
      const known = properties[name];
      const isNew = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
      properties[name] = isNew ? schema : joinAlternatives([asObject(known), asObject(schema)]);
    }
  }
  const required = namesOf(variants[0]?.required).filter((name) =>
    variants.every((variant) => namesOf(variant.required).includes(name)),
  );
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** Both must hold. Where they disagree the first one is kept. */
function mergeBoth(first: JsonObject, second: JsonObject): JsonObject {
  const merged: JsonObject = { ...second, ...first };
  if (isJsonObject(first.properties) && isJsonObject(second.properties)) {
    merged.properties = { ...second.properties, ...first.properties };
  }
  const required = new Set([...namesOf(first.required), ...namesOf(second.required)]);
  if (required.size > 0) merged.required = [...required];
  return merged;
}

function valuesOf(schema: JsonObject): JsonValue[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

function describe(schema: JsonObject): string {
  const text = JSON.stringify(schema);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function schemasOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function namesOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
