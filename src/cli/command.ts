import type { Command } from 'commander';
import { createAnsi } from './ansi.ts';
import type { CliContext } from './context.ts';

/** A verb of the program. `finish` sets the exit code; a command that never calls it has succeeded. */
export type CreateCommand = (context: CliContext, finish: (code: number) => void) => Command;

/** Examples under the options, the way every command shows them. */
export function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const list = lines.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`);
  return `\nExamples:\n${list.join('\n')}\n`;
}

export function printJson(context: CliContext, value: unknown): void {
  context.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function stdoutAnsi(context: CliContext) {
  return createAnsi(context.stdout.isTerminal, context.env);
}
