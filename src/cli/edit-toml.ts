// Changes single keys of TOML text and leaves every other byte alone. Known from the TOML 1.0 specification.
// Reads only as much as that needs: tables, keys, and where a value ends. Values are never interpreted.
import { GatewayError } from '../core/index.ts';

interface Statement {
  readonly kind: 'table' | 'key';
  /** The full dotted path of the table, or of the key within it. */
  readonly path: readonly string[];
  /** The path of the table this statement stands in; for a table its own. */
  readonly table: readonly string[];
  readonly start: number;
  /** The value's own range, comment and line break not included. */
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Just after the line break that ends the statement. */
  readonly end: number;
}

/** Sets `table.key = value`, where value is finished TOML. An empty table path means the top of the file. */
export function setTomlKey(text: string, table: readonly string[], key: string, value: string): string {
  const statements = scan(text);
  const path = [...table, key];
  const existing = statements.find((statement) => statement.kind === 'key' && isSame(statement.path, path));
  if (existing) return text.slice(0, existing.valueStart) + value + text.slice(existing.valueEnd);
  refuseInline(statements, path);

  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const line = `${formatKey(key)} = ${value}${eol}`;
  const header = statements.find((statement) => statement.kind === 'table' && isSame(statement.path, table));
  if (table.length > 0 && !header) {
    const gap = text.trim() === '' ? '' : eol;
    return `${withLineEnd(text, eol)}${gap}[${table.map(formatKey).join('.')}]${eol}${line}`;
  }
  const inTable = statements.filter((statement) => isSame(statement.table, table));
  const last = inTable.at(-1);
  const at = last?.end ?? topInsertion(text, statements);
  const before = withLineEnd(text.slice(0, at), eol);
  const isCrowded = last === undefined && statements.length > 0; // a blank line before the first table
  return before + line + (isCrowded ? eol : '') + text.slice(at);
}

/** With no key of its own yet, the top of the file ends where the first table (and the comments on it) begins. */
function topInsertion(text: string, statements: readonly Statement[]): number {
  const first = statements[0];
  if (!first) return text.length;
  const lines = text.slice(0, first.start).split(/(?<=\n)/);
  while (lines.at(-1)?.trimStart().startsWith('#')) lines.pop();
  return lines.join('').length;
}

export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f'); // JSON's escapes are TOML's, but for DEL
}

/** The whole text must be understood, or nothing is touched. */
export function checkToml(text: string): void {
  scan(text);
}

function refuseInline(statements: readonly Statement[], path: readonly string[]): void {
  const inline = statements.find(
    ({ kind, path: other }) =>
      kind === 'key' && other.length < path.length && isSame(other, path.slice(0, other.length)),
  );
  if (!inline) return;
  const name = inline.path.join('.');
  throw broken(`${name} is an inline table, which this command does not edit. Write it as [${name}] first.`);
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((step, index) => step === right[index]);
}

function withLineEnd(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol;
}

function formatKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

function broken(what: string): GatewayError {
  return new GatewayError('conflict', `The TOML file was left alone: ${what}`);
}

function scan(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  let position = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (position < text.length) {
    const start = position;
    position = skipBlank(text, position);
    const char = text[position];
    if (char === undefined) break;
    if (char === '\n' || char === '\r' || char === '#') {
      position = lineEnd(text, position);
      continue;
    }
    const fail = (what: string) => broken(`line ${text.slice(0, start).split('\n').length} ${what}.`);
    if (char === '[') {
      const isArray = text[position + 1] === '[';
      const key = readKey(text, position + (isArray ? 2 : 1), fail);
      const close = isArray ? ']]' : ']';
      if (!text.startsWith(close, key.end)) throw fail('opens a table and does not close it');
      table = isArray ? [...key.path, `#${statements.length}`] : key.path; // entries of an array are never edited
      const end = statementEnd(text, key.end + close.length, fail);
      statements.push({
        kind: 'table',
        path: table,
        table,
        start,
        valueStart: key.end,
        valueEnd: key.end,
        end,
      });
      position = end;
      continue;
    }
    const key = readKey(text, position, fail);
    if (text[key.end] !== '=') throw fail('is neither a table, a key with a value, nor a comment');
    const valueStart = skipBlank(text, key.end + 1);
    const valueEnd = readValue(text, valueStart, fail);
    const end = statementEnd(text, valueEnd, fail);
    statements.push({ kind: 'key', path: [...table, ...key.path], table, start, valueStart, valueEnd, end });
    position = end;
  }
  return statements;
}

type Fail = (what: string) => GatewayError;

function readKey(text: string, from: number, fail: Fail): { path: string[]; end: number } {
  const path: string[] = [];
  let position = from;
  for (;;) {
    position = skipBlank(text, position);
    const quote = text[position];
    if (quote === '"' || quote === "'") {
      const end = readString(text, position, fail);
      path.push(text.slice(position + 1, end - 1));
      position = end;
    } else {
      const bare = /^[\w-]+/.exec(text.slice(position, position + 256))?.[0];
      if (bare === undefined) throw fail('has no readable key');
      path.push(bare);
      position += bare.length;
    }
    position = skipBlank(text, position);
    if (text[position] !== '.') return { path, end: position };
    position++;
  }
}

/** The end of a value: strings and brackets are followed to their end, everything else to the end of the word. */
function readValue(text: string, from: number, fail: Fail): number {
  const char = text[from];
  if (char === '"' || char === "'") return readString(text, from, fail);
  if (char === '[' || char === '{') return readBrackets(text, from, fail);
  const word = /^[^\s#,\]}]+(?: \d[\d:.Z+-]*)?/.exec(text.slice(from, from + 256))?.[0];
  if (word === undefined) throw fail('has a key without a value');
  return from + word.length;
}

function readBrackets(text: string, from: number, fail: Fail): number {
  let depth = 0;
  let position = from;
  while (position < text.length) {
    const char = text[position];
    if (char === '"' || char === "'") {
      position = readString(text, position, fail);
      continue;
    }
    if (char === '#') {
      position = lineEnd(text, position);
      continue;
    }
    if (char === '[' || char === '{') depth++;
    if (char === ']' || char === '}') depth--;
    position++;
    if (depth === 0) return position;
  }
  throw fail('opens a bracket that never closes');
}

function readString(text: string, from: number, fail: Fail): number {
  const quote = text[from] ?? '';
  const isLong = text.startsWith(quote.repeat(3), from);
  const close = isLong ? quote.repeat(3) : quote;
  let position = from + close.length;
  while (position < text.length) {
    if (quote === '"' && text[position] === '\\') {
      position += 2;
      continue;
    }
    if (text.startsWith(close, position)) {
      position += close.length;
      // Up to two quotes may stand right before the closing three.
      while (isLong && text[position] === quote) position++;
      return position;
    }
    if (!isLong && text[position] === '\n') break;
    position++;
  }
  throw fail('opens a string that never closes');
}

function statementEnd(text: string, from: number, fail: Fail): number {
  const position = skipBlank(text, from);
  const char = text[position];
  if (char !== undefined && char !== '#' && char !== '\n' && char !== '\r')
    throw fail('goes on after its value');
  return lineEnd(text, position);
}

function skipBlank(text: string, from: number): number {
  let position = from;
  while (text[position] === ' ' || text[position] === '\t') position++;
  return position;
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline + 1;
}
