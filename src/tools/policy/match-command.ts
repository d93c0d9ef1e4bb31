import path from 'node:path';
import type { SimpleCommand } from './shell/analyse-command.ts';
import type { ShellWord } from './shell/shell-word.ts';

/** A rule's words, each a test; `*` in a word stands for any letters. */
export interface CommandPattern {
  readonly text: string;
  readonly words: readonly WordPattern[];
  /** Written as a last `$`: nothing may follow the words. */
  readonly isWhole: boolean;
}

interface WordPattern {
  readonly text: string;
  readonly strict: RegExp;
  readonly folded: RegExp;
}

const SYSTEM_FOLDERS = new Set(['/bin', '/usr/bin', '/sbin', '/usr/sbin']);

export function compileCommandPattern(text: string): CommandPattern {
  const given = text.trim().split(/\s+/);
  const isWhole = given.length > 1 && given.at(-1) === '$';
  const words = (isWhole ? given.slice(0, -1) : given).map((word) => ({
    text: word,
    strict: wordExpression(word, ''),
    folded: wordExpression(word, 'i'),
  }));
  return { text, words, isWhole };
}

function wordExpression(word: string, flags: string): RegExp {
  const escaped = word.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^]*')}$`, flags);
}

/** For allow rules: the same words at the same places, the program looked up as usual, nothing left to chance. */
export function permits(pattern: CommandPattern, command: SimpleCommand): boolean {
  if (pattern.isWhole && command.words.length !== pattern.words.length) return false;
  return pattern.words.every((expected, index) => {
    const word = command.words[index];
    if (!word?.isLiteral) return false;
    if (expected.strict.test(word.value)) return true;
    return index === 0 && isSystemProgram(word.value) && expected.strict.test(command.name);
  });
}

function isSystemProgram(word: string): boolean {
  return SYSTEM_FOLDERS.has(path.posix.dirname(word));
}

/**
 * For deny and ask rules, which must not be written around: the program by its last name and without case, the other words
 * anywhere behind it in that order, letters of options in any grouping. `maybe` when an unknown word could be the missing one.
 */
export function forbids(pattern: CommandPattern, command: SimpleCommand): 'yes' | 'maybe' | 'no' {
  const [program, ...expected] = pattern.words;
  const first = command.words[0];
  if (!program || !first) return 'no';
  if (!program.folded.test(command.name) && !program.folded.test(first.value)) return 'no';
  const args = command.words.slice(1);
  let from = 0;
  for (const word of expected) {
    if (/^-[a-z]{1,8}$/i.test(word.text)) {
      if (hasOptions(args, word.text)) continue;
      return args.some(isUnknown) ? 'maybe' : 'no';
    }
    const at = args.findIndex((arg, index) => index >= from && arg.isLiteral && word.folded.test(arg.value));
    if (at === -1) return args.some(isUnknown) ? 'maybe' : 'no';
    from = at + 1;
  }
  return 'yes';
}

function isUnknown(word: ShellWord): boolean {
  return !word.isLiteral;
}

/** `-rf` is there when some option has an r and some option has an f. */
function hasOptions(args: readonly ShellWord[], options: string): boolean {
  if (args.some((word) => word.value === options)) return true;
  const clusters = args
    .filter((word) => word.isLiteral && /^-[^-]/.test(word.value))
    .map((word) => word.value);
  return [...options.slice(1)].every((letter) => clusters.some((cluster) => cluster.includes(letter)));
}
