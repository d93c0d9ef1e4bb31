// One canonical spelling of arguments for models, every other spelling accepted: names are compared without case and
// punctuation (`filePath` = `file_path`), absent optionals may be null, numbers and flags may come as text.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { foldToolName } from '../../../catalogue/index.ts';

export type RawArguments = Readonly<Record<string, unknown>>;

export interface Spellings {
  /** Canonical name to the other names it goes by; a canonical name that is present wins over all of them. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly numbers?: readonly string[];
  readonly flags?: readonly string[];
  readonly paths?: readonly string[];
  /** The argument that a bare string stands for, for tools that are also called with raw text. */
  readonly rawText?: string;
  /** What renaming alone cannot say, after it: an older era's arguments in terms of today's. */
  rewrite?(args: RawArguments): RawArguments;
}

/** Every name that any era gave to the one file a call is about. */
export const PATH_ALIASES = [
  'path',
  'file_path',
  'target_file',
  'relative_workspace_path',
  'file',
  'filename',
  'target_notebook',
  'notebook_path',
  'absolute_path',
  'effective_uri',
  'uri',
] as const;

export function acceptArguments<S extends z.ZodType>(schema: S, spellings: Spellings) {
  return z.preprocess((given) => canonicalArguments(given, spellings), schema);
}

export function canonicalArguments(given: unknown, spellings: Spellings): unknown {
  if (typeof given === 'string' && spellings.rawText !== undefined) return { [spellings.rawText]: given };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const renamed = rename(given, spellings.aliases ?? {});
  const args = spellings.rewrite?.(renamed) ?? renamed;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, convert(key, value, spellings)]),
  );
}

function rename(given: object, aliases: NonNullable<Spellings['aliases']>): RawArguments {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const folded = foldToolName(key);
    if (value !== null && value !== undefined && !found.has(folded)) found.set(folded, value);
  }
  const args = new Map<string, unknown>();
  for (const [canonical, others] of Object.entries(aliases)) {
    const name = [canonical, ...others].map(foldToolName).find((folded) => found.has(folded));
    if (name !== undefined) args.set(canonical, found.get(name));
  }
  for (const [key, value] of Object.entries(given))
    if (value !== null && value !== undefined && !args.has(key)) args.set(key, value);
  return Object.fromEntries(args);
}

function convert(key: string, value: unknown, spellings: Spellings): unknown {
  if (typeof value !== 'string') return value;
  if (spellings.numbers?.includes(key) && /^\s*-?\d+\s*$/.test(value)) return Number(value);
  if (spellings.flags?.includes(key) && /^\s*(true|false)\s*$/i.test(value))
    return value.trim().toLowerCase() === 'true';
  if (spellings.paths?.includes(key)) return pathOfUri(value);
  return value;
}

/** `effective_uri` is a `file://` address; some clients send one as the path too. */
function pathOfUri(value: string): string {
  if (!/^file:\/\//i.test(value)) return value;
  try {
    return fileURLToPath(value);
  } catch {
    return value;
  }
}
