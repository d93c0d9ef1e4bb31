import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import type { LooseFields } from './message-json.ts';

/** Canonical arguments ↔ the fields of one message, under the names the message gives them. */
export interface CallForm {
  encode(args: JsonObject): LooseFields;
  decode(fields: JsonObject): LooseFields;
}

/** Arguments that a message has too: under the same name, or under the one given for it. Others stay behind. */
export function named(...names: readonly (string | Readonly<Record<string, string>>)[]): CallForm {
  const pairs = names.flatMap((one) =>
    typeof one === 'string' ? [[one, one] as const] : Object.entries(one),
  );
  return {
    encode: (args) => Object.fromEntries(pairs.map(([canonical, wire]) => [wire, args[canonical]])),
    decode: (fields) => Object.fromEntries(pairs.map(([canonical, wire]) => [canonical, fields[wire]])),
  };
}

/** A form that does most by name and the rest by hand; what is by hand wins. */
export function extend(base: CallForm, by: Partial<CallForm>): CallForm {
  return {
    encode: (args) => ({ ...base.encode(args), ...by.encode?.(args) }),
    decode: (fields) => ({ ...base.decode(fields), ...by.decode?.(fields) }),
  };
}

export function present(fields: LooseFields): JsonObject {
  const entries = Object.entries(fields).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
  );
  return Object.fromEntries(entries);
}

/** Names of arguments that did not come back; a zero that became absent is no loss, as the wire has no other. */
export function namesLost(given: JsonObject, back: JsonObject): string[] {
  return Object.keys(given).filter(
    (name) => !isDeepStrictEqual(withoutZeros(given[name]), withoutZeros(back[name])),
  );
}

function withoutZeros(value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined || value === null || value === '' || value === 0 || value === false)
    return undefined;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => withoutZeros(item) ?? null);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutZeros(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
