// How the text of a file is stored: encoding, byte order mark, line ending. Kept apart from the text, so that an edit
// works on plain text and what it does not change stays as it was, byte for byte.
import { isUtf8 } from 'node:buffer';
import { FileFault } from './file-fault.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1';
export type LineEnding = '\n' | '\r\n';

export interface TextForm {
  readonly encoding: Encoding;
  readonly hasMark: boolean;
}

export interface DecodedText {
  readonly text: string;
  readonly form: TextForm;
}

export const PLAIN_FORM: TextForm = { encoding: 'utf-8', hasMark: false };

const MARKS: readonly (readonly [Encoding, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** As much as git looks at before it calls a file binary. */
const SAMPLE_BYTES = 8_000;

/** Undefined for binary content. Bytes that are not UTF-8 and hold no NUL are read as Latin-1, which loses nothing. */
export function decodeText(bytes: Buffer): DecodedText | undefined {
  const form = detectForm(bytes);
  if (form === undefined) return undefined;
  const body = bytes.subarray(form.hasMark ? markOf(form.encoding).length : 0);
  switch (form.encoding) {
    case 'utf-8':
      return { text: body.toString('utf8'), form };
    case 'latin-1':
      return { text: body.toString('latin1'), form };
    case 'utf-16le':
      return { text: body.toString('utf16le'), form };
    case 'utf-16be':
      return { text: Buffer.from(body).swap16().toString('utf16le'), form };
  }
}

export function encodeText(text: string, form: TextForm): Buffer {
  const mark = form.hasMark ? markOf(form.encoding) : Buffer.alloc(0);
  return Buffer.concat([mark, encodeBody(text, form.encoding)]);
}

function encodeBody(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'latin-1': {
      const foreign = foreignToLatin1(text);
      if (foreign === undefined) return Buffer.from(text, 'latin1');
      throw new FileFault(
        'EINVAL',
        `The file is stored as Latin-1, which has no "${foreign}" (${codePoint(foreign)}). Write the whole file to turn it into UTF-8, or use another character.`,
      );
    }
  }
}

export function foreignToLatin1(text: string): string | undefined {
  return /[\u0100-\u{10ffff}]/u.exec(text)?.[0];
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** From a whole file, or from its first bytes with `isWhole` false: then a character cut at the end is no fault. */
export function detectForm(bytes: Buffer, isWhole = true): TextForm | undefined {
  for (const [encoding, mark] of MARKS) {
    if (!bytes.subarray(0, mark.length).equals(mark)) continue;
    if (encoding === 'utf-8') {
      if (isUtf8Text(bytes, isWhole)) return { encoding, hasMark: true };
    } else if (!isWhole || bytes.length % 2 === 0) return { encoding, hasMark: true };
  }
  if (looksBinary(bytes.subarray(0, SAMPLE_BYTES))) return undefined;
  return { encoding: isUtf8Text(bytes, isWhole) ? 'utf-8' : 'latin-1', hasMark: false };
}

function isUtf8Text(bytes: Buffer, isWhole: boolean): boolean {
  if (isUtf8(bytes)) return true;
  if (isWhole) return false;
  for (let cut = 1; cut <= 3; cut++) if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  return false;
}

function looksBinary(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b) controls++;
  }
  return controls > sample.length / 10;
}

function markOf(encoding: Encoding): Buffer {
  return MARKS.find(([name]) => name === encoding)?.[1] ?? Buffer.alloc(0);
}

/** The ending most lines have; `\n` when there is none. */
export function lineEndingOf(text: string): LineEnding {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') crlf++;
    else lf++;
  }
  return crlf > lf ? '\r\n' : '\n';
}

export function withLineEnding(text: string, ending: LineEnding): string {
  const plain = text.replaceAll('\r\n', '\n');
  return ending === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

/** As people and editors count: a final line break ends the last line and starts no new one. */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
