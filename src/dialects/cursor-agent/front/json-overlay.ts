import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';

/** What a wire shape could not say of an object: fields to set, and fields to take away again. */
export interface JsonOverlay {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
}

/** The overlay that turns `read` into `whole`; undefined when they are equal. Looks at the first level only. */
export function overlayOf(whole: JsonObject, read: JsonObject): JsonOverlay | undefined {
  const set = Object.entries(whole).filter(
    ([key, value]) => !Object.hasOwn(read, key) || !isEqual(value, read[key]),
  );
  const unset = Object.keys(read).filter((key) => !Object.hasOwn(whole, key));
  if (set.length === 0 && unset.length === 0) return undefined;
  return {
    ...(set.length > 0 ? { set: Object.fromEntries(set) } : {}),
    ...(unset.length > 0 ? { unset } : {}),
  };
}

export function applyOverlay(read: JsonObject, overlay: JsonValue | undefined): JsonObject {
  if (!isJsonObject(overlay)) return read;
  const unset = Array.isArray(overlay.unset) ? overlay.unset : [];
  const kept = Object.entries(read).filter(([key]) => !unset.includes(key));
  const set = isJsonObject(overlay.set) ? Object.entries(overlay.set) : [];
  return Object.fromEntries([...kept, ...set]);
}

function isEqual(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  // The order of keys is part of what a model once saw; an overlay that repeats a value is never wrong.
  return JSON.stringify(left) === JSON.stringify(right);
}
