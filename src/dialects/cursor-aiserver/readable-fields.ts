// Messages that the protocol names and no public source describes keep their bytes as unknown fields. What people wrote
// into them is text, and text can be told from numbers and nested messages well enough to show it to a model.
import type { Message } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

const MAX_DEPTH = 8;
/** Control characters never stand in text that people wrote; tags and lengths of nested messages often are some. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** The texts of a message without known fields, in their order; empty when it holds none. */
export function readableFields(message: Message): readonly string[] {
  const fields = message.$unknown ?? [];
  return fields.flatMap(({ wireType, data }) =>
    wireType === WireType.LengthDelimited ? readBytes(new BinaryReader(data).bytes(), 0) : [],
  );
}

function readBytes(bytes: Uint8Array, depth: number): readonly string[] {
  const text = decodeText(bytes);
  // A nested message most often begins with the tag of its field 1, which is a line break.
  if (text !== undefined && !text.startsWith('\n')) return text.trim() === '' ? [] : [text];
  return (depth < MAX_DEPTH ? readNested(bytes, depth) : undefined) ?? (text?.trim() ? [text] : []);
}

/** Undefined when the bytes are no message. */
function readNested(bytes: Uint8Array, depth: number): readonly string[] | undefined {
  const texts: string[] = [];
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (wireType === WireType.LengthDelimited) texts.push(...readBytes(reader.bytes(), depth + 1));
      else reader.skip(wireType, number);
    }
    return texts;
  } catch {
    return undefined;
  }
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
