const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Where ids come from; a parameter everywhere, so that tests can count. */
export type IdSource = (prefix: string) => string;

/** 24 characters of base 62: about 143 bits, enough to never meet twice. */
export const randomId: IdSource = (prefix) => {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  let text = prefix;
  for (const byte of bytes) text += ALPHABET[byte % 62];
  return text;
};

/** Ids in counting order, for tests and for the deterministic demo model. */
export function countingIds(start = 1): IdSource {
  let next = start;
  return (prefix) => `${prefix}${next++}`;
}
