// A small JSON Schema check, enough to choose between candidates; keywords it does not know never reject a value.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { listOf, propertiesOf, requiredOf, resolveReference } from './schema-variants.ts';

const MAX_DEPTH = 40;

export function matchesSchema(
  value: JsonValue,
  schema: JsonValue | undefined,
  root: JsonObject,
  depth = 0,
): boolean {
  if (schema === false) return false;
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return true;
  const matches = (candidate: JsonValue, part: JsonValue | undefined) =>
    matchesSchema(candidate, part, root, depth + 1);
  if (typeof schema.$ref === 'string' && !matches(value, resolveReference(schema.$ref, root))) return false;
  if (!listOf(schema.allOf).every((part) => matches(value, part))) return false;
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((part) => matches(value, part))) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter((part) => matches(value, part)).length !== 1)
    return false;
  if (schema.not !== undefined && matches(value, schema.not)) return false;
  if (schema.type !== undefined && !hasType(value, schema.type)) return false;
  if (schema.const !== undefined && !isSame(value, schema.const)) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((option) => isSame(value, option))) return false;
  if (typeof value === 'string') return fitsString(value, schema);
  if (typeof value === 'number') return fitsNumber(value, schema);
  if (Array.isArray(value)) return fitsArray(value, schema, matches);
  return isJsonObject(value) ? fitsObject(value, schema, matches) : true;
}

/** Equal as JSON: the order of keys does not matter. */
export function isSame(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
  );
}

function hasType(value: JsonValue, type: JsonValue): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function fitsString(value: string, schema: JsonObject): boolean {
  const length = [...value].length;
  if (length < boundOf(schema.minLength, 0) || length > boundOf(schema.maxLength, Number.POSITIVE_INFINITY))
    return false;
  if (typeof schema.pattern !== 'string') return true;
  try {
    return new RegExp(schema.pattern, 'u').test(value);
  } catch {
    return true; // a pattern of another regex flavour says nothing here
  }
}

function fitsNumber(value: number, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // Draft 4 spells the exclusive bounds as booleans beside the inclusive ones.
  if (typeof minimum === 'number' && (value < minimum || (exclusiveMinimum === true && value === minimum)))
    return false;
  if (typeof maximum === 'number' && (value > maximum || (exclusiveMaximum === true && value === maximum)))
    return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
  return typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf);
}

type Matches = (value: JsonValue, schema: JsonValue | undefined) => boolean;

function fitsArray(value: readonly JsonValue[], schema: JsonObject, matches: Matches): boolean {
  if (
    value.length < boundOf(schema.minItems, 0) ||
    value.length > boundOf(schema.maxItems, Number.POSITIVE_INFINITY)
  )
    return false;
  const prefix = listOf(schema.prefixItems ?? schema.items);
  if (!value.every((item, index) => index >= prefix.length || matches(item, prefix[index]))) return false;
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  if (!value.slice(prefix.length).every((item) => matches(item, rest))) return false;
  if (schema.uniqueItems !== true) return true;
  return value.every((item, index) => !value.slice(index + 1).some((other) => isSame(item, other)));
}

function fitsObject(value: JsonObject, schema: JsonObject, matches: Matches): boolean {
  const keys = Object.keys(value);
  if (
    keys.length < boundOf(schema.minProperties, 0) ||
    keys.length > boundOf(schema.maxProperties, Number.POSITIVE_INFINITY)
  )
    return false;
  if (!requiredOf(schema).every((key) => Object.hasOwn(value, key))) return false;
  const properties = propertiesOf(schema);
  return keys.every((key) => {
    const item = value[key] ?? null;
    if (Object.hasOwn(properties, key)) return matches(item, properties[key]);
    // With pattern properties in play an unnamed key may be covered by one; the demo model never invents such keys.
    return schema.patternProperties !== undefined || matches(item, schema.additionalProperties);
  });
}

function boundOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
