// Counts what a protobuf message would become before it is decoded. Two bytes on the wire can be an object of a hundred
// and more in memory, so that a bound on bytes alone does not bound memory.
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { GatewayError } from '../../core/index.ts';

/** Large honest messages are few large fields: files, images, blobs. */
const MAX_FIELDS = 200_000;
/** Numbers that travel packed are one slot of an array each, and cost less than a field. */
const PACKED_BYTES_PER_FIELD = 16;
/** As deep as the decoder itself goes; what lies below is its to refuse. */
const MAX_DEPTH = 100;
const MAP_VALUE = 2;

/** Throws `too-large` for a message of too many fields. What is no message at all is left to the decoder. */
export function refuseManyFields(schema: DescMessage, bytes: Uint8Array, maxFields = MAX_FIELDS): void {
  if (bytes.length / 2 <= maxFields) return;
  const count = new FieldCount(maxFields);
  try {
    count.add(schema, bytes, 0);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
  }
}

class FieldCount {
  readonly #maxFields: number;
  #fields = 0;

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  add(schema: DescMessage, bytes: Uint8Array, depth: number): void {
    const reader = new BinaryReader(bytes);
    const fields = fieldsOf(schema);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      this.#take(1);
      const field = fields.get(number);
      if (wireType !== WireType.LengthDelimited || field === undefined) {
        reader.skip(wireType, number);
        continue;
      }
      const payload = reader.bytes();
      if (isPacked(field)) this.#take(Math.floor(payload.length / PACKED_BYTES_PER_FIELD));
      if (depth >= MAX_DEPTH) continue;
      const inner = innerOf(field);
      if (inner !== undefined) this.add(inner, payload, depth + 1);
      else if (field.fieldKind === 'map') this.#addEntry(field, payload, depth + 1);
    }
  }

  /** The wire has a message of two fields for each entry of a map. */
  #addEntry(field: DescField & { fieldKind: 'map' }, bytes: Uint8Array, depth: number): void {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      this.#take(1);
      const isMessage = number === MAP_VALUE && field.mapKind === 'message';
      if (isMessage && wireType === WireType.LengthDelimited) this.add(field.message, reader.bytes(), depth);
      else reader.skip(wireType, number);
    }
  }

  #take(fields: number): void {
    this.#fields += fields;
    if (this.#fields <= this.#maxFields) return;
    throw new GatewayError(
      'too-large',
      `The message has more than ${this.#maxFields} fields. Send fewer and larger ones.`,
    );
  }
}

const FIELDS = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(schema: DescMessage): ReadonlyMap<number, DescField> {
  let fields = FIELDS.get(schema);
  if (!fields) {
    fields = new Map(schema.fields.map((field) => [field.number, field]));
    FIELDS.set(schema, fields);
  }
  return fields;
}

function innerOf(field: DescField): DescMessage | undefined {
  if (field.fieldKind === 'message') return field.message;
  return field.fieldKind === 'list' && field.listKind === 'message' ? field.message : undefined;
}

function isPacked(field: DescField): boolean {
  return field.fieldKind === 'list' && field.listKind !== 'message' && field.packed;
}
