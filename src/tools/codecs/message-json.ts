// JSON under a message's own field names, to and from the message: the ground all tool codecs stand on.
// proto3 JSON differs from canonical data in two points, both mended here: 64-bit numbers are text in it, and
// enum values carry a prefix that the words of tool arguments do not have.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type MessageShape,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { GatewayError, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

export type LooseFields = Readonly<Record<string, JsonValue | undefined>>;

export interface WrittenMessage<Desc extends DescMessage> {
  readonly message: MessageShape<Desc>;
  /** Paths of values that the message has no place for, or not for a value of that kind. */
  readonly lost: readonly string[];
}

/** Never throws: what does not fit is left out and named. */
export function writeMessage<Desc extends DescMessage>(desc: Desc, given: LooseFields): WrittenMessage<Desc> {
  const lost: string[] = [];
  const fields = fitFields(desc, given, '', lost);
  return { message: fromJson(desc, fields), lost };
}

/** `words` gives enum values as tool arguments spell them (`in_progress`), `numbers` as result data does. */
export type EnumForm = 'words' | 'numbers';

/** Fields that hold their zero and have no presence of their own are left out. */
export function readMessage<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  enums: EnumForm,
): JsonObject {
  let json: unknown;
  try {
    json = toJson(desc, message, { useProtoFieldName: true });
  } catch (cause) {
    // A peer may send what JSON cannot say: a Value without a kind, a number that is none.
    throw new GatewayError(
      'invalid-request',
      `The message ${desc.typeName} holds a value that has no JSON form; send plain numbers, texts, lists and objects.`,
      { cause },
    );
  }
  return isJsonObject(json) ? tidyFields(desc, json, enums) : {};
}

function fitFields(desc: DescMessage, given: LooseFields, path: string, lost: string[]): JsonObject {
  const fitted: JsonObject = {};
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const field = desc.fields.find((one) => one.name === name);
    const choice = field?.oneof?.name;
    const fits = field === undefined || (choice !== undefined && taken.has(choice)) ? undefined : field;
    const result = fits && fitField(fits, value, at, lost);
    if (result === undefined) lost.push(at);
    else {
      fitted[name] = result;
      if (choice !== undefined) taken.add(choice);
    }
  }
  return fitted;
}

function fitField(field: DescField, value: JsonValue, at: string, lost: string[]): JsonValue | undefined {
  switch (field.fieldKind) {
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, index) => keep(fitItem(field, item, `${at}[${index}]`, lost), at, index, lost))
        : undefined;
    case 'map': {
      if (!isJsonObject(value)) return undefined;
      const entries = Object.entries(value).flatMap(([key, item]) =>
        keep(fitItem(field, item, `${at}.${key}`, lost), at, key, lost).map((kept) => [key, kept] as const),
      );
      return Object.fromEntries(entries);
    }
    default:
      return fitItem(field, value, at, lost);
  }
}

function keep(value: JsonValue | undefined, at: string, key: string | number, lost: string[]): JsonValue[] {
  if (value !== undefined) return [value];
  lost.push(typeof key === 'number' ? `${at}[${key}]` : `${at}.${key}`);
  return [];
}

function fitItem(field: DescField, value: JsonValue, at: string, lost: string[]): JsonValue | undefined {
  if (field.message) return fitNested(field.message, value, at, lost);
  if (field.enum) return fitEnum(field.enum, value);
  return field.scalar === undefined ? undefined : fitScalar(field.scalar, value);
}

function fitNested(desc: DescMessage, value: JsonValue, at: string, lost: string[]): JsonValue | undefined {
  if (!isWellKnown(desc)) return isJsonObject(value) ? fitFields(desc, value, at, lost) : undefined;
  try {
    fromJson(desc, value);
    return value;
  } catch {
    return undefined; // not what that type means, e.g. a Timestamp that is no date
  }
}

function fitEnum(desc: DescEnum, value: JsonValue): JsonValue | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) <= MAX_INT32 ? value : undefined;
  const wanted = String(value).toLowerCase();
  return desc.values.find((one) => one.name.toLowerCase() === wanted || wordOf(desc, one.name) === wanted)
    ?.number;
}

const MAX_INT32 = 2 ** 31 - 1;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function fitScalar(type: ScalarType, value: JsonValue): JsonValue | undefined {
  switch (type) {
    case ScalarType.STRING:
      return typeof value === 'string' ? value : undefined;
    case ScalarType.BOOL:
      return typeof value === 'boolean' ? value : undefined;
    case ScalarType.BYTES:
      return typeof value === 'string' && BASE64.test(value) && value.length % 4 !== 1 ? value : undefined;
    case ScalarType.DOUBLE:
      return typeof value === 'number' ? value : undefined;
    case ScalarType.FLOAT:
      return typeof value === 'number' && Math.abs(value) < 3.4e38 ? value : undefined;
    default:
      return fitInteger(type, value);
  }
}

function fitInteger(type: ScalarType, value: JsonValue): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
  const isUnsigned = UNSIGNED.has(type);
  if (isUnsigned && number < 0) return undefined;
  if (WIDE.has(type)) return number;
  const largest = isUnsigned ? 2 ** 32 - 1 : MAX_INT32;
  return number <= largest && number >= -(2 ** 31) ? number : undefined;
}

const WIDE: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
const UNSIGNED: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);

function tidyFields(desc: DescMessage, json: JsonObject, enums: EnumForm): JsonObject {
  const tidied = Object.entries(json).map(([name, value]) => {
    const field = desc.fields.find((one) => one.name === name);
    return [name, field ? tidyField(field, value, enums) : value] as const;
  });
  return Object.fromEntries(tidied);
}

function tidyField(field: DescField, value: JsonValue, enums: EnumForm): JsonValue {
  if (field.fieldKind === 'list' && Array.isArray(value))
    return value.map((item) => tidyItem(field, item, enums));
  if (field.fieldKind === 'map' && isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, tidyItem(field, item, enums)]);
    return Object.fromEntries(entries);
  }
  return tidyItem(field, value, enums);
}

function tidyItem(field: DescField, value: JsonValue, enums: EnumForm): JsonValue {
  if (field.message)
    return isJsonObject(value) && !isWellKnown(field.message)
      ? tidyFields(field.message, value, enums)
      : value;
  if (field.enum && typeof value === 'string') {
    const number = field.enum.values.find((one) => one.name === value)?.number;
    return enums === 'numbers' && number !== undefined ? number : wordOf(field.enum, value);
  }
  if (field.scalar !== undefined && WIDE.has(field.scalar) && typeof value === 'string') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  return value;
}

function wordOf(desc: DescEnum, name: string): string {
  const lower = name.toLowerCase();
  const prefix = desc.sharedPrefix?.toLowerCase() ?? '';
  return lower.startsWith(prefix) ? lower.slice(prefix.length) : lower;
}

/** `google.protobuf.*` have a JSON form of their own. */
function isWellKnown(desc: DescMessage): boolean {
  return desc.typeName.startsWith('google.protobuf.');
}
