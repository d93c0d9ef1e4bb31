import type { Assignment, Word, WordPart } from 'unbash';

/** One word of a command as far as it is known before the shell runs it. */
export interface ShellWord {
  /** What the program receives when `isLiteral`; else the source text. */
  readonly value: string;
  /** False when expansion decides what arrives: variables, substitutions, globs, braces. */
  readonly isLiteral: boolean;
  /** How a word that is not literal surely begins; empty when nothing is sure. */
  readonly prefix: string;
  /** Only file names decide: `src/*.ts`. */
  readonly isGlob: boolean;
  /** Unquoted `~` at the start: the home folder, not a file of that name. */
  readonly hasTilde: boolean;
}

export function literalWord(value: string): ShellWord {
  return { value, isLiteral: true, prefix: value, isGlob: false, hasTilde: false };
}

export function unknownWord(text: string): ShellWord {
  return { value: text, isLiteral: false, prefix: '', isGlob: false, hasTilde: false };
}

/** A name that a program finds below a folder, such as `{}` of find: never an option. */
export function foundWord(text: string): ShellWord {
  return { value: text, isLiteral: false, prefix: './', isGlob: true, hasTilde: false };
}

export function readWord(word: Word): ShellWord {
  const hasTilde = word.text.startsWith('~');
  const literal = literalParts(word);
  if (literal.isWhole) return { ...literalWord(literal.text), hasTilde };
  const isGlob = word.parts?.every(isNameOnly) ?? false;
  return { value: word.text, isLiteral: false, prefix: literal.text, isGlob, hasTilde };
}

/** `name=value` after a command word is an ordinary argument to every program but the shell's own declarations. */
export function readAssignment(assignment: Assignment): ShellWord {
  if (assignment.value.type === 'ArrayValue' || assignment.index) return unknownWord(assignment.text);
  const value = readWord(assignment.value);
  const start = `${assignment.name}${assignment.append ? '+=' : '='}`;
  return { ...value, value: value.isLiteral ? start + value.value : assignment.text, prefix: start };
}

function literalParts(word: Word): { text: string; isWhole: boolean } {
  if (!word.parts) return { text: word.value, isWhole: true };
  let text = '';
  for (const part of word.parts) {
    const value = literalValue(part);
    if (value !== undefined) {
      text += value;
      continue;
    }
    // An unquoted expansion may split into several words, and then the beginning is sure for the first alone.
    if (word.parts.some(canSplit)) return { text: '', isWhole: false };
    return { text: text + leadingLiteral(part), isWhole: false };
  }
  return { text, isWhole: true };
}

function leadingLiteral(part: WordPart): string {
  if (part.type !== 'DoubleQuoted') return '';
  const first = part.parts[0];
  return first?.type === 'Literal' ? first.value : '';
}

function literalValue(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted': {
      const children = part.parts.map((child) => (child.type === 'Literal' ? child.value : undefined));
      return children.every((child) => child !== undefined) ? children.join('') : undefined;
    }
    default:
      return undefined; // translated strings ($"…") included: a message catalogue decides what they say
  }
}

function canSplit(part: WordPart): boolean {
  return literalValue(part) === undefined && part.type !== 'DoubleQuoted' && part.type !== 'Glob';
}

function isNameOnly(part: WordPart): boolean {
  return literalValue(part) !== undefined || (part.type === 'Glob' && (part.parts ?? []).every(isNameOnly));
}
