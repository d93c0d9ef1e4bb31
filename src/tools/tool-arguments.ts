// One canonical spelling of arguments for models, every other one accepted. Names are compared without case and
// punctuation (`filePath` is `file_path`), absent values may be null, numbers, flags and lists may come as text.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { foldToolName } from '../catalogue/index.ts';
import { isJsonObject, type JsonValue } from '../core/index.ts';

export interface Spellings {
  /** Canonical name → other names it goes by, the preferred one first; a canonical name that is present wins. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Names that carry nothing for us and are dropped: a model's explanation, a wire's bookkeeping. */
  readonly ignored?: readonly string[];
  /** Names whose value may be a `file://` address instead of a path. */
  readonly paths?: readonly string[];
  /** The argument that a bare text stands for, for tools that are also called with one. */
  readonly rawText?: string;
  /** For spellings that a new name alone does not mend: another unit, an opposite, a nested wire message. */
  readonly rewrite?: (given: Record<string, JsonValue>) => void;
  /** The same once every name is canonical: an older era's arguments in terms of today's. */
  readonly modernise?: (given: Record<string, JsonValue>) => void;
}

const ALWAYS_IGNORED = ['explanation', 'tool_call_id', 'timeout_ms'];

/**
 * A shape takes canonical names and known spellings of them alone; an object decides itself about names it does not
 * know. The JSON Schema shows the canonical form alone.
 */
export function toolArguments<Shape extends z.ZodRawShape>(
  given: Shape | z.ZodObject<Shape>,
  spellings: Spellings = {},
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const object = given instanceof z.ZodObject ? given : z.strictObject(given);
  // The pipe gives what the object gives; zod widens the shape's type on the way through.
  return z.preprocess(
    (raw) => canonicalArguments(raw, object.shape, spellings),
    object,
  ) as unknown as z.ZodType<z.output<z.ZodObject<Shape>>>;
}

/** What a tool's schema sees of arguments as they came; also for objects inside of arguments. */
export function canonicalArguments(raw: unknown, shape: z.ZodRawShape, spellings: Spellings): unknown {
  if (typeof raw === 'string' && spellings.rawText !== undefined) return { [spellings.rawText]: raw };
  if (!isJsonObject(raw)) return raw;
  // Not by assignment, which a name such as __proto__ would misuse.
  const given = Object.fromEntries(
    Object.entries(raw).filter(([, value]) => value !== null && value !== undefined),
  );
  spellings.rewrite?.(given);
  rename(given, shape, spellings.aliases ?? {});
  spellings.modernise?.(given);
  for (const name of [...ALWAYS_IGNORED, ...(spellings.ignored ?? [])])
    if (!(name in shape)) delete given[name];
  for (const name of Object.keys(shape)) {
    const value = given[name];
    if (typeof value !== 'string') continue;
    given[name] = spellings.paths?.includes(name) ? pathOfUri(value) : unwrap(value, shape[name]);
  }
  return given;
}

function rename(
  given: Record<string, JsonValue>,
  shape: z.ZodRawShape,
  aliases: NonNullable<Spellings['aliases']>,
): void {
  for (const name of new Set([...Object.keys(aliases), ...Object.keys(shape)])) {
    for (const spelling of [name, ...(aliases[name] ?? [])]) {
      const folded = foldToolName(spelling);
      // The exact spelling before one that only sounds like it, which must not be the name of another argument.
      const others = Object.keys(given).filter((key) => !(key in shape) && foldToolName(key) === folded);
      for (const key of [spelling, ...others]) {
        const value = given[key];
        if (key === name || value === undefined || !Object.hasOwn(given, key)) continue;
        given[name] ??= value;
        delete given[key];
      }
    }
  }
}

function unwrap(value: string, schema: z.core.$ZodType | undefined): JsonValue {
  if (schema === undefined || z.safeParse(schema, value).success) return value;
  const candidates: JsonValue[] = [[value]];
  try {
    candidates.unshift(JSON.parse(/^\s*(?:true|false)\s*$/i.test(value) ? value.toLowerCase() : value));
  } catch {
    // Not JSON: it may still be the only item of a list.
  }
  return candidates.find((candidate) => z.safeParse(schema, candidate).success) ?? value;
}

function pathOfUri(value: string): string {
  if (!/^file:\/\//i.test(value)) return value;
  try {
    return fileURLToPath(value);
  } catch {
    return value;
  }
}
