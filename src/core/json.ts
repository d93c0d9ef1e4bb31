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

/** Deeper nesting only ever comes from fuzzers and broken models; code that walks JSON may recurse up to here. */
export const MAX_JSON_DEPTH = 256;

export function isTooDeep(value: JsonValue): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    const next: JsonValue[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}
