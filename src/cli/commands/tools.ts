import { Command, Option } from 'commander';
import { invalidRequest } from '../../core/index.ts';
import { MODES, type Mode, type Risk } from '../../tools/tool.ts';
import { formatTable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import type { ToolEntry, ToolRow } from '../tool-rows.ts';

interface ToolsFlags {
  readonly mode?: Mode;
  readonly json?: boolean;
}

export const RISK_MEANS: Readonly<Record<Risk, string>> = {
  none: 'changes nothing outside the session',
  read: 'reads files',
  write: 'changes files',
  execute: 'runs programs or acts on the machine',
  network: 'reaches other machines',
  interact: 'speaks with the user or starts work for the user',
};

export const toolsCommand: CreateCommand = (context) =>
  new Command('tools')
    .summary('the tools that run on this machine')
    .description(
      'Lists the tools of the runtime, or shows one: every name it goes by, its arguments, what it can do and where. ' +
        'Retired tools are understood but no longer offered; remote-only ones answer why they cannot run here.',
    )
    .argument('[name]', 'a tool by any of its names, its enum name or its number')
    .addOption(new Option('--mode <mode>', 'only what this mode offers').choices(MODES))
    .option('--json', 'print JSON: a list, or one object with a name')
    .addHelpText(
      'after',
      examples(
        ['crosspoint tools', 'a table'],
        ['crosspoint tools StrReplace', 'one tool with its schema'],
        ['crosspoint tools --mode plan --json | jq -r ".[].name"', 'names only'],
      ),
    )
    .action(async (name: string | undefined, flags: ToolsFlags) => {
      // On demand: the registry brings parsers and search along, which --help does not need.
      const { findToolEntry, listTools, offeredNumbers } = await import('../tool-rows.ts');
      const offered = flags.mode && offeredNumbers(flags.mode);
      if (name === undefined) {
        const rows = listTools().map(({ row }) => row);
        printRows(
          context,
          offered ? rows.filter(({ number }) => offered.has(number)) : rows,
          flags.json === true,
        );
        return;
      }
      const entry = findToolEntry(name);
      if (offered && !offered.has(entry.row.number)) throw notOffered(entry.row, flags.mode);
      if (flags.json) printJson(context, entry.row);
      else context.stdout.write(formatEntry(context, entry));
    });

function notOffered({ name, status }: ToolRow, mode: Mode | undefined) {
  const why = status === 'local' ? '' : ` It is ${status}.`;
  return invalidRequest(
    `${name} is not offered in ${mode} mode.${why} Leave out --mode to see it, or try \`crosspoint modes\`.`,
    'mode',
  );
}

function printRows(context: CliContext, rows: readonly ToolRow[], isJson: boolean): void {
  if (isJson) {
    printJson(context, rows);
    return;
  }
  const lines = rows.map(({ number, name, names, risk, status, modes }) => [
    String(number),
    name,
    risk,
    status,
    formatModes(modes),
    names.filter((other) => other !== name).join(', '),
  ]);
  const local = rows.filter(({ status }) => status === 'local').length;
  const table = formatTable([['NUMBER', 'NAME', 'RISK', 'STATUS', 'MODES', 'OTHER NAMES'], ...lines]);
  context.stdout.write(`${table}\n\n${rows.length} tools, ${local} of them local.\n`);
}

export function formatModes(modes: readonly Mode[]): string {
  return modes.length === MODES.length ? 'all' : modes.join(' ');
}

function formatEntry(context: CliContext, { row, tool }: ToolEntry): string {
  const ansi = stdoutAnsi(context);
  const facts = formatTable([
    ['enum', `${row.enum} (${row.number})`],
    ['names', row.names.join(', ')],
    ['risk', `${row.risk}: ${RISK_MEANS[row.risk]}`],
    ['modes', formatModes(row.modes)],
    ['status', row.status],
    ['touches', `what a call would touch: crosspoint policy check ${row.name} '{…}'`],
  ]);
  const schema = JSON.stringify(row.schema, undefined, 2);
  return `${ansi.bold(row.name)}\n${tool.description}\n\n${facts}\n\n${ansi.bold('Arguments')}\n${schema}\n`;
}
