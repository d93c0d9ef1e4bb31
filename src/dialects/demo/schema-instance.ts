import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { isSame, matchesSchema } from './match-schema.ts';
import { listOf, propertiesOf, requiredOf, schemaVariants, typesOf } from './schema-variants.ts';

export interface InstanceOptions {
  readonly root: JsonObject;
  /** Words that free strings are made of. */
  readonly words: readonly string[];
  /** Varies the values, so that several instances differ. */
  readonly seed?: number;
  readonly depth?: number;
}

const MAX_DEPTH = 12;
const MAX_FILL = 200;

/**
 * A value that a schema allows, always the same for the same question. Optional properties are left out, unless the
 * schema requires none at all: an empty object would show nothing.
 */
export function createInstance(schema: JsonValue | undefined, options: InstanceOptions): JsonValue {
  const depth = options.depth ?? 0;
  const variants = [...schemaVariants(schema, options.root)];
  // Deep inside a recursive schema the plain branches are the way out.
  if (depth > 3) variants.sort((a, b) => weightOf(a) - weightOf(b));
  let first: JsonValue | undefined;
  for (const variant of variants) {
    const candidate = createFromVariant(variant, { ...options, depth });
    if (candidate === undefined) continue;
    if (matchesSchema(candidate, schema, options.root)) return candidate;
    first ??= candidate;
  }
  return first ?? null;
}

function weightOf(variant: JsonObject): number {
  const types = typesOf(variant);
  if (types.includes('object')) return requiredOf(variant).length + 1;
  return types.includes('array') ? 1 : 0;
}

function createFromVariant(variant: JsonObject, options: InstanceOptions): JsonValue | undefined {
  const isAllowed = (value: JsonValue) => matchesSchema(value, variant, options.root);
  if (variant.const !== undefined) return variant.const;
  for (const preset of [variant.default, ...listOf(variant.examples)]) {
    if (preset !== undefined && preset !== '' && (options.seed ?? 0) === 0 && isAllowed(preset))
      return preset;
  }
  if (Array.isArray(variant.enum)) {
    const choices = variant.enum.filter(isAllowed);
    return choices[(options.seed ?? 0) % Math.max(1, choices.length)];
  }
  const types = typesOf(variant);
  for (const type of types.length > 0 ? types : ['string']) {
    const value = createOfType(type, variant, options);
    if (value !== undefined && isAllowed(value)) return value;
  }
  return undefined;
}

function createOfType(type: string, schema: JsonObject, options: InstanceOptions): JsonValue | undefined {
  switch (type) {
    case 'string':
      return stringCandidates(schema, options).find((text) => matchesSchema(text, schema, options.root));
    case 'integer':
    case 'number':
      return numberCandidates(schema, options.seed ?? 0, type === 'integer').find((number) =>
        matchesSchema(number, schema, options.root),
      );
    case 'boolean':
      return (options.seed ?? 0) % 2 === 1;
    case 'null':
      return null;
    case 'array':
      return createArray(schema, options);
    case 'object':
      return createObject(schema, options);
    default:
      return undefined;
  }
}

function createArray(schema: JsonObject, options: InstanceOptions): JsonValue[] {
  const depth = (options.depth ?? 0) + 1;
  const prefix = listOf(schema.prefixItems ?? schema.items);
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Number.POSITIVE_INFINITY;
  // One item shows what the array is for; recursive ones stay empty.
  const wanted = Math.min(most, MAX_FILL, Math.max(least, prefix.length, depth < 4 ? 1 : 0));
  const items: JsonValue[] = [];
  for (
    let seed = options.seed ?? 0, tries = 0;
    items.length < wanted && tries < wanted * 4 && depth <= MAX_DEPTH;
    seed++, tries++
  ) {
    const itemSchema =
      prefix[items.length] ?? (Array.isArray(schema.items) ? schema.additionalItems : schema.items);
    const item = createInstance(itemSchema, { ...options, seed, depth });
    if (schema.uniqueItems === true && items.some((other) => isSame(item, other))) continue;
    items.push(item);
  }
  return items;
}

