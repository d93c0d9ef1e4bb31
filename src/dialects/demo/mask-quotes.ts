/** A text whose quoted stretches, code and JSON objects are each one private-use character, so that it can be split. */
export interface MaskedText {
  readonly text: string;
  /** What a stretch means: a lone quoted stretch without its quotes, anything else as it was written. */
  value(masked: string): string;
  /** The stretch as it was written, quotes included. */
  source(masked: string): string;
  /** The JSON object behind a lone placeholder. */
  isJson(masked: string): boolean;
}

interface Literal {
  readonly source: string;
  readonly inner: string;
  readonly isJson: boolean;
}

const FIRST = 0xe000;
const MAX_LITERALS = 4000;
const MAX_JSON_ATTEMPTS = 20;
const PLACEHOLDERS = /[\uE000-\uF8FF]/g;

/** Matches one placeholder, for use inside other patterns. */
export const PLACEHOLDER = '[\\uE000-\\uF8FF]';

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '«': '»' };

export function maskQuotes(text: string): MaskedText {
  const literals: Literal[] = [];
  // A kind of quote that has no end from here on has none further right either: one look is enough.
  const endless = new Set<string>();
  let jsonAttempts = 0;
  let masked = '';
  let position = 0;

  while (position < text.length) {
    const literal = literals.length < MAX_LITERALS ? readLiteral(position) : undefined;
    if (literal) {
      masked += String.fromCharCode(FIRST + literals.length);
      literals.push(literal);
      position += literal.source.length;
    } else {
      masked += text[position];
      position++;
    }
  }

  const find = (character: string) => literals[character.charCodeAt(0) - FIRST];
  const source = (stretch: string) =>
    stretch.replace(PLACEHOLDERS, (character) => find(character)?.source ?? character);
  const value = (stretch: string) => {
    const trimmed = stretch.trim();
    return (trimmed.length === 1 ? find(trimmed)?.inner : undefined) ?? source(trimmed);
  };
  return { text: masked, value, source, isJson: (stretch) => find(stretch.trim())?.isJson ?? false };

  function readLiteral(start: number): Literal | undefined {
    const character = text[start] ?? '';
    const code = character.charCodeAt(0);
    // A private-use character of the user's own stands for itself.
    if (code >= FIRST && code <= 0xf8ff) return { source: character, inner: character, isJson: false };
    if (text.startsWith('```', start)) return readFence(start);
    if (character === '{') return readJson(start);
    return CLOSING[character] === undefined ? undefined : readQuoted(start, character, CLOSING[character]);
  }

  function readFence(start: number): Literal | undefined {
    const end = endless.has('```') ? -1 : text.indexOf('```', start + 3);
    if (end < 0) {
      endless.add('```');
      return undefined;
    }
    const body = text.slice(start + 3, end);
    const newline = body.indexOf('\n');
    const isInfoLine = newline >= 0 && /^[^\s`]*\s*$/.test(body.slice(0, newline));
    return {
      source: text.slice(start, end + 3),
      inner: isInfoLine ? body.slice(newline + 1) : body,
      isJson: false,
    };
  }

  function readJson(start: number): Literal | undefined {
    if (jsonAttempts >= MAX_JSON_ATTEMPTS) return undefined;
    jsonAttempts++;
    const end = findObjectEnd(text, start);
    if (end === undefined) return undefined;
    const source = text.slice(start, end);
    try {
      JSON.parse(source);
      return { source, inner: source, isJson: true };
    } catch {
      return undefined; // braces of a shell command or of code: ordinary text
    }
  }

  function readQuoted(start: number, open: string, close: string): Literal | undefined {
    if (endless.has(open) || !/[\s([{:=,>]/.test(text[start - 1] ?? ' ')) return undefined;
    for (let end = text.indexOf(close, start + 1); end >= 0; end = text.indexOf(close, end + 1)) {
      if (close === '"' && text[end - 1] === '\\') continue;
      // An apostrophe inside a word ("don't") does not end a quotation.
      if (close === "'" && /[\p{L}\p{N}]/u.test(text[end + 1] ?? ' ')) continue;
      const inner = text.slice(start + 1, end);
      return {
        source: text.slice(start, end + 1),
        inner: close === '"' ? inner.replaceAll('\\"', '"') : inner,
        isJson: false,
      };
    }
    endless.add(open);
    return undefined;
  }
}

function findObjectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return undefined;
}
