// `ShellCommandParsingResult`: what a command line would run, from its syntax tree. Official clients refuse a shell exec
// without it, and ask their allow lists about its commands. Guessed: the names of argument and node types, which public
// reconstructions show as the grammar's own (`word`, `string`).
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';
import type { JsonObject } from '../../../core/index.ts';
import { present } from '../../codecs/call-form.ts';

export interface ParsedCommand {
  readonly parsing_result: JsonObject;
  readonly simple_commands: string[];
  readonly has_input_redirect: boolean;
  readonly has_output_redirect: boolean;
  /** Names of the programs it runs. */
  readonly names: readonly string[];
}

/** Longer or deeper ones are not taken apart; the client then treats them as unknown. */
const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 200;

export function parseCommand(source: string): ParsedCommand {
  const found: Found = { source, commands: [], redirects: [], hasSubstitution: false, isUnreadable: false };
  if (source.length > MAX_CHARACTERS) found.isUnreadable = true;
  else visit(parse(source), found, 0);
  const commands = found.commands.map(({ node, text }) => ({
    name: node.name?.value ?? '',
    args: node.args.map((arg) => ({
      type: arg.type === 'Word' ? typeOf(arg) : 'word',
      value: arg.type === 'Word' && arg.parts === undefined ? arg.value : arg.text,
    })),
    full_text: text,
  }));
  const redirects = found.redirects.map(redirectOf);
  return {
    parsing_result: present({
      parsing_failed: found.isUnreadable ? true : undefined,
      executable_commands: commands,
      has_redirects: redirects.length > 0 ? true : undefined,
      has_command_substitution: found.hasSubstitution ? true : undefined,
      all_redirects_are_dev_null:
        redirects.length > 0 ? redirects.every(({ target_text }) => target_text === '/dev/null') : undefined,
      redirects,
    }),
    simple_commands: commands.length === 0 ? [source] : commands.map((command) => command.full_text),
    has_input_redirect: found.redirects.some(({ operator }) => operator.startsWith('<')),
    has_output_redirect: found.redirects.some(({ operator }) => operator.includes('>')),
    names: commands.map((command) => command.name),
  };
}

interface Found {
  readonly source: string;
  readonly commands: { readonly node: Command; readonly text: string }[];
  readonly redirects: Redirection[];
  hasSubstitution: boolean;
  isUnreadable: boolean;
}

function visit(node: SyntaxNode, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) {
    found.isUnreadable = true;
    return;
  }
  switch (node.type) {
    case 'Script':
      if ((node.errors ?? []).length > 0) found.isUnreadable = true;
      break;
    case 'Command':
      if (node.name) found.commands.push({ node, text: found.source.slice(node.pos, node.end) });
      break;
    case 'Redirect':
    case 'HereDoc':
    case 'HereString':
      found.redirects.push(node);
      break;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      found.hasSubstitution = true;
      break;
    default:
  }
  forEachChild(node, (child) => visit(child, found, depth + 1));
}

function redirectOf(node: Redirection): JsonObject {
  const target = 'target' in node ? node.target : undefined;
  return present({
    operator: node.operator,
    target_node_type: target ? typeOf(target) : undefined,
    target_text: target?.text,
  });
}

function typeOf(word: Word): string {
  const [part] = word.parts ?? [];
  if (word.parts === undefined || word.parts.length !== 1)
    return word.parts === undefined ? 'word' : 'concatenation';
  switch (part?.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return 'string';
    case 'SingleQuoted':
      return 'raw_string';
    case 'AnsiCQuoted':
      return 'ansi_c_string';
    case 'SimpleExpansion':
      return 'simple_expansion';
    case 'ParameterExpansion':
      return 'expansion';
    case 'CommandExpansion':
      return 'command_substitution';
    default:
      return 'word';
  }
}
