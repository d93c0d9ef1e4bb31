// The file in which a client keeps what a command in the background prints, named by its id in the terminals folder. As the
// official SDK writes it: a head of `name: value` lines between dashes (pid, cwd, command, started_at, running_for_ms)
// and, once the command has ended, a foot of the same kind (exit_code, elapsed_ms, ended_at).
export interface TerminalFile {
  readonly output: string;
  readonly isEnded: boolean;
  /** Unknown for a command that was killed. */
  readonly exitCode?: number;
}

const HEAD = /^---\r?\n(?:[\w -]+:[^\n]*\r?\n)+---\r?\n/;
const FOOT =
  /(?:^|\r?\n)---\r?\n((?:[\w -]+:[^\n]*\r?\n)*exit_code:[^\n]*(?:\r?\n[\w -]+:[^\n]*)*)(?:\r?\n---)?\s*$/;

/** Looked for in the last characters alone: an output may hold any number of lines of dashes. */
const MAX_FOOT = 2_000;

export function readTerminalFile(text: string): TerminalFile {
  const body = text.replace(HEAD, '');
  const start = Math.max(0, body.length - MAX_FOOT);
  const foot = FOOT.exec(body.slice(start));
  if (!foot) return { output: body, isEnded: false };
  const output = body.slice(0, start + foot.index);
  const code = /^exit_code:\s*(-?\d+)\s*$/m.exec(foot[1] ?? '');
  return { output, isEnded: true, ...(code ? { exitCode: Number(code[1]) } : {}) };
}
