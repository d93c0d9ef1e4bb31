import type { JsonObject, JsonValue } from '../../core/index.ts';
import { foldName } from './find-tool.ts';
import { matchesSchema } from './match-schema.ts';
import { joinPath } from './paths.ts';
import { createInstance, setOwn } from './schema-instance.ts';
import { listOf, propertiesOf, requiredOf, schemaVariants, typesOf } from './schema-variants.ts';

/** A value that wants a place among a tool's properties. */
export interface Slot {
  /** Folded property names it may go by, best first. */
  readonly names: readonly string[];
  /** Several values go into an array property, or joined into a string. */
  readonly values: readonly string[];
  readonly isRequired: boolean;
  readonly isPath?: boolean;
  /** Names inside an object that stands for one value (`{ path }`, `{ content }`). */
  readonly innerNames?: readonly string[];
  /** How the values look in one string, under a property of this folded name. */
  readonly join?: (values: readonly string[], name: string) => string;
  /** What an array of strings gets instead of the plain values, under these property names: a shell's argv. */
  readonly argv?: { readonly names: readonly string[]; readonly values: readonly string[] };
  /** Goes only where the schema lists it: which sub-command a many-in-one tool shall do. */
  readonly isChoice?: boolean;
  /** Goes only into booleans. */
  readonly isFlag?: boolean;
  /** A group of values that live together in one object or in one item of an array (`edits: [{ … }]`). */
  readonly fields?: readonly Slot[];
}

export interface ArgumentContext {
  /** A phrase that says what the call is for. */
  readonly purpose: string;
  readonly words: readonly string[];
  readonly workingDirectory?: string | undefined;
  readonly toolDescription?: string | undefined;
}

/**
 * Arguments that fit a tool's own schema: each value under the name the tool has for it, required properties without
 * a counterpart filled validly, optional ones left out. Undefined when a required value has no place.
 */
export function buildArguments(
  schema: JsonObject | undefined,
  slots: readonly Slot[],
  context: ArgumentContext,
): JsonObject | undefined {
  const root = schema ?? {};
  for (const variant of schemaVariants(root, root)) {
    const built = buildObject(variant, slots, { ...context, root });
    if (built && matchesSchema(built, root, root)) return built;
  }
  return undefined;
}

interface BuildContext extends ArgumentContext {
  readonly root: JsonObject;
  /** The place in the array that is being filled. */
  readonly index?: number;
}

function buildObject(
  schema: JsonObject,
  slots: readonly Slot[],
  context: BuildContext,
): JsonObject | undefined {
  const properties = propertiesOf(schema);
  const keysByName = new Map(Object.keys(properties).map((key) => [foldName(key), key]));
  const result: JsonObject = {};
  // A tool that declares nothing takes what it is given, under the commonest names.
  const isOpen = keysByName.size === 0 && schema.additionalProperties !== false;
  for (const slot of slots) {
    const isPlaced = isOpen
      ? placeOpen(slot, result)
      : placeSlot(slot, keysByName, properties, result, context);
    if (!isPlaced && slot.isRequired) return undefined;
  }
  for (const key of requiredOf(schema)) {
    if (!Object.hasOwn(result, key)) setOwn(result, key, fill(key, properties[key], context));
  }
  return result;
}

function placeOpen(slot: Slot, result: JsonObject): boolean {
  const name = slot.names[0];
  if (name === undefined || slot.isChoice || slot.isFlag || slot.fields) return false;
  setOwn(result, name, joinValues(slot, name));
  return true;
}

function placeSlot(
  slot: Slot,
  keysByName: ReadonlyMap<string, string>,
  properties: Readonly<Record<string, JsonValue>>,
  result: JsonObject,
  context: BuildContext,
): boolean {
  for (const name of slot.names) {
    const key = keysByName.get(name);
    if (key === undefined || Object.hasOwn(result, key)) continue;
    const value = fitValue(slot, key, properties[key], context, '');
    if (value === undefined) continue;
    setOwn(result, key, value);
    return true;
  }
  return false;
}

