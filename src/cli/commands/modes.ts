import { Command } from 'commander';
import { isReadOnlyMode } from '../../tools/modes.ts';
import { MODES, type Mode } from '../../tools/tool.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';

/** One mode as `crosspoint modes --json` prints it. */
interface ShownMode {
  readonly mode: Mode;
  readonly readOnly: boolean;
  readonly may: string;
  /** Numbers of the enum, as a client declares them. */
  readonly supportedTools: readonly number[];
  readonly tools: readonly string[];
  /** Offered only when the named feature gate is open. */
  readonly gated: readonly { readonly gate: string; readonly tools: readonly string[] }[];
}

const MAY: Readonly<Record<Mode, string>> = {
  agent: 'May read, change files, run commands and reach the network, each as far as the policy allows.',
  chat: 'Only reads: answers questions, changes no file and runs no command.',
  plan: 'Only reads, asks the user questions, and writes one thing: its plan.',
  debug:
    'May read, change files and run commands, as far as the policy allows; no web search, no tasks for sub-agents.',
  search: 'Only reads: looks through the workspace and the web, changes no file and runs no command.',
};

const WIDTH = 100;

export const modesCommand: CreateCommand = (context) =>
  new Command('modes')
    .summary('the modes and the tools of each')
    .description(
      'Shows what each mode may do and which tools it offers. Calls outside of them are refused, whatever name they use. ' +
        'MCP tools are declared apart; modes that only read take only those that their server calls read-only.',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['crosspoint modes', 'what each mode offers'],
        ['crosspoint modes --json | jq ".[0].supportedTools"', 'the numbers a client declares'],
      ),
    )
    .action(async (flags: { json?: boolean }) => {
      const modes = await readModes();
      if (flags.json) printJson(context, modes);
      else context.stdout.write(modes.map((mode) => formatMode(context, mode)).join('\n'));
    });

async function readModes(): Promise<ShownMode[]> {
  // On demand: the registry brings parsers and search along, which --help does not need.
  const { GATES } = await import('../tool-rows.ts');
  const { BUILTIN_TOOLS } = await import('../../tools/registry.ts');
  const { declareTools } = await import('../../tools/declare-tools.ts');
  return MODES.map((mode) => {
    const numbers = (gates: Record<string, boolean>) =>
      declareTools(mode, gates, [], BUILTIN_TOOLS).supportedTools;
    const namesOf = (wanted: readonly number[]) =>
      BUILTIN_TOOLS.filter(
        (tool) => tool.status === 'local' && tool.modes.includes(mode) && wanted.includes(tool.number),
      ).map((tool) => tool.name);
    const supportedTools = numbers({});
    const gated = GATES.map((gate) => {
      const further = numbers({ [gate]: true }).filter((number) => !supportedTools.includes(number));
      return { gate, tools: namesOf(further) };
    }).filter(({ tools }) => tools.length > 0);
    return {
      mode,
      readOnly: isReadOnlyMode(mode),
      may: MAY[mode],
      supportedTools,
      tools: namesOf(supportedTools),
      gated,
    };
  });
}

function formatMode(context: CliContext, { mode, may, tools, gated }: ShownMode): string {
  const ansi = stdoutAnsi(context);
  const head = `${ansi.bold(mode)}  ${tools.length} tools\n  ${may}\n`;
  const behindGates = gated.map(({ gate, tools: names }) => `  with ${gate}: ${names.join(', ')}\n`);
  return `${head}${wrap(tools)}\n${behindGates.join('')}`;
}

function wrap(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    const joined = `${last}, ${name}`;
    if (last === undefined) lines.push(`  ${name}`);
    else if (joined.length <= WIDTH) lines[lines.length - 1] = joined;
    else lines.push(`  ${name}`);
  }
  return lines.join(',\n');
}
