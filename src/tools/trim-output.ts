/** What a model reads of one result; more costs context and says little. */
export const MAX_CONTENT_CHARACTERS = 100_000;

export interface Trimmed {
  readonly text: string;
  readonly isTrimmed: boolean;
}

/** Keeps head and tail, cut at line ends, with a notice between them that says how much is missing. */
export function trimMiddle(text: string, maxCharacters: number, hint = ''): Trimmed {
  if (text.length <= maxCharacters) return { text, isTrimmed: false };
  const half = Math.floor(maxCharacters / 2);
  const head = atLineEnd(text.slice(0, half));
  const tail = atLineStart(text.slice(text.length - half));
  const missing = text.slice(head.length, text.length - tail.length);
  const lines = missing.split('\n').length - 1;
  const notice = `[… ${missing.length} characters, ${lines} lines left out${hint === '' ? '' : `; ${hint}`} …]`;
  return { text: `${head}\n${notice}\n${tail}`, isTrimmed: true };
}

function atLineEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > text.length / 2 ? text.slice(0, end) : safeEnd(text);
}

function atLineStart(text: string): string {
  const start = text.indexOf('\n');
  return start !== -1 && start < text.length / 2 ? text.slice(start + 1) : safeStart(text);
}

/** Never half of a surrogate pair. */
function safeEnd(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

function safeStart(text: string): string {
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
}
