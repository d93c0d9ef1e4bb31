import type { JsonValue } from '../../core/index.ts';

/**
 * As much as can be read of JSON text that is still being written: an open text, list or object is closed where it
 * stands, a name without a value is left out. Undefined when nothing can be read.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const whole = parse(text);
  if (whole !== undefined) return whole;
  // Cut back to the last place where closing what is open gives JSON; the unread end is a half-written token.
  const { closers, cuts } = scan(text);
  for (const cut of [text.length, ...cuts.reverse()].slice(0, MAX_TRIES)) {
    const end = cut === text.length ? closers : scan(text.slice(0, cut)).closers;
    const value = parse(text.slice(0, cut).replace(/\\(?:u[\da-fA-F]{0,3})?$/, '') + end);
    if (value !== undefined) return value;
  }
  return undefined;
}

const MAX_TRIES = 4;

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue; // what JSON.parse gives is JSON
  } catch {
    return undefined;
  }
}

/** What would close the text, and before which commas and after which brackets it may be cut. */
function scan(text: string): { readonly closers: string; readonly cuts: number[] } {
  const open: string[] = [];
  const cuts: number[] = [];
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      cuts.push(at + 1);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') cuts.push(at);
  }
  return { closers: `${isText ? '"' : ''}${open.reverse().join('')}`, cuts };
}
