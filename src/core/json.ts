/** JSON as data: what arrives from and leaves for strangers. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Fields a dialect knows and the canon does not, keyed by the dialect they came from.
 * They travel untouched to an upstream of the same dialect and are counted as drift when nobody can use them.
 */
export type Extra = Readonly<Record<string, JsonObject>>;
