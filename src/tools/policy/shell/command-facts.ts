import type { FlagList } from './flags.ts';
import { findFlag } from './flags.ts';
import type { ShellWord } from './shell-word.ts';

/** What is known of a program, for those where it matters. */
export interface CommandFacts {
  /** Only reads and prints, as long as no caution applies; runs unasked under auto-accept. */
  readonly isSafe?: boolean;
  /** What its file arguments are to it; `none` when it takes no files. */
  readonly files?: 'read' | 'write' | 'delete' | 'none';
  /** Its first operand is a pattern or a program, unless an option brings that. */
  readonly hasPattern?: boolean;
  /** Why these arguments need a look even when the program itself is allowed. */
  caution?(args: readonly ShellWord[]): string | undefined;
}

export function flagCaution(flags: FlagList, effect: string): NonNullable<CommandFacts['caution']> {
  return (args) => {
    const flag = findFlag(args, flags);
    return flag === undefined ? undefined : `${flag} ${effect}`;
  };
}

/** The first caution of several. */
export function anyCaution(
  ...cautions: readonly NonNullable<CommandFacts['caution']>[]
): NonNullable<CommandFacts['caution']> {
  return (args) => {
    for (const caution of cautions) {
      const found = caution(args);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

export function always(reason: string): NonNullable<CommandFacts['caution']> {
  return () => reason;
}

/** Arguments that are not options, as far as one can tell without the program's grammar. */
export function operands(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.filter((word) => !(word.isLiteral && word.value.startsWith('-') && word.value !== '-'));
}

/** Programs such as `uniq` and `xxd` write to their second file. */
export function writesSecondOperand(args: readonly ShellWord[]): string | undefined {
  const extra = operands(args)[1];
  return extra && `${extra.value} would be the file it writes to`;
}