function createObject(schema: JsonObject, options: InstanceOptions): JsonObject {
  const depth = (options.depth ?? 0) + 1;
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  const least = typeof schema.minProperties === 'number' ? schema.minProperties : 0;
  const result: JsonObject = {};
  if (depth > MAX_DEPTH) return result;
  const add = (key: string, part: JsonValue | undefined) =>
    setOwn(
      result,
      key,
      createInstance(part, { ...options, depth, seed: (options.seed ?? 0) + Object.keys(result).length }),
    );
  for (const key of required)
    add(key, Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties);
  const optional = Object.keys(properties).filter((key) => !required.includes(key));
  const isBare = required.length === 0 && depth < 4;
  const most = typeof schema.maxProperties === 'number' ? schema.maxProperties : Number.POSITIVE_INFINITY;
  for (const key of optional) {
    const count = Object.keys(result).length;
    if (count < most && (isBare || count < least)) add(key, properties[key]);
  }
  for (let index = 1; Object.keys(result).length < Math.min(least, MAX_FILL) && index <= MAX_FILL; index++) {
    add(`key_${index}`, schema.additionalProperties);
  }
  return result;
}

/** A key named `__proto__` must become a property like any other. */
export function setOwn(target: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'demo@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/demo',
  uuid: '00000000-0000-4000-8000-000000000000',
  regex: '.*',
  'json-pointer': '/demo',
};

/** Tried in turn against a `pattern`: making text from a regular expression is beyond this model. */
const SHAPES =
  'demo Demo DEMO demo-1 demo_1 a A 1 12 123 1234 0.1 1.0.0 #000000 a.b /demo ./demo @demo demo:1 en-US main'.split(
    ' ',
  );

function stringCandidates(schema: JsonObject, options: InstanceOptions): string[] {
  const words = options.words.length > 0 ? options.words : ['demo'];
  const seed = options.seed ?? 0;
  const text = [0, 1, 2]
    .map((offset) => words[(seed + offset) % words.length] ?? 'demo')
    .slice(0, words.length)
    .join(' ');
  const distinct = seed < words.length ? text : `${text} ${seed}`;
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  const candidates = [distinct, `${seed}`, ...SHAPES, ...Object.values(FORMATS), ''];
  if (format !== undefined) candidates.unshift(format);
  return candidates.map((candidate) => fitLength(candidate, schema));
}

/** Cuts and pads by code points, the unit in which JSON Schema counts. */
function fitLength(text: string, schema: JsonObject): string {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Number.POSITIVE_INFINITY;
  const points = [...text];
  if (points.length > most) return points.slice(0, most).join('');
  return points.length < least ? text + '.'.repeat(least - points.length) : text;
}

function numberCandidates(schema: JsonObject, seed: number, isInteger: boolean): number[] {
  const low = Math.max(
    numberOr(schema.minimum, Number.NEGATIVE_INFINITY),
    numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY),
  );
  const high = Math.min(
    numberOr(schema.maximum, Number.POSITIVE_INFINITY),
    numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY),
  );
  const step = numberOr(schema.multipleOf, 1);
  const around = [low, high].flatMap((edge) => {
    if (!Number.isFinite(edge)) return [];
    const down = Math.floor(edge / step) * step;
    return [edge, Math.ceil(edge), Math.floor(edge), edge + 1, edge - 1, down, down + step, down - step];
  });
  const middle = Number.isFinite(low) && Number.isFinite(high) ? [(low + high) / 2] : [];
  const candidates = [1 + seed, ...around.map((edge) => edge + seed), ...around, step, 0, -step, ...middle];
  return isInteger ? candidates.filter(Number.isInteger) : candidates;
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** The words of a text that can stand in for free strings. */
export function wordsOf(text: string): readonly string[] {
  return (text.slice(0, 2000).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 40);
}

export function asObject(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
