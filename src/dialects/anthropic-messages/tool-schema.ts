// Anthropic wants `input_schema` to be an object schema and refuses anyOf, oneOf and allOf at its root.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

export function objectSchema(parameters: JsonObject | undefined): JsonObject {
  if (!parameters) return { type: 'object', properties: {} };
  const flat = flattenRoot(parameters);
  if (flat.type === 'object') return flat;
  return { ...flat, type: 'object', properties: flat.properties ?? {} };
}

/**
 * The variants of the root become one object: all their properties, required only where every variant (anyOf, oneOf)
 * or any of them (allOf) requires them. Looser than the original, never stricter.
 */
function flattenRoot(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...own } = schema;
  const alternatives = [...variantsOf(anyOf), ...variantsOf(oneOf)];
  const joined = variantsOf(allOf);
  if (anyOf === undefined && oneOf === undefined && allOf === undefined) return schema;
  const properties: JsonObject = { ...asObject(own.properties) };
  for (const variant of [...alternatives, ...joined]) addProperties(properties, variant);
  const required = new Set([
    ...namesOf(own.required),
    ...joined.flatMap((variant) => namesOf(variant.required)),
  ]);
  const [first, ...others] = alternatives;
  for (const name of namesOf(first?.required)) {
    if (others.every((variant) => namesOf(variant.required).includes(name))) required.add(name);
  }
  const flat: JsonObject = { ...own, type: 'object', properties };
  if (required.size > 0) flat.required = [...required];
  return flat;
}

/** Variants that are not objects (null, a string) say nothing about properties. */
function variantsOf(value: JsonValue | undefined): JsonObject[] {
  const variants = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return variants
    .map(flattenRoot)
    .filter((variant) => variant.type === 'object' || isJsonObject(variant.properties));
}

function addProperties(properties: JsonObject, variant: JsonObject): void {
  for (const [name, schema] of Object.entries(asObject(variant.properties))) {
    const known = properties[name];
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    properties[name] = isSame ? schema : { anyOf: [known, schema] };
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function namesOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
