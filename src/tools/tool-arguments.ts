import { z } from 'zod';
import { isJsonObject, type JsonValue } from '../core/index.ts';

export interface Spellings {
  /** Canonical name → other names it goes by, the preferred one first. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Names that carry nothing for us and are dropped: a model's explanation, a wire's bookkeeping. */
  readonly ignored?: readonly string[];
  /** For spellings that a new name alone does not mend: another unit, an opposite, a nested wire message. */
  readonly rewrite?: (given: Record<string, JsonValue>) => void;
}

const ALWAYS_IGNORED = ['explanation', 'tool_call_id', 'timeout_ms'];

/**
 * A strict object under canonical names that also takes other spellings, nulls for absent values, and values wrapped
 * in a string (`"5"`, `"true"`, `"[…]"`), which some models write. The JSON Schema shows the canonical form alone.
 */
export function toolArguments<Shape extends z.ZodRawShape>(
  shape: Shape,
  spellings: Spellings = {},
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const object = z.strictObject(shape);
  // The pipe gives what the object gives; zod widens the shape's type on the way through.
  return z.preprocess((raw) => canonical(raw, shape, spellings), object) as unknown as z.ZodType<
    z.output<z.ZodObject<Shape>>
  >;
}

function canonical(raw: unknown, shape: z.ZodRawShape, spellings: Spellings): unknown {
  if (!isJsonObject(raw)) return raw;
  const given: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (value !== null && value !== undefined) given[key] = value;
  }
  spellings.rewrite?.(given);
  for (const [name, others] of Object.entries(spellings.aliases ?? {})) {
    for (const other of others) {
      const value = given[other];
      if (value === undefined) continue;
      given[name] ??= value;
      delete given[other];
    }
  }
  for (const name of [...ALWAYS_IGNORED, ...(spellings.ignored ?? [])])
    if (!(name in shape)) delete given[name];
  for (const [name, value] of Object.entries(given)) given[name] = unwrap(value, shape[name]);
  return given;
}

function unwrap(value: JsonValue, schema: z.core.$ZodType | undefined): JsonValue {
  if (typeof value !== 'string' || schema === undefined || z.safeParse(schema, value).success) return value;
  const candidates: JsonValue[] = [[value]];
  try {
    candidates.unshift(JSON.parse(value));
  } catch {
    // Not JSON: it may still be the only item of a list.
  }
  return candidates.find((candidate) => z.safeParse(schema, candidate).success) ?? value;
}
