// Walks the whole syntax tree of a bash script and lists what it would run, set and open. The grammar is unbash's; what
// bash evaluates behind the grammar's back (arithmetic, indirection, prompt expansion) is listed as a caution.
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type TestExpression,
} from 'unbash';
import { assignmentCaution } from './assignments.ts';
import { readAssignment, readWord, type ShellWord } from './shell-word.ts';

export interface ScriptCommand {
  /** The command word and its arguments; empty for a line of assignments only. */
  readonly words: readonly ShellWord[];
  readonly isInLoop: boolean;
}

export interface ScriptRedirect {
  readonly target: ShellWord;
  readonly access: 'read' | 'write';
}

export interface Script {
  readonly commands: ScriptCommand[];
  readonly redirects: ScriptRedirect[];
  /** Why it cannot be judged at all. */
  readonly unreadable: string[];
  /** Why it needs a look although every command in it is known. */
  readonly cautions: string[];
}

/** Longer or deeper ones are not what a person would approve at a glance either. */
const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 200;

/** Control characters, and characters that hide or reorder text on a screen: what is shown is not what runs. */
const INVISIBLE = /(?![\t\n])\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/u;

export function readScript(source: string): Script {
  const script: Script = { commands: [], redirects: [], unreadable: [], cautions: [] };
  if (source.length > MAX_CHARACTERS) {
    script.unreadable.push(`it is longer than ${MAX_CHARACTERS} characters`);
    return script;
  }
  if (INVISIBLE.test(source)) script.unreadable.push('it holds control or invisible characters');
  visit(parse(source), script, { depth: 0, isInLoop: false });
  return script;
}

interface Place {
  readonly depth: number;
  readonly isInLoop: boolean;
}

function visit(node: SyntaxNode, script: Script, place: Place): void {
  if (place.depth > MAX_DEPTH) {
    script.unreadable.push('it is nested too deeply');
    return;
  }
  let inner: Place = { ...place, depth: place.depth + 1 };
  switch (node.type) {
    case 'Script':
      for (const error of node.errors ?? []) script.unreadable.push(`it does not parse: ${error.message}`);
      break;
    case 'Command':
      readCommand(node, script, place);
      break;
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      readRedirect(node, script);
      break;
    case 'Function':
      script.cautions.push(`it defines the function ${node.name.value}, which may stand in for a program`);
      inner = { ...inner, isInLoop: true };
      break;
    case 'For':
    case 'Select':
      noteVariable(node.name.value, script);
      inner = { ...inner, isInLoop: true };
      break;
    case 'While':
    case 'ArithmeticFor':
      inner = { ...inner, isInLoop: true };
      break;
    case 'Coproc':
      script.cautions.push('it starts a coprocess');
      break;
    default:
      noteHiddenEvaluation(node, script);
  }
  forEachChild(node, (child) => visit(child, script, inner));
}

function readCommand(command: Command, script: Script, place: Place): void {
  for (const item of command.prefix) if (item.type === 'Assignment') noteAssignment(item, script);
  if (!command.name) return;
  const words = [
    readWord(command.name),
    ...command.args.map((argument) =>
      argument.type === 'Word' ? readWord(argument) : readAssignment(argument),
    ),
  ];
  if (hasWordsAfterBothRedirect(command)) {
    script.cautions.push('words follow &>, which plain sh reads as the end of the command');
  }
  script.commands.push({ words, isInLoop: place.isInLoop });
}

/** `echo hi &> out rm x` is one command to bash and two to dash. */
function hasWordsAfterBothRedirect(command: Command): boolean {
  const isBoth = (item: { type: string }) =>
    item.type === 'Redirect' && 'operator' in item && String(item.operator).startsWith('&>');
  if (command.prefix.some(isBoth)) return true;
  const at = command.suffix.findIndex(isBoth);
  return (
    at !== -1 && command.suffix.slice(at).some((item) => item.type === 'Word' || item.type === 'Assignment')
  );
}

function noteAssignment(assignment: Assignment, script: Script): void {
  const value = assignment.value.type === 'Word' ? readWord(assignment.value) : undefined;
  const caution = assignmentCaution(assignment.name, value);
  if (caution) script.cautions.push(caution);
  if (assignment.index && !/^\d+$/.test(assignment.index.value)) noteArithmetic(script);
}

