// The demo model's own tokenizer: a token is up to four blanks and then up to eight letters, four digits or one sign.
// It is exact for this model by definition, and means nothing for any other.

const MAX_BLANKS = 4;

type CharacterClass = 'blank' | 'letter' | 'digit' | 'sign';

const MAX_LENGTH: Readonly<Record<CharacterClass, number>> = { blank: 0, letter: 8, digit: 4, sign: 1 };

/** The pieces of a text; they concatenate to it, and none ends inside a surrogate pair. */
export function* splitTokens(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = tokenEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
}

export function countTokens(text: string): number {
  let count = 0;
  for (let start = 0; start < text.length; start = tokenEnd(text, start)) count++;
  return count;
}

/** The longest beginning of a text that has at most so many tokens, and how many it has. */
export function takeTokens(text: string, limit: number): { readonly text: string; readonly tokens: number } {
  let tokens = 0;
  let end = 0;
  while (end < text.length && tokens < limit) {
    end = tokenEnd(text, end);
    tokens++;
  }
  return { text: text.slice(0, end), tokens };
}

function tokenEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < MAX_BLANKS && classOf(text.charCodeAt(end)) === 'blank') end++;
  if (end >= text.length) return end;
  const wanted = classOf(text.charCodeAt(end));
  const limit = end + MAX_LENGTH[wanted];
  while (end < text.length && end < limit && classOf(text.charCodeAt(end)) === wanted) end++;
  const isInsidePair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return isInsidePair ? end + 1 : end;
}

function classOf(unit: number): CharacterClass {
  if (unit === 32 || (unit >= 9 && unit <= 13)) return 'blank';
  if (unit >= 48 && unit <= 57) return 'digit';
  // Everything past ASCII counts as a letter: cheap, and never a reason to cut inside a word.
  if ((unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit >= 128) return 'letter';
  return 'sign';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
