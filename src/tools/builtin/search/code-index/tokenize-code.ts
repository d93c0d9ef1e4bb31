/** Words of questions, not of code. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from has have how i in is it its of on or that the their there these this to was we what when where which who why will with you'.split(
    ' ',
  ),
);

const MAX_TERM_CHARACTERS = 40;

/** `parseHTTPRequest_v2` → parse, http, request, v2 and the whole; long runs that are data rather than words are left out. */
export function tokenizeCode(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) {
    if (word.length > MAX_TERM_CHARACTERS) continue;
    const parts = word
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .split(/[\s_$]+/)
      .filter((part) => part !== '');
    if (parts.length > 1) terms.push(parts.join(''));
    terms.push(...parts);
  }
  return terms;
}

/** One form for the forms of a word; null drops it. Light on purpose: names in code are not prose. */
export function normaliseTerm(term: string): string | null {
  const lower = term.toLowerCase();
  if (lower.length < 2 || STOP_WORDS.has(lower)) return null;
  return stem(lower);
}

function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 6 && /(?:ing|ers)$/.test(word)) return word.slice(0, -3);
  if (word.length > 5 && /(?:ed|er|es)$/.test(word)) return word.slice(0, -2);
  if (word.length > 4 && word.endsWith('e')) return word.slice(0, -1);
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
