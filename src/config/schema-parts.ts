// The leaves that sections are made of. Each says in plain words what it wants, and takes what `${VARIABLE}` and
// CROSSPOINT_… can give: words and digits in a string.
import { z } from 'zod';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** A mapping that knows all its keys. Unknown ones keep zod's own issue, which lists them. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be a mapping of keys'),
  });
}

export function text(wish: string) {
  return z.string({ error: wish }).min(1, { error: wish });
}

/** Numbers may also arrive as digits in a string: `${PORT}` and CROSSPOINT_SERVER_PORT have no other form. */
export function wholeNumber(min: number, max: number, unit = '') {
  const error = `must be a whole number${unit && ` of ${unit}`} from ${min} to ${max}`;
  const number = z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value),
    number,
  );
}

/** A sum of money, or any other measure that is no whole number. */
export function amount() {
  const error = 'must be a number of 0 or more';
  const number = z.number({ error }).min(0, { error });
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value),
    number,
  );
}

/** Lists may also arrive as one string with commas, from the environment. */
export function textList(wish: string) {
  const list = z.array(text(wish), { error: 'must be a list' });
  return z.preprocess((value) => (typeof value === 'string' ? splitList(value) : value), list);
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** From the environment a flag can only be a word. */
export function flag() {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false };
  return z.preprocess(
    (value) => (typeof value === 'string' ? (words[value.toLowerCase()] ?? value) : value),
    z.boolean({ error: 'must be true or false' }),
  );
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${joinOr(values)}` });
}

export function joinOr(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

export function httpUrl(wish: string) {
  return z.string({ error: wish }).refine((value) => isHttpUrl(value), { error: wish });
}

export function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

export function milliseconds(max: number) {
  return wholeNumber(1, max, 'milliseconds');
}
