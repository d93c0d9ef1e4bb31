/** A part of a file's lines: 1-based `start`, `count` lines from there. */
export interface LineRange {
  readonly start: number;
  readonly limit: number;
}

export const DEFAULT_LINES = 2_000;
export const MAX_LINE_CHARACTERS = 2_000;
const NUMBER_WIDTH = 6;

/** The first line wanted: `offset` counts from 1, a negative one from the end; 0 and none mean the beginning. */
export function firstLine(offset: number | undefined, totalLines: number): number {
  if (offset === undefined || offset === 0) return 1;
  return offset > 0 ? offset : Math.max(1, totalLines + offset + 1);
}

/** What is shown of a range, filled line by line until a limit is reached. */
export class LineWindow {
  readonly #start: number;
  readonly #limit: number;
  readonly #maxCharacters: number;
  readonly #hasNumbers: boolean;
  readonly #shown: string[] = [];
  #characters = 0;
  #cutLines = 0;

  constructor(options: {
    readonly range: LineRange;
    readonly maxCharacters: number;
    readonly hasNumbers: boolean;
  }) {
    this.#start = options.range.start;
    this.#limit = options.range.limit;
    this.#maxCharacters = options.maxCharacters;
    this.#hasNumbers = options.hasNumbers;
  }

  /** False when the line no longer fits; it then was not taken. The first line always fits. */
  add(line: string, cutBytes = 0): boolean {
    if (this.#shown.length >= this.#limit) return false;
    const shown = this.#format(line, cutBytes);
    if (this.#shown.length > 0 && this.#characters + shown.length + 1 > this.#maxCharacters) return false;
    this.#shown.push(shown);
    this.#characters += shown.length + 1;
    return true;
  }

  get text(): string {
    return this.#shown.join('\n');
  }

  get lineCount(): number {
    return this.#shown.length;
  }

  /** 1-based and inclusive; one before the start when nothing was taken. */
  get lastLine(): number {
    return this.#start + this.#shown.length - 1;
  }

  get cutLines(): number {
    return this.#cutLines;
  }

  #format(line: string, cutBytes: number): string {
    const visible = line.endsWith('\r') && cutBytes === 0 ? line.slice(0, -1) : line;
    const text =
      visible.length > MAX_LINE_CHARACTERS || cutBytes > 0 ? this.#cut(visible, cutBytes) : visible;
    if (!this.#hasNumbers) return text;
    return `${String(this.#start + this.#shown.length).padStart(NUMBER_WIDTH)}|${text}`;
  }

  #cut(line: string, cutBytes: number): string {
    this.#cutLines++;
    const head = line.slice(0, MAX_LINE_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
    const missing =
      cutBytes > 0
        ? `${line.length - head.length + cutBytes} bytes`
        : `${line.length - head.length} characters`;
    return `${head}… [${missing} of this line left out]`;
  }
}
