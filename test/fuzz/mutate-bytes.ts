// Changes to a body once it is text or bytes: what no JSON library would write.
import type { SeededRandom } from './seeded-random.ts';

type ByteChange = (text: string, random: SeededRandom) => Uint8Array;

const encoder = new TextEncoder();

export function mutateBytes(text: string, random: SeededRandom): Uint8Array {
  return random.pick(BYTE_CHANGES)(text, random);
}

const BYTE_CHANGES: readonly ByteChange[] = [
  (text, random) => encoder.encode(text.slice(0, random.below(text.length))),
  (text, random) => encoder.encode(repeatKey(text, random)),
  (text, random) =>
    insertBytes(text, random.pick([[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f]]), random),
  (text, random) => flipByte(encoder.encode(text), random),
  (text, random) => encoder.encode(text + random.pick([',', '}', 'null', '\n{}', '\u0000', '//'])),
  (text, random) => encoder.encode(random.pick(['\ufeff', ' \n\t', '[', '//x\n', 'data: ']) + text),
  (text, random) => encoder.encode(putDigits(text, random)),
  (text, random) =>
    encoder.encode(text.replace(/"(?=[a-z])/, random.pick(["'", '"\\ud800', '"\\u0000', '']))),
  (text, random) => encoder.encode(sinkValue(text, random)),
  (_, random) => {
    const depth = random.pick([100, 10_000, 100_000]);
    return encoder.encode(`{"messages":${'['.repeat(depth)}${random.chance(0.5) ? ']'.repeat(depth) : ''}}`);
  },
  (text, random) =>
    encoder.encode(
      random.pick(['', '{}', '[]', 'null', '1', '"text"', 'NaN', `[${text}]`, JSON.stringify(text)]),
    ),
];

/** The same key again, with a value of another kind, before or after the real one. */
function repeatKey(text: string, random: SeededRandom): string {
  const keys = [...text.matchAll(/"(\w+)":/g)];
  if (keys.length === 0) return text;
  const key = random.pick(keys);
  const junk = random.pick(['null', '1', '"x"', '[]', '{}', '{"type":"function"}']);
  return `${text.slice(0, key.index)}"${key[1]}":${junk},${text.slice(key.index)}`;
}

/** A value so deep in lists or objects that a recursive reader runs out of stack; JSON.parse does not. */
function sinkValue(text: string, random: SeededRandom): string {
  const values = [...text.matchAll(/:("[^"\\]*"|\d+|\{\}|\[\])/g)];
  if (values.length === 0) return text;
  const { index, 0: found, 1: value = 'null' } = random.pick(values);
  const depth = random.pick([300, 5000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"properties":', '}'],
    ['{"content":', '}'],
  ] as const);
  const sunk = open.repeat(depth) + value + close.repeat(depth);
  return `${text.slice(0, index)}:${sunk}${text.slice(index + found.length)}`;
}

function insertBytes(text: string, bytes: readonly number[], random: SeededRandom): Uint8Array {
  const at = random.below(text.length);
  return Buffer.concat([
    encoder.encode(text.slice(0, at)),
    Uint8Array.from(bytes),
    encoder.encode(text.slice(at)),
  ]);
}

function flipByte(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return bytes;
}

function putDigits(text: string, random: SeededRandom): string {
  const digits = random.pick(['1e999', '-0', '9'.repeat(400), '0x1', '1.', '-1e-400']);
  return text.replace(/:(?:\d+|true|false|null)/, `:${digits}`);
}
