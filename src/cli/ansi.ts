import type { Env } from '../config/index.ts';

export type Paint = (text: string) => string;

export interface Ansi {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** Colours for people only: not into pipes, and not when NO_COLOR (no-color.org) asks for none. */
export function createAnsi(isTerminal: boolean, env: Env): Ansi {
  const isOn = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      isOn ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Text from outside must not steer the terminal: control characters but tab and newline are shown as escapes. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (char) => {
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** Columns of the width they need; the last one is left ragged. */
export function formatTable(rows: readonly (readonly string[])[], gap = 2): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd((widths[index] ?? 0) + gap)))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
