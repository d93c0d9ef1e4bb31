import {
  type GatewayError,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/index.ts';
import { describe } from '../../wire/json.ts';

/** The refusal of a value: which field, what it should be, what it was. */
export function wrongType(path: string, wanted: string, found: unknown): GatewayError {
  return invalidRequest(`\`${path}\` must be ${wanted}, not ${describe(found)}.`, path);
}

export function expectObject(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongType(path, 'an object', value);
}

export function expectArray(value: JsonValue | undefined, path: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw wrongType(path, 'an array', value);
}

export function expectString(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string') return value;
  throw wrongType(path, 'a string', value);
}

export function expectName(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw wrongType(path, 'a non-empty string', value);
}

/** Null counts as absent, here and below: client libraries send optional fields so. */
export function optionalString(value: JsonValue | undefined, path: string): string | undefined {
  return value === undefined || value === null ? undefined : expectString(value, path);
}

export function optionalObject(value: JsonValue | undefined, path: string): JsonObject | undefined {
  return value === undefined || value === null ? undefined : expectObject(value, path);
}

export function optionalBoolean(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw wrongType(path, 'true or false', value);
}

/** What is left of an object without the known keys; undefined when nothing is. */
export function restOf(
  value: JsonObject,
  known: ReadonlySet<string> | readonly string[],
): JsonObject | undefined {
  const isKnown = new Set(known);
  const rest = Object.entries(value).filter(([key]) => !isKnown.has(key));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}
