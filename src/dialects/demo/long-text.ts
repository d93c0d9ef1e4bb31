import type { Piece } from './script.ts';

const WORDS =
  'the switch joins one line to another and every line may meet any other at its own crosspoint while the words keep coming in a steady order'.split(
    ' ',
  );
const WORDS_PER_SENTENCE = 12;
/** Beyond this many words a delta holds many of them: a hundred megabytes in single words would be all overhead. */
const MANY_WORDS = 10_000;
const WORDS_PER_LARGE_DELTA = 64;

/** Text of any length, made while it is read; nothing of it is kept. */
export function* writeLongText(words: number): Generator<Piece> {
  const perDelta = words > MANY_WORDS ? WORDS_PER_LARGE_DELTA : 1;
  for (let written = 0; written < words; ) {
    const end = Math.min(words, written + perDelta);
    let text = '';
    for (; written < end; written++) text += wordAt(written, written === words - 1);
    yield { type: 'text', text };
  }
}

function wordAt(index: number, isLast: boolean): string {
  const word = WORDS[index % WORDS.length] ?? '';
  const place = index % WORDS_PER_SENTENCE;
  const cased = place === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  const stop = isLast || place === WORDS_PER_SENTENCE - 1 ? '.' : '';
  return `${index === 0 ? '' : ' '}${cased}${stop}`;
}