function noteVariable(name: string, script: Script): void {
  const caution = assignmentCaution(name, undefined);
  if (caution) script.cautions.push(caution);
}

function readRedirect(redirect: Redirection, script: Script): void {
  if (redirect.descriptor?.type === 'FileDescriptorVariable') noteVariable(redirect.descriptor.name, script);
  if (redirect.type !== 'Redirect' || !redirect.target) return;
  const target = readWord(redirect.target);
  const copiesDescriptor = redirect.operator === '>&' || redirect.operator === '<&';
  if (copiesDescriptor && target.isLiteral && /^(?:\d+-?|-)$/.test(target.value)) return;
  // `<(…)` and `>(…)` name a pipe; what runs in it is visited on its own.
  if (redirect.target.parts?.every((part) => part.type === 'ProcessSubstitution')) return;
  script.redirects.push({ target, access: redirect.operator === '<' ? 'read' : 'write' });
}

const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** Bash runs `$(…)` inside array indexes, also when they come out of a variable: only plain numbers are sure. */
function noteHiddenEvaluation(node: SyntaxNode, script: Script): void {
  switch (node.type) {
    case 'ArithmeticWord':
      if (!/^(?:\d+|\d+#\w+|0x[\da-f]+)?$/i.test(node.value.trim())) noteArithmetic(script);
      return;
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      if (
        !node.expression &&
        !/^[\s\d+*/%()$-]*$/.test(node.type === 'ArithmeticCommand' ? node.body : node.text)
      )
        noteArithmetic(script);
      return;
    case 'ParameterExpansion':
      if (node.prefix === '!') script.cautions.push(`${node.text} reads a variable whose name is computed`);
      if (node.index && !/^(?:\d+|[@*])$/.test(node.index.value)) noteArithmetic(script);
      if (node.operation?.type === 'Transform') script.cautions.push(`${node.text} can evaluate the value`);
      if (node.operation?.type === 'Unknown') script.cautions.push(`${node.text} is an unknown expansion`);
      if (node.operation?.type === 'Slice' && !/^[\s\d:-]*$/.test(sliceText(node.operation)))
        noteArithmetic(script);
      if (node.operation?.type === 'Default' && node.operation.operator.endsWith('=')) {
        noteVariable(node.parameter, script);
      }
      return;
    case 'ExtendedGlob':
      script.cautions.push(`${node.text} is an extended pattern, which shells read differently`);
      return;
    case 'AnsiCQuoted':
      if (node.text.includes("\\'")) script.cautions.push(`${node.text} ends elsewhere in plain sh`);
      return;
    case 'TestLogical':
    case 'TestGroup':
      script.cautions.push('plain sh reads && and || inside [[ ]] as commands');
      return;
    case 'TestUnary':
    case 'TestBinary':
      noteTest(node, script);
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      if (!node.script) script.unreadable.push(`${node.text} does not parse`);
      return;
    default:
  }
}

function sliceText(slice: { offset: { value: string }; length: { value: string } | undefined }): string {
  return `${slice.offset.value}:${slice.length?.value ?? ''}`;
}

function noteTest(test: Extract<TestExpression, { type: 'TestUnary' | 'TestBinary' }>, script: Script): void {
  if (test.type === 'TestUnary') {
    if ((test.operator === '-v' || test.operator === '-R') && !/^\w+$/.test(test.operand.value))
      noteArithmetic(script);
    return;
  }
  if (test.operator === '<' || test.operator === '>') {
    script.cautions.push(`plain sh reads ${test.operator} inside [[ ]] as a redirection`);
  }
  if (!ARITHMETIC_TESTS.has(test.operator)) return;
  for (const side of [test.left, test.right]) if (!/^-?\d+$/.test(side.value)) noteArithmetic(script);
}

function noteArithmetic(script: Script): void {
  const caution = 'it computes with variables, and bash runs commands hidden in array indexes';
  if (!script.cautions.includes(caution)) script.cautions.push(caution);
}
