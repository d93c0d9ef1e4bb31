// Reading foreign JSON field by field: every refusal names the path, what was wanted and what was found.
import {
  type GatewayError,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../core/index.ts';
import { describe } from './json.ts';

/** The refusal of a value: which field, what it should be, what it was. */
export function wrongType(path: string, wanted: string, found: unknown): GatewayError {
  const reason = found === undefined ? 'missing_required_parameter' : 'invalid_type';
  return invalidRequest(`\`${path}\` must be ${wanted}, not ${describe(found)}.`, path, reason);
}

export function expectObject(value: JsonValue | undefined, path: string): JsonObject {
  if (!isJsonObject(value)) throw wrongType(path, 'an object', value);
  return value;
}

export function expectArray(value: JsonValue | undefined, path: string): JsonValue[] {
  if (!Array.isArray(value)) throw wrongType(path, 'an array', value);
  return value;
}

export function expectString(value: JsonValue | undefined, path: string): string {
  if (typeof value !== 'string') throw wrongType(path, 'a string', value);
  return value;
}

export function expectName(value: JsonValue | undefined, path: string): string {
  if (typeof value !== 'string' || value === '') throw wrongType(path, 'a non-empty string', value);
  return value;
}

/** Null counts as absent: several client libraries send every optional field. */
export function optionalString(value: JsonValue | undefined, path: string): string | undefined {
  return value === undefined || value === null ? undefined : expectString(value, path);
}

export function optionalBoolean(value: JsonValue | undefined, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw wrongType(path, 'true or false', value);
  return value;
}

export function optionalObject(value: JsonValue | undefined, path: string): JsonObject | undefined {
  return value === undefined || value === null ? undefined : expectObject(value, path);
}

/** What is left of an object once the known keys are taken; undefined when nothing is. */
export function restOf(
  value: JsonObject,
  known: ReadonlySet<string> | readonly string[],
): JsonObject | undefined {
  const isKnown = new Set(known);
  const entries = Object.entries(value).filter(([key]) => !isKnown.has(key));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The same for clients that write every optional field: null counts as absent. */
export function restWithoutNulls(
  value: JsonObject,
  known: ReadonlySet<string> | readonly string[],
): JsonObject | undefined {
  const nulls = Object.keys(value).filter((key) => value[key] === null);
  return restOf(value, [...known, ...nulls]);
}
