// JSON at the border: parsing with errors that point at the place, and a change of one field that leaves all other
// bytes as they came.
import {
  invalidRequest,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from '../core/index.ts';

/** Reads a request body as one JSON object. Every failure names what was found and what is wanted. */
export function parseJsonBody(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) throw invalidRequest('The request body is empty; a JSON object is expected.');
  const value = parseJson(decodeUtf8(bytes));
  if (!isJsonObject(value)) {
    throw invalidRequest(`The request body must be a JSON object, not ${describe(value)}.`);
  }
  if (isTooDeep(value)) {
    throw invalidRequest(`The request body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.');
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // V8 quotes a piece of the input in its message; a body may hold secrets, so only the position is repeated.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const where = position === undefined ? 'at its end' : `at character ${position}`;
    throw invalidRequest(`The request body is not valid JSON (problem ${where}).`);
  }
}

/** "an array", "a number (5)": for error messages that show the value at fault. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return `a ${typeof value} (${text.length > 40 ? `${text.slice(0, 40)}…` : text})`;
}

/**
 * Replaces the string value of one top-level key in JSON text, every other byte untouched.
 * Returns undefined when the key is missing, doubled, spelled with escapes or not a string; the caller then re-encodes.
 * The text must already have been parsed successfully.
 */
export function replaceTopLevelString(json: string, key: string, replacement: string): string | undefined {
  const range = findTopLevelString(json, key);
  return range && json.slice(0, range.start) + JSON.stringify(replacement) + json.slice(range.end);
}

function findTopLevelString(json: string, key: string): { start: number; end: number } | undefined {
  const quotedKey = JSON.stringify(key);
  let depth = 0;
  let found: { start: number; end: number } | undefined;
  for (let index = 0; index < json.length; index++) {
    const char = json[index];
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === '"') {
      const end = stringEnd(json, index);
      if (depth === 1 && end - index === quotedKey.length && json.startsWith(quotedKey, index)) {
        const colon = skipSpace(json, end);
        if (json[colon] === ':') {
          const start = skipSpace(json, colon + 1);
          if (json[start] !== '"' || found) return undefined;
          found = { start, end: stringEnd(json, start) };
          index = found.end - 1;
          continue;
        }
      }
      index = end - 1;
    }
  }
  return found;
}

function stringEnd(json: string, openingQuote: number): number {
  let quote = json.indexOf('"', openingQuote + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote + 1;
}

function isEscaped(json: string, position: number): boolean {
  let backslashes = 0;
  while (json[position - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function skipSpace(json: string, from: number): number {
  let index = from;
  while (json[index] === ' ' || json[index] === '\n' || json[index] === '\r' || json[index] === '\t') index++;
  return index;
}
