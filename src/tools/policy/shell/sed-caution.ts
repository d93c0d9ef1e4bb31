// sed scripts can write files (`w`, `s///w`) and, in GNU sed, run commands (`e`, `s///e`). Only scripts made of simple
// printing, deleting and replacing commands pass; the rest of the language asks.
import type { CommandFacts } from './command-facts.ts';
import { findFlag } from './flags.ts';

const ADDRESS = String.raw`(?:\d+|\$|\/[^/\\\n]*\/)`;
const ADDRESSES = `(?:${ADDRESS}(?:,\\+?${ADDRESS})?!?)?`;
const REPLACE = String.raw`s([/|#,@])(?:(?!\1)[^\\\n;}]|\\[^\n])*\1(?:(?!\1)[^\\\n;}]|\\[^\n])*\1[gpIi\d]*`;
const SIMPLE_COMMAND = new RegExp(`^\\s*${ADDRESSES}\\s*(?:[pdqQ=DPnN]|${REPLACE})\\s*$`);

export const sedCaution: NonNullable<CommandFacts['caution']> = (args) => {
  const flag = findFlag(args, { short: 'ifsIW', long: ['in-place', 'file', 'separate'] });
  if (flag !== undefined) return `${flag} edits files in place or reads its script from a file`;
  const scripts = sedScripts(args.map((word) => (word.isLiteral ? word.value : undefined)));
  const isSimple = scripts.every(
    (script) => script?.split(/[;\n]/).every((part) => SIMPLE_COMMAND.test(part)) ?? false,
  );
  return isSimple ? undefined : 'its script is not a simple one, and sed can write files and run commands';
};

/** The values of every -e, or else the first operand; an entry that is not literal is undefined. */
function sedScripts(args: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const scripts: (string | undefined)[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg === undefined) continue;
    // Any beginning of --expression will do, and any cluster of letters may end in -e.
    if (/^--e[a-z]*=/.test(arg)) scripts.push(arg.slice(arg.indexOf('=') + 1));
    else if (/^--e[a-z]*$|^-[a-zA-Z]*e$/.test(arg)) scripts.push(args[index + 1]);
    else if (/^-[a-zA-Z]*e./.test(arg)) scripts.push(undefined);
  }
  return scripts.length > 0 ? scripts : [args.find((arg) => arg === undefined || !arg.startsWith('-'))];
}
