import { isJsonObject, type JsonValue } from '../core/index.ts';

const COLOURS: Readonly<Record<string, string>> = {
  trace: '90',
  debug: '90',
  info: '36',
  warn: '33',
  error: '31',
  fatal: '31;1',
};

/** Turns one JSON log line into one line for people: time, level, message, then the fields that are left. */
export function formatPretty(line: string, options: { readonly colour: boolean }): string {
  const record = parse(line);
  if (!isJsonObject(record)) return line;
  const { level, time, msg, err, ...fields } = record;
  const levelText = String(level ?? 'info');
  const paint = (code: string | undefined, text: string) =>
    options.colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  const parts = [
    paint('90', String(time ?? '').slice(11, 19)),
    paint(COLOURS[levelText], levelText.toUpperCase().padEnd(5)),
    oneLine(String(msg ?? '')),
  ];
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${show(value)}`);
  if (rest.length > 0) parts.push(paint('90', rest.join(' ')));
  if (err !== undefined) parts.push(paint('31', describeError(err)));
  return `${parts.filter((part) => part !== '').join(' ')}\n`;
}

function parse(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue; // pino wrote it
  } catch {
    return undefined;
  }
}

function show(value: JsonValue | undefined): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? '';
}

function describeError(err: JsonValue): string {
  if (!isJsonObject(err)) return oneLine(String(err));
  const code = err.code === undefined ? '' : ` [${show(err.code)}]`;
  const cause = err.cause === undefined ? '' : ` ← ${describeError(err.cause)}`;
  return oneLine(`${String(err.type ?? 'Error')}${code}: ${String(err.message ?? '')}`) + cause;
}

/** Line breaks and other control characters would let a stranger's text forge log lines or drive the terminal. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
