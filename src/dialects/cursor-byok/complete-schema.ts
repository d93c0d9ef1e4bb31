import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * A schema every server takes at the root of a tool: an object, and no union. The branches of a union become optional
 * properties of one object; what all of them require stays required.
 */
export function completeSchema(schema: JsonObject | undefined): JsonObject {
  if (!schema || Object.keys(schema).length === 0) return { type: 'object', properties: {} };
  const branches = UNIONS.flatMap((key) => listBranches(schema[key]));
  if (branches.length === 0) return schema.type === undefined ? { type: 'object', ...schema } : schema;
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const own = isJsonObject(rest.properties) ? rest.properties : {};
  const properties = Object.assign({}, ...branches.map(propertiesOf), own) as JsonObject; // JSON objects only
  const required = mergeRequired(schema, listBranches(allOf), [
    ...listBranches(anyOf),
    ...listBranches(oneOf),
  ]);
  const { required: _required, ...plain } = rest;
  const merged: JsonObject = { ...plain, type: 'object', properties };
  return required.length > 0 ? { ...merged, required } : merged;
}

function listBranches(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function propertiesOf(branch: JsonObject): JsonObject {
  return isJsonObject(branch.properties) ? branch.properties : {};
}

function requiredOf(schema: JsonObject): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function mergeRequired(root: JsonObject, all: readonly JsonObject[], any: readonly JsonObject[]): string[] {
  const [first, ...others] = any.map((branch) => new Set(requiredOf(branch)));
  const shared = [...(first ?? [])].filter((name) => others.every((branch) => branch.has(name)));
  return [...new Set([...requiredOf(root), ...all.flatMap(requiredOf), ...shared])];
}
