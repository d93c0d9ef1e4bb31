// Protobuf by hand, field number by field number: golden frames must not be written by the code that they test.

export type WireValue = string | number | boolean | Uint8Array | { readonly double: number };

/** A message of the given fields, in the given order. A number is a varint, a text or a message is length-delimited. */
export function proto(...fields: readonly (readonly [field: number, value: WireValue])[]): Uint8Array {
  return Buffer.concat(fields.map(([field, value]) => encodeField(field, value)));
}

function encodeField(field: number, value: WireValue): Uint8Array {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Buffer.concat([varint(field * 8), varint(Number(value))]);
  }
  if (typeof value === 'object' && 'double' in value) {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value.double);
    return Buffer.concat([varint(field * 8 + 1), bytes]);
  }
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