function fitValue(
  slot: Slot,
  key: string,
  schema: JsonValue | undefined,
  context: BuildContext,
  outerDescription: string,
): JsonValue | undefined {
  for (const variant of schemaVariants(schema, context.root)) {
    const own = typeof variant.description === 'string' ? variant.description : '';
    const description = `${outerDescription} ${own}`;
    for (const type of typesToTry(variant)) {
      const value = fitType(type, slot, key, variant, context, description);
      if (value !== undefined && matchesSchema(value, schema, context.root)) return value;
    }
  }
  return undefined;
}

function typesToTry(variant: JsonObject): readonly string[] {
  const types = typesOf(variant);
  return types.length > 0 ? types : ['string'];
}

function fitType(
  type: string,
  slot: Slot,
  key: string,
  schema: JsonObject,
  context: BuildContext,
  description: string,
): JsonValue | undefined {
  if (slot.isFlag) return type === 'boolean' ? true : undefined;
  if (slot.isChoice) {
    const options = listOf(schema.enum ?? (schema.const === undefined ? [] : [schema.const]));
    return slot.values.find((value) => options.includes(value));
  }
  if (type === 'array') return fitArray(slot, key, schema, context, description);
  if (type === 'object') {
    const inner = slot.fields ?? [{ ...slot, names: [...(slot.innerNames ?? []), ...slot.names] }];
    return buildObject(schema, inner, context);
  }
  if (type !== 'string' || slot.fields) return undefined;
  const text = joinValues(slot, foldName(key));
  return slot.isPath ? placePath(text, key, description, context) : text;
}

function fitArray(
  slot: Slot,
  key: string,
  schema: JsonObject,
  context: BuildContext,
  description: string,
): JsonValue | undefined {
  const isArgv = slot.argv?.names.includes(foldName(key)) ?? false;
  const values = isArgv && slot.argv ? slot.argv.values : slot.values;
  const { join, ...plain } = slot;
  const singles = slot.fields ? [slot] : values.map((value) => ({ ...plain, values: [value] }));
  const items: JsonValue[] = [];
  for (const [index, single] of singles.entries()) {
    const purpose = join ? single.values.join() : context.purpose;
    const item = fitValue(single, key, schema.items, { ...context, purpose, index }, description);
    if (item === undefined) return undefined;
    items.push(item);
  }
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  for (let seed = items.length; items.length < least; seed++) {
    items.push(createInstance(schema.items, { root: context.root, words: context.words, seed }));
  }
  return items;
}

function joinValues(slot: Slot, name: string): string {
  return slot.join ? slot.join(slot.values, name) : slot.values.join('\n');
}

function placePath(path: string, key: string, description: string, context: BuildContext): string {
  if (context.workingDirectory === undefined) return path;
  const text = /absolute|relative/i.test(description)
    ? description
    : `${description} ${context.toolDescription ?? ''}`;
  return wantsAbsolute(key, text) ? joinPath(context.workingDirectory, path) : path;
}

function wantsAbsolute(key: string, text: string): boolean {
  if (/^absolute/i.test(key)) return true;
  if (!/\babsolute\b/i.test(text)) return false;
  return /\bnot (?:a )?relative\b/i.test(text) || !/\brelative\b/i.test(text);
}

/** Values with a meaning of their own; anything else comes from the schema alone. */
const FILLERS: Readonly<Record<string, JsonValue>> = {
  shouldreadentirefile: true,
  startlineoneindexed: 1,
  endlineoneindexedinclusive: 250,
  isbackground: false,
  merge: false,
  status: 'pending',
};

const PURPOSE_NAMES = new Set(
  'description explanation reason purpose summary title instructions instruction prompt activeform intent thought label'.split(
    ' ',
  ),
);

function fill(key: string, schema: JsonValue | undefined, context: BuildContext): JsonValue {
  const name = foldName(key);
  const named =
    name === 'id'
      ? String((context.index ?? 0) + 1)
      : Object.hasOwn(FILLERS, name)
        ? FILLERS[name]
        : undefined;
  const filler = PURPOSE_NAMES.has(name) ? capitalise(context.purpose) : named;
  const hasDefault = schemaVariants(schema, context.root).some((variant) => variant.default !== undefined);
  if (
    filler !== undefined &&
    schema !== undefined &&
    !hasDefault &&
    matchesSchema(filler, schema, context.root)
  )
    return filler;
  return createInstance(schema, { root: context.root, words: context.words });
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
