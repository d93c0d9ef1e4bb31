import type { ShellWord } from './shell-word.ts';

/** Options that make a harmless program do more. */
export interface FlagList {
  /** Letters; found anywhere in a cluster such as `-ro`. */
  readonly short?: string;
  /** Without the dashes; GNU programs also take any unique beginning, so beginnings count. */
  readonly long?: readonly string[];
  /** Whole words, e.g. `-delete`. */
  readonly words?: readonly string[];
}

/** The first argument that is, or could turn out to be, one of these options. */
export function findFlag(args: readonly ShellWord[], flags: FlagList): string | undefined {
  return args.find((word) => isFlag(word, flags))?.value;
}

function isFlag(word: ShellWord, flags: FlagList): boolean {
  if (!word.isLiteral) return mayBeFlag(word);
  const { value } = word;
  if (flags.words?.includes(value)) return true;
  if (value.startsWith('--')) {
    const name = value.slice(2).split('=', 1)[0] ?? '';
    return name !== '' && (flags.long ?? []).some((long) => isSameOption(long, name));
  }
  if (!value.startsWith('-')) return false;
  return [...(flags.short ?? '')].some((letter) => value.slice(1).includes(letter));
}

/** A listed name that ends in a dash stands for every option that begins so. */
function isSameOption(listed: string, name: string): boolean {
  return listed.startsWith(name) || (listed.endsWith('-') && name.startsWith(listed));
}

/** A word known only at run time may turn into any option, unless its beginning rules that out. */
export function mayBeFlag(word: ShellWord): boolean {
  if (word.isLiteral) return word.value.startsWith('-');
  return word.prefix === '' || word.prefix.startsWith('-');
}

/** How a wrapper's own options are written, so that the command behind them is found exactly. */
export interface OptionGrammar {
  /** Letters that take nothing. */
  readonly flags?: string;
  /** Letters that take a value, attached or as the next word. */
  readonly valued?: string;
  readonly longFlags?: readonly string[];
  readonly longValued?: readonly string[];
}

/** The index of the first word that is not an option; undefined when an option is unknown and could hide it. */
export function skipOptions(words: readonly ShellWord[], grammar: OptionGrammar): number | undefined {
  let index = 0;
  while (index < words.length) {
    const word = words[index];
    if (!word) break;
    if (!word.isLiteral) return mayBeFlag(word) ? undefined : index;
    if (word.value === '--') return index + 1;
    if (!word.value.startsWith('-') || word.value === '-') return index;
    const width = optionWidth(word.value, grammar);
    if (width === undefined) return undefined;
    index += width;
  }
  return Math.min(index, words.length);
}

function optionWidth(option: string, grammar: OptionGrammar): number | undefined {
  if (option.startsWith('--')) {
    const [name = '', value] = option.slice(2).split('=', 2);
    if (grammar.longValued?.includes(name)) return value === undefined ? 2 : 1;
    return grammar.longFlags?.includes(name) ? 1 : undefined;
  }
  const letters = [...option.slice(1)];
  for (const [position, letter] of letters.entries()) {
    if (grammar.valued?.includes(letter)) return position === letters.length - 1 ? 2 : 1;
    if (!grammar.flags?.includes(letter)) return undefined;
  }
  return 1;
}
