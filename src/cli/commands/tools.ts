import { Command, Option } from 'commander';
import { invalidRequest } from '../../core/index.ts';
import { MODES, type Mode, type Risk } from '../../tools/tool.ts';
import { formatTable, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import type { McpList, McpRow } from '../mcp-rows.ts';
import type { ToolEntry, ToolRow } from '../tool-rows.ts';

interface ToolsFlags {
  readonly mode?: Mode;
  /** False with --no-mcp. */
  readonly mcp: boolean;
  readonly config?: string;
  readonly signIn?: string;
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
        'Retired tools are understood but no longer offered; remote-only ones answer why they cannot run here. ' +
        'Tools of MCP servers come with the name of the server and the consent they have; without a running gateway ' +
        'the servers are started for the list.',
    )
    .argument('[name]', 'a tool by any of its names, its enum name or its number')
    .addOption(new Option('--mode <mode>', 'only what this mode offers').choices(MODES))
    .option('--no-mcp', 'leave out the tools of MCP servers')
    .option('--sign-in <server>', 'sign in to an MCP server: prints the address to open and waits')
    .option('-c, --config <file>', 'the configuration that names the MCP servers (default: as for serve)')
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
      if (flags.signIn !== undefined) {
        const { signInToServer } = await import('../sign-in-to-server.ts');
        await signInToServer(context, flags.signIn, flags.config);
      } else if (name === undefined) await listAll(context, flags);
      else await showOne(context, name, flags);
    });

async function listAll(context: CliContext, flags: ToolsFlags): Promise<void> {
  // On demand: the registry brings parsers and search along, which --help does not need.
  const { listTools, offeredNumbers } = await import('../tool-rows.ts');
  const offered = flags.mode && offeredNumbers(flags.mode);
  const all = listTools().map(({ row }) => row);
  const rows = offered ? all.filter(({ number }) => offered.has(number)) : all;
  const mcp = flags.mcp ? await readMcp(context, flags) : undefined;
  if (flags.json) {
    printJson(context, [...rows, ...(mcp?.rows ?? []).map(({ row }) => row)]);
    for (const problem of mcp?.problems ?? []) context.stderr.write(`${printable(problem)}\n`);
    return;
  }
  context.stdout.write(formatRows(rows));
  if (mcp) context.stdout.write(formatMcp(context, mcp));
}

async function readMcp(context: CliContext, { mode, config }: ToolsFlags): Promise<McpList> {
  const { listMcpTools } = await import('../mcp-rows.ts');
  const list = await listMcpTools(context, config);
  return mode ? { ...list, rows: list.rows.filter(({ row }) => row.modes.includes(mode)) } : list;
}

async function showOne(context: CliContext, name: string, flags: ToolsFlags): Promise<void> {
  const { findToolEntry, offeredNumbers } = await import('../tool-rows.ts');
  const offered = flags.mode && offeredNumbers(flags.mode);
  let entry: ToolEntry;
  try {
    entry = findToolEntry(name);
  } catch (unknown) {
    const found = flags.mcp
      ? (await readMcp(context, flags)).rows.find(({ row }) => row.names.includes(name))
      : undefined;
    if (!found) throw unknown;
    if (flags.json) printJson(context, found.row);
    else context.stdout.write(formatMcpEntry(context, found));
    return;
  }
  if (offered && !offered.has(entry.row.number)) throw notOffered(entry.row, flags.mode);
  if (flags.json) printJson(context, entry.row);
  else context.stdout.write(formatEntry(context, entry));
}

function notOffered({ name, status }: ToolRow, mode: Mode | undefined) {
  const why = status === 'local' ? '' : ` It is ${status}.`;
  return invalidRequest(
    `${name} is not offered in ${mode} mode.${why} Leave out --mode to see it, or try \`crosspoint modes\`.`,
    'mode',
  );
}

function formatRows(rows: readonly ToolRow[]): string {
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
  return `${table}\n\n${rows.length} tools, ${local} of them local.\n`;
}

/** Nothing at all where no server is defined. */
function formatMcp(context: CliContext, { rows, servers, problems }: McpList): string {
  const ansi = stdoutAnsi(context);
  const lines = rows.map(({ row, tool }) => [row.server, tool.name, CONSENT_MEANS[tool.consent], row.name]);
  const table = [['SERVER', 'TOOL', 'CONSENT', 'NAME FOR MODELS'], ...lines];
  const idle = servers
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, origin }) => `${name} (${origin}) is ${STATE_MEANS[state] ?? state}.`);
  const notes = [...idle, ...problems].map((note) => `${ansi.yellow('!')} ${printable(note)}\n`);
  const head = rows.length === 0 ? '' : `\n${ansi.bold('MCP')}\n${printable(formatTable(table))}\n`;
  return notes.length === 0 ? head : `${head}\n${notes.join('')}`;
}

const STATE_MEANS: Readonly<Record<string, string>> = {
  withheld: 'held back: its definition is not the one you agreed to; call one of its tools to be asked',
  'needs-sign-in': 'waiting for a sign-in: `crosspoint tools --sign-in NAME`',
  failed: 'not available',
  idle: 'not started',
};

const CONSENT_MEANS: Readonly<Record<McpRow['consent'], string>> = {
  none: 'asked for at the first call',
  given: 'agreed to',
  changed: 'changed since: needs your consent',
};

function formatMcpEntry(context: CliContext, { row, tool }: McpList['rows'][number]): string {
  const ansi = stdoutAnsi(context);
  const facts = formatTable([
    ['server', row.server],
    ['names', row.names.join(', ')],
    ['consent', CONSENT_MEANS[row.consent]],
    ['modes', formatModes(row.modes)],
  ]);
  const change = tool.change === undefined ? '' : `\n${ansi.bold('What has changed')}\n${tool.change}\n`;
  const schema = JSON.stringify(row.schema, undefined, 2);
  const text = `${tool.description}\n\n${facts}\n${change}\n${ansi.bold('Arguments')}\n${schema}\n`;
  return `${ansi.bold(row.name)}\n${printable(text)}`;
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
