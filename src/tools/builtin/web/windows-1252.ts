/** The characters of bytes 128 to 159; five are unassigned and stand for themselves. */
const UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** By hand, because Node 20 to 23 decode this encoding as if it were latin1 and lose every typographic quote. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => UPPER[character.charCodeAt(0) - 128] ?? character);
}
